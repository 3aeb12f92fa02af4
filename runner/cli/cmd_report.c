/* The report of a sampling session that did not come to its end, from its journal. */
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/session_sample.h"

#include <string.h>
#include <unistd.h>

#define RULER 80

struct replayed {
    struct sampling sampling;
    bool told; /* of one run at least */
    bool ended;
    int status; /* pytest's, if it said so */
};

static int take_line(void *ctx, char *line, struct err *e)
{
    struct replayed *r = ctx;
    own_said struct said said = {0};
    if (!said_parse(line, &said))
        return 0;
    r->told = r->told || said.what == SAY_RUN;
    if (said.what == SAY_FINISH) {
        r->ended = true;
        r->status = said.exit_status;
    }
    if (said.what != SAY_SAMPLE && !r->sampling.begun)
        return err_set(e, ERR_STALE, "it does not begin as a journal does");
    return sampling_take(&r->sampling, &said, e);
}

static int read_journal(const char *path, struct replayed *r, struct err *e)
{
    struct journal_reader reader = {take_line, r};
    if (journal_each(path, &reader, e) < 0)
        return e->kind == ERR_SYSTEM ? -1 : err_while(e, "%s", path);
    if (!r->told) {
        err_set(e, ERR_STALE, "%s: no run is told of in it", path);
        return err_hint(e, "a journal lies beside the report as PATH.journal, or in .flaky-repro");
    }
    return 0;
}

static void ruler(const char *title, struct text *out)
{
    size_t sides = RULER - strlen(title) - 2, left = sides / 2;
    for (size_t i = 0; i < left; i++)
        text_addc(out, '=');
    text_addf(out, " %s ", title);
    for (size_t i = left; i < sides; i++)
        text_addc(out, '=');
    text_addc(out, '\n');
}

/* Runs that failed make pytest's status 1 where no gate judges them; nobody is left to say so. */
static int own_status(const struct sampling *s)
{
    for (size_t i = 0; i < s->suite.n; i++) {
        const struct sample_case *c = &s->suite.of[i];
        bool judged = c->rule.bar != BAR_NONE || arms_judge(s, c);
        if ((c->fail > 0 && !judged) ||
            (c->error > 0 && !(judged && s->suite.config.errors_excluded)))
            return 1;
    }
    return 0;
}

static int report(struct replayed *r, const struct options *o, const struct term *t, struct err *e)
{
    own_finish struct finish f = {0};
    own_text struct text out = {0};
    bool json_alone = o->json && strcmp(o->json, "-") == 0;
    r->sampling.suite.config.json = json_alone ? NULL : o->json; /* the one that is written now */
    int status = r->ended ? r->status : own_status(&r->sampling);
    sampling_finish(&r->sampling, status, json_alone ? t->err.colour : t->out.colour, &f);
    r->status = f.status;
    for (size_t i = 0; i < f.n; i++) {
        ruler(f.section[i].title, &out);
        text_add(&out, text_str(&f.section[i].text));
    }
    if (!r->ended && !o->quiet)
        say_note("the session did not come to its end; this is what it had told by then");
    if (json_alone)
        say_text(&out);
    else if (say_result(&out, e) < 0)
        return -1;
    if (!o->json)
        return 0;
    return sampling_write(&r->sampling, f.status, o->target, json_alone ? NULL : o->json,
                          STDOUT_FILENO, e);
}

enum status cmd_report(const struct options *o, const struct term *t)
{
    struct err e = {0};
    struct replayed r = {.sampling = SAMPLING_INIT};
    enum status ret = STATUS_NO_WORK;
    r.sampling.journaled = false;
    if (!o->target) {
        err_set(&e, ERR_USAGE, "report needs a JOURNAL");
        err_hint(&e, "a sampling session that was killed leaves one: PATH.journal beside the "
                     "report of --prob-json, else in .flaky-repro");
    } else if (o->pytest_args.n > 0) {
        err_set(&e, ERR_USAGE, "report takes no arguments for pytest");
    } else if (read_journal(o->target, &r, &e) == 0 && report(&r, o, t, &e) == 0) {
        ret = r.status == 0 ? STATUS_NOTHING_SHOWN : STATUS_FLAKY;
    }
    if (e.kind)
        ret = say_error(&e);
    sampling_done(&r.sampling);
    return ret;
}
