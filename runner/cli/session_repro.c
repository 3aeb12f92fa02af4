/* Recorded failures inside pytest: --doctor-repro, and the mark above a test. */
#include "cli/session.h"

#include "base/clock.h"
#include "base/own.h"
#include "base/release.h"
#include "cli/status.h"
#include "live/live.h"
#include "model/blob.h"

#include <string.h>

static int read_blob(const char *word, struct blob *b, struct err *e)
{
    if (blob_decode(word, b, e) < 0)
        return -1;
    /* A hash seed that the user holds otherwise: ours would go unnoticed over it. */
    const char *had = getenv("PYTHONHASHSEED");
    const char *want = b->setting.value[FD_AXIS_HASHSEED];
    if (!setting_holds(&b->setting, FD_AXIS_HASHSEED) || !had || !*had ||
        strcmp(had, "random") == 0 || strcmp(had, want) == 0)
        return 0;
    err_set(e, ERR_USAGE, "this repro needs PYTHONHASHSEED=%s, and the environment sets it to %s",
            want, had);
    return err_hint(e, "unset PYTHONHASHSEED, or set it to %s", want);
}

static void target_of(const struct question *q, const struct blob *b, struct target *t)
{
    t->nodeid = str_or_die(b->nodeid);
    t->cwd = str_or_die(q->cwd);
    t->rootdir = q->rootdir ? str_or_die(q->rootdir) : NULL;
}

static int other_test(const struct blob *b, struct err *e)
{
    err_set(e, ERR_STALE, "this repro was recorded for %s, which is not the test asked for",
            b->nodeid);
    return err_hint(e, "name that test, or diagnose this one");
}

/* pytest becomes a replay, which starts it anew with everything held from birth. */
int session_repro(const struct question *q, const struct term *t, struct answer *a, struct err *e)
{
    own_blob struct blob b = {0};
    own_target struct target target = {0};
    own_argv struct argv args = {0};
    char exe[PATH_MAX];
    (void)t;
    if (!q->blob || read_blob(q->blob, &b, e) < 0)
        return -1;
    target_of(q, &b, &target);
    bool selected = q->selected.n == 0;
    for (size_t i = 0; i < q->selected.n; i++)
        selected |= target_is_selected(&target, q->selected.at[i]);
    if (!selected)
        return other_test(&b, e);
    if (release_program(exe, e) < 0)
        return -1;
    session_forward(&q->args, FORWARD_SEEN, &args);
    argv_add(&a->become, exe);
    argv_add(&a->become, "replay");
    argv_add(&a->become, q->blob);
    argv_add(&a->become, "--python");
    argv_add(&a->become, q->python);
    argv_add(&a->become, "--");
    argv_copy(&a->become, &args);
    return 0;
}

/* Ids without their parameters. */
static bool same_function(const char *a, const char *b)
{
    size_t n = strcspn(a, "["), m = strcspn(b, "[");
    return n == m && strncmp(a, b, n) == 0;
}

/* Which of a test's marks is for it. One for other parameters of the same function is no mistake:
 * *ret stays NULL then. */
static int choose(const struct question *q, const char **ret, struct err *e)
{
    *ret = NULL;
    for (size_t i = 0; i < q->blobs.n; i++) {
        own_blob struct blob b = {0};
        if (read_blob(q->blobs.at[i], &b, e) < 0)
            return -1;
        if (strcmp(b.nodeid, q->id) == 0)
            *ret = q->blobs.at[i];
        else if (!same_function(b.nodeid, q->id))
            return other_test(&b, e);
    }
    return 0;
}

static void say_result_of(const struct replay_result *r, struct text *out)
{
    const struct fingerprint *got = &r->outcome.print, *want = &r->wanted;
    if (!outcome_failed(&r->outcome))
        text_addf(out,
                  "DID NOT REPRODUCE: with the recorded setting it came to \"%s\"; if that is what "
                  "was mended, take the mark out",
                  outcome_word(r->outcome.kind));
    else if (r->reproduced)
        text_addf(out, "reproduced: fails as recorded, %s%s%s", got->type, *got->site ? " at " : "",
                  got->site);
    else
        text_addf(out, "DID NOT REPRODUCE: failed as %s at %s, recorded was %s at %s", got->type,
                  got->site, want->type, want->site);
}

int session_marker(const struct question *q, const struct term *t, struct answer *a, struct err *e)
{
    const char *blob;
    struct replay_result r = {0};
    own_argv struct argv args = {0};
    (void)t;
    if (!q->id || !q->reports)
        return err_set(e, ERR_SETUP, "session: a mark needs a test and a file");
    if (choose(q, &blob, e) < 0)
        return -1;
    a->none = blob == NULL;
    if (!blob)
        return 0;
    session_forward(&q->args, FORWARD_CHOSEN, &args);
    const struct request request = {.args = &args,
                                    .python = q->python,
                                    .script = q->script,
                                    .rootdir = q->rootdir,
                                    .reports = q->reports,
                                    .axes = AXES_ALL,
                                    .budget_ns = 300 * NS_PER_S};
    if (live_replay(blob, &request, &r, e) < 0)
        return -1;
    say_result_of(&r, &a->text);
    a->status = r.reproduced ? STATUS_FLAKY : STATUS_OPEN;
    if (!outcome_failed(&r.outcome))
        a->status = STATUS_NOTHING_SHOWN;
    return 0;
}
