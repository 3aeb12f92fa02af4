/* Providers that are programs: a command line that reads the prompt and writes the reply, and
 * classes in Python, which live in an interpreter of their own. */
#include "triage/provider.h"

#include "base/clock.h"
#include "triage/helper.h"
#include "triage/partner.h"
#include "triage/prompt.h"
#include "triage/reply.h"

#include <stdlib.h>
#include <string.h>

struct command {
    char *line;
    char *const *env; /* borrowed */
};

static int open_command(const struct provider_setup *s, struct provider *p, struct err *e)
{
    (void)e;
    struct command *c = mem_or_die(sizeof *c);
    c->line = str_or_die(strchr(s->name, ':') + 1);
    c->env = s->env;
    p->state = c;
    return 0;
}

static enum asked ask_command(struct provider *p, const struct inquiry *q, struct opinion *ret,
                              struct err *e)
{
    const struct command *c = p->state;
    own_helper struct helper h = HELPER_NONE;
    own_argv struct argv argv = {0};
    own_text struct text prompt = {0}, reply = {0};
    argv_add(&argv, "/bin/sh");
    argv_add(&argv, "-c");
    argv_add(&argv, c->line);
    prompt_whole(q, LANGUAGE_ENGLISH, &prompt);
    if (helper_start(&argv, c->env, &h, e) < 0)
        return ASKED_FAILED;
    struct exchange x = {text_str(&prompt), UNTIL_END, q->deadline_ns, REPLY_MAX};
    enum asked how = helper_exchange(&h, &x, &reply, e);
    if (how == ASKED_ANSWERED)
        reply_read(text_str(&reply), ret);
    return how;
}

static void close_command(struct provider *p)
{
    struct command *c = p->state;
    free(c->line);
    free(c);
}

const struct provider_kind provider_command = {"command:", open_command, ask_command,
                                               close_command};

#define CLOSED_WITHIN NS_PER_S /* for what a provider does in its close() */

struct python {
    struct helper helper; /* started when it is first needed */
    struct argv argv;
    char *const *env; /* borrowed */
};

static int open_python(const struct provider_setup *s, struct provider *p, struct err *e)
{
    if (!s->python) {
        err_set(e, ERR_USAGE, "the provider %s needs an interpreter of Python", s->name);
        return err_hint(e, "ask for it within pytest, or name one with --python");
    }
    struct python *y = mem_or_die(sizeof *y);
    y->helper = HELPER_NONE;
    y->env = s->env;
    argv_add(&y->argv, s->python);
    argv_add(&y->argv, "-m");
    argv_add(&y->argv, "flaky_repro._provider");
    argv_add(&y->argv, s->name);
    p->state = y;
    return 0;
}

/* One question, one line; what does not answer is killed, and started anew for the next. */
static enum asked ask_python(struct provider *p, const struct inquiry *q, struct opinion *ret,
                             struct err *e)
{
    struct python *y = p->state;
    own_text struct text line = {0}, reply = {0};
    if (y->helper.pid == 0 && helper_start(&y->argv, y->env, &y->helper, e) < 0)
        return ASKED_FAILED;
    partner_question(q, &line);
    struct exchange x = {text_str(&line), UNTIL_LINE, q->deadline_ns, REPLY_MAX};
    enum asked how = helper_exchange(&y->helper, &x, &reply, e);
    if (how == ASKED_ANSWERED)
        return partner_answer(text_str(&reply), p, ret, e);
    helper_stop(&y->helper);
    return how;
}

static void close_python(struct provider *p)
{
    struct python *y = p->state;
    helper_finish(&y->helper, clock_mono_ns() + CLOSED_WITHIN);
    argv_done(&y->argv);
    free(y);
}

const struct provider_kind provider_python = {"MODULE:ATTR", open_python, ask_python, close_python};
