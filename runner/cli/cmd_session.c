#include "base/own.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "cli/session.h"
#include "cli/session_sample.h"
#include "cli/session_triage.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

static const struct {
    const char *ask;
    int (*answer)(const struct question *, const struct term *, struct answer *, struct err *);
} asked[] = {
    {"check", session_check},
    {"doctor", session_doctor},
    {"repro", session_repro},
    {"marker", session_marker},
};

/* Questions whose answers have fields of their own. */
static const struct {
    const char *ask;
    int (*answer)(const struct question *, struct text *, struct err *);
} told[] = {
    {"triage-check", session_triage_check},
    {"triage", session_triage},
};

static int answer_as(const struct question *q, const struct term *t, struct text *out,
                     struct err *e)
{
    own_answer struct answer a = {0};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (strcmp(told[i].ask, q->ask) == 0)
            return told[i].answer(q, out, e);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        if (strcmp(asked[i].ask, q->ask) != 0)
            continue;
        if (asked[i].answer(q, t, &a, e) < 0)
            return -1;
        answer_line(&a, out);
        return 0;
    }
    return err_set(e, ERR_SETUP, "session: \"%s\" is nothing this version can be asked", q->ask);
}

static int answer(const char *line, const struct term *t, struct text *out, struct err *e)
{
    own_question struct question q = {0};
    if (question_parse(line, &q, e) < 0)
        return -1;
    if (!q.python || !q.cwd || chdir(q.cwd) < 0)
        return err_set(e, ERR_SETUP, "session: the plugin does not say where it stands");
    return answer_as(&q, t, out, e);
}

enum status cmd_session(const struct options *o, const struct term *t)
{
    own_mem char *line = NULL;
    size_t room = 0;
    own_sampling struct sampling sampling = SAMPLING_INIT;
    (void)o;
    /* Who asks may be killed, and waits for no answer then: what runs for it ends as by Ctrl-C. */
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    while (getline(&line, &room, stdin) > 0) {
        own_text struct text out = {0};
        struct err e = {0};
        int sampled = sampling_line(&sampling, line, &out, &e);
        if (sampled < 0 || (sampled == 0 && answer(line, t, &out, &e) < 0))
            answer_refusal(&e, &out);
        if (out.len > 0 && say_result(&out, &e) < 0)
            return say_error(&e);
    }
    return STATUS_NOTHING_SHOWN;
}
