/* What a session knows while pytest samples, and what it answers until the end. */
#include "cli/session_sample.h"

#include "base/own.h"
#include "cli/session.h"
#include "report/fractions.h"
#include "report/json_out.h"
#include "sample/stop.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void sampling_done(struct sampling *s)
{
    sampling_forget(s);
    said_done(&s->begin);
    suite_done(&s->suite);
    journal_done(&s->journal);
    arms_done_all(s);
    free(s->json);
    *s = (struct sampling)SAMPLING_INIT;
}

static void answer_begin(struct json_out *j)
{
    json_open(j, NULL, '{');
    json_count(j, "v", SESSION_VERSION);
}

static void answer_end(struct json_out *j)
{
    json_close(j, '}');
    text_addc(j->to, '\n');
}

/* What could not be written at the end is said before anything is run. */
static int may_write(const char *path, struct err *e)
{
    own_text struct text up = {0};
    struct stat st, ours;
    char *slash;
    bool there = stat(path, &st) == 0;
    text_add(&up, path);
    if (there && S_ISDIR(st.st_mode)) {
        err_set(e, ERR_USAGE, "--prob-json: %s is a directory", path);
        return err_hint(e, "it takes the path of a file, as in report.json");
    }
    if (there && fstat(STDOUT_FILENO, &ours) == 0 && st.st_dev == ours.st_dev &&
        st.st_ino == ours.st_ino) { /* /dev/stdout: what pytest reads our answers from */
        err_set(e, ERR_USAGE, "--prob-json: %s is no file", path);
        return err_hint(e, "it takes the path of a file, as in report.json");
    }
    if (there && !S_ISREG(st.st_mode))
        return 0;
    do { /* folders are made where they are missing */
        slash = strrchr(up.at, '/');
        if (slash == up.at || !slash)
            return 0;
        *slash = 0;
    } while (stat(up.at, &st) < 0 && errno == ENOENT);
    if (stat(up.at, &st) == 0 && S_ISDIR(st.st_mode) && access(up.at, W_OK) == 0)
        return 0;
    err_sys(e, "--prob-json: %s cannot be written", path);
    return err_hint(e, "name a file in a folder of your own");
}

static int begin(struct sampling *s, struct said *said, struct err *e)
{
    if (s->begun)
        return err_set(e, ERR_SETUP, "session: it samples already");
    if (sample_config_read(said->option, said->options, &s->suite.config, e) < 0)
        return -1;
    if (arms_begin(s, said->cwd, e) < 0)
        return -1;
    bool distributed = said->role && strcmp(said->role, "whole") != 0;
    s->worker = said->role && strcmp(said->role, "worker") == 0;
    s->stopping = !distributed || said->loadgroup;
    if (s->suite.config.json) {
        own_text struct text path = {0};
        bool relative = s->suite.config.json[0] != '/' && said->cwd;
        text_addf(&path, "%s%s%s", relative ? said->cwd : "", relative ? "/" : "",
                  s->suite.config.json);
        free(s->json); /* of a question that was refused */
        s->json = text_take(&path);
        if (s->journaled && !s->worker && may_write(s->json, e) < 0)
            return -1;
    }
    s->suite.cwd = said->cwd;
    s->suite.rootdir = said->rootdir;
    s->begun = true; /* not before: what is refused here frees the texts of the options */
    s->begin = *said;
    *said = (struct said){0};
    return 0;
}

static void answer_sample(const struct sampling *s, struct text *out)
{
    const struct sample_config *c = &s->suite.config;
    struct json_out j = {.to = out};
    answer_begin(&j);
    json_count(&j, "runs", c->runs);
    json_double(&j, "delay", c->delay);
    json_flag(&j, "transpose", c->transpose);
    json_text(&j, "stop", stopping_name(c->stop));
    json_text(&j, "errors", c->errors_excluded ? "exclude" : "count");
    json_flag(&j, "gate_items", c->gate_items);
    json_flag(&j, "isolate", c->isolate);
    json_flag(&j, "isolate_bench", c->isolate_bench);
    json_flag(&j, "tests", c->tests);
    json_flag(&j, "diagnose", c->diagnose);
    json_double(&j, "timeout", c->timeout);
    json_flag(&j, "plan", c->plan);
    json_text(&j, "json", s->json);
    json_open(&j, "warnings", '[');
    if (c->stop != STOP_OFF && !s->stopping && !s->worker) {
        own_text struct text w = {0};
        text_addf(&w,
                  "--prob-stop=%s: under xdist a case's runs must share a worker to stop early; "
                  "all of them will run. Add --dist loadgroup",
                  stopping_name(c->stop));
        json_open(&j, NULL, '{');
        json_text(&j, "category", "CurtailmentWarning");
        json_text(&j, "text", text_str(&w));
        json_close(&j, '}');
    }
    json_close(&j, ']');
    answer_end(&j);
}

/* A case that this session has not been asked about: what its mark says was judged where it was
 * collected, so a mark that is wrong here cannot be. */
static void learn(struct sampling *s, struct said *said)
{
    if (said->n == 0 || suite_find(&s->suite, said->name))
        return;
    own_text struct text unread = {0};
    answer_cases(s, said, &unread);
}

static void take_run(struct sampling *s, struct said *said)
{
    struct sample_case *c = NULL;
    if (!said->name)
        return;
    learn(s, said);
    c = suite_find(&s->suite, said->name);
    if (c)
        case_run(c, &said->run);
}

static struct sample_case *case_of(struct sampling *s, const struct said *said)
{
    return said->name ? suite_find(&s->suite, said->name) : NULL;
}

static void answer_selected(const struct sampling *s, const struct said *said, struct text *out)
{
    own_text struct text plan = {0};
    struct json_out j = {.to = out};
    if (s->suite.config.plan)
        arms_plan(s, said, &plan);
    answer_begin(&j);
    json_open(&j, "warnings", '[');
    json_close(&j, ']');
    json_text(&j, "plan", plan.len ? text_str(&plan) : NULL);
    answer_end(&j);
}

static void answer_stop(struct sampling *s, const struct said *said, struct text *out)
{
    struct json_out j = {.to = out};
    const struct sample_case *c = case_of(s, said);
    bool stops = c && s->stopping && stop_may(&s->suite, c);
    answer_begin(&j);
    json_flag(&j, "stop", stops && stop_now(&s->suite, c) != GATE_OPEN);
    answer_end(&j);
}

/* FAIL before UNDECIDED before PASS. */
static enum gate_verdict worse(enum gate_verdict a, enum gate_verdict b)
{
    static const int rank[] = {
        [GATE_OPEN] = 0, [GATE_PASS] = 1, [GATE_UNDECIDED] = 2, [GATE_FAIL] = 3};
    return rank[a] > rank[b] ? a : b;
}

static void answer_verdict(struct sampling *s, const struct said *said, struct text *out)
{
    struct json_out j = {.to = out};
    own_text struct text line = {0};
    const struct sample_case *c = case_of(s, said);
    enum gate_verdict v = GATE_OPEN;
    if (c && case_total(c) > 0) {
        struct rate_judged r;
        struct latency_judged l;
        case_judge_rate(c, &s->suite.config, &r);
        case_judge_latency(c, &s->suite.config, &l);
        v = worse(r.verdict, l.verdict);
        fractions_verdict(c, &s->suite.config, &line);
    } else if (said->function && (said->arm || said->baseline)) {
        v = arms_verdict(s, said->function, said->arm, &line);
    }
    answer_begin(&j);
    json_text(&j, "verdict", verdict_word(v));
    json_flag(&j, "passed", !verdict_fails(v, &s->suite.config));
    json_text(&j, "text", text_str(&line));
    answer_end(&j);
}

static void answer_finish(struct sampling *s, const struct said *said, struct text *out)
{
    own_finish struct finish f = {0};
    struct err e = {0};
    struct json_out j = {.to = out};
    bool wrong = false;
    sampling_finish(s, said->exit_status, s->begin.colour, &f);
    if (s->json && !s->worker)
        wrong = sampling_write(s, f.status, s->journal.path, s->json, -1, &e) < 0;
    if (wrong && s->journal.path)
        err_hint(&e, "`flaky-repro report %s --json PATH` makes it", s->journal.path);
    if (wrong && f.status == 0)
        f.status = 1; /* whoever asked for it may not go on as if it were there */
    if (wrong)
        journal_done(&s->journal);
    else
        journal_remove(&s->journal);
    s->finished = true;
    answer_begin(&j);
    json_count(&j, "status", f.status);
    json_open(&j, "sections", '[');
    for (size_t i = 0; i < f.n; i++) {
        json_open(&j, NULL, '{');
        json_text(&j, "title", f.section[i].title);
        json_text(&j, "text", text_str(&f.section[i].text));
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_open(&j, "flaky", '[');
    for (size_t i = 0; i < s->suite.n && !s->worker; i++)
        if (fractions_flaky(&s->suite.of[i], &s->suite.config))
            json_text(&j, NULL, s->suite.of[i].nodeid);
    json_close(&j, ']');
    json_text(&j, "error", wrong ? e.what : NULL);
    json_text(&j, "hint", wrong ? e.hint : NULL);
    answer_end(&j);
}

static void keep(struct sampling *s, const struct said *said, const char *line)
{
    size_t n = strlen(line);
    const char *root = s->begin.rootdir ? s->begin.rootdir : s->begin.cwd;
    if (!s->journaled || s->worker || s->finished)
        return;
    if (said->what == SAY_RUN && root)
        journal_add(&s->journal, s->json, root, line, n);
    else if (said->what != SAY_STOP && said->what != SAY_VERDICT)
        journal_prepare(&s->journal, line, n);
}

int sampling_take(struct sampling *s, struct said *said, struct err *e)
{
    own_text struct text unread = {0};
    struct sample_case *c;
    if (said->what == SAY_SAMPLE)
        return begin(s, said, e);
    if (said->what == SAY_CASES)
        answer_cases(s, said, &unread);
    if (said->what == SAY_RUN)
        take_run(s, said);
    if (said->what == SAY_CUT && (c = case_of(s, said)))
        c->cut++;
    return 0;
}

int sampling_line(struct sampling *s, const char *line, struct text *out, struct err *e)
{
    own_said struct said said = {0};
    if (!said_parse(line, &said))
        return 0;
    if (said.what != SAY_SAMPLE && !s->begun)
        return said.ask ? err_set(e, ERR_SETUP, "session: nobody asked it to sample") : 1;
    if (said.what == SAY_SAMPLE) {
        if (begin(s, &said, e) < 0)
            return -1;
        said.what = SAY_SAMPLE;
        keep(s, &said, line);
        answer_sample(s, out);
        return 1;
    }
    keep(s, &said, line);
    if (said.what == SAY_CASES)
        answer_cases(s, &said, out);
    else if (said.what == SAY_SELECTED)
        answer_selected(s, &said, out);
    else if (said.what == SAY_STOP)
        answer_stop(s, &said, out);
    else if (said.what == SAY_VERDICT)
        answer_verdict(s, &said, out);
    else if (said.what == SAY_FINISH)
        answer_finish(s, &said, out);
    else if (sampling_take(s, &said, e) < 0)
        return -1;
    return 1;
}
