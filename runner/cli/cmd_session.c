#include "base/own.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "cli/session.h"
#include "cli/session_sample.h"

#include <string.h>

static const struct {
    const char *ask;
    int (*answer)(const struct question *, const struct term *, struct answer *, struct err *);
} asked[] = {
    {"check", session_check},
    {"doctor", session_doctor},
    {"repro", session_repro},
    {"marker", session_marker},
};

static int answer(const char *line, const struct term *t, struct answer *ret, struct err *e)
{
    own_question struct question q = {0};
    if (question_parse(line, &q, e) < 0)
        return -1;
    if (!q.python || !q.cwd || chdir(q.cwd) < 0)
        return err_set(e, ERR_SETUP, "session: the plugin does not say where it stands");
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (strcmp(asked[i].ask, q.ask) == 0)
            return asked[i].answer(&q, t, ret, e);
    return err_set(e, ERR_SETUP, "session: \"%s\" is nothing this version can be asked", q.ask);
}

enum status cmd_session(const struct options *o, const struct term *t)
{
    own_mem char *line = NULL;
    size_t room = 0;
    own_sampling struct sampling sampling = SAMPLING_INIT;
    (void)o;
    while (getline(&line, &room, stdin) > 0) {
        own_answer struct answer a = {0};
        own_text struct text out = {0};
        struct err e = {0};
        int sampled = sampling_line(&sampling, line, &out, &e);
        if (sampled < 0 || (sampled == 0 && answer(line, t, &a, &e) < 0))
            answer_refusal(&e, &out);
        else if (sampled == 0)
            answer_line(&a, &out);
        if (out.len > 0 && say_result(&out, &e) < 0)
            return say_error(&e);
    }
    return STATUS_NOTHING_SHOWN;
}
