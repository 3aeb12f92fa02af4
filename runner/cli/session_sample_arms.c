/* Comparisons, the earlier report and the plan, as far as the plugin is told of them. */
#include "cli/session_sample.h"

#include "base/own.h"
#include "cli/session.h"
#include "report/comparisons.h"
#include "report/plan.h"
#include "sample/verdict.h"

#include <math.h>
#include <string.h>

#define PLAN_WIDTH 80

static int read_earlier(const char *cwd, const char *path, const char *option, struct earlier *ret,
                        struct err *e)
{
    own_text struct text whole = {0};
    bool relative = path[0] != '/' && cwd;
    text_addf(&whole, "%s%s%s", relative ? cwd : "", relative ? "/" : "", path);
    return earlier_read(text_str(&whole), path, option, ret, e);
}

int arms_begin(struct sampling *s, const char *cwd, struct err *e)
{
    const struct sample_config *c = &s->suite.config;
    if (c->baseline) {
        int got = read_earlier(cwd, c->baseline, "--prob-baseline", &s->earlier, e);
        if (got < 0 && s->journaled) /* where a journal is read, the file may have gone since */
            return -1;
        s->against = got == 0;
    }
    if (c->plan && c->plan_report)
        return read_earlier(cwd, c->plan_report, "--prob-plan-report", &s->costs, e);
    return 0;
}

void arms_done_all(struct sampling *s)
{
    earlier_done(&s->earlier);
    earlier_done(&s->costs);
}

bool arms_judge(const struct sampling *s, const struct sample_case *c)
{
    const struct sample_function *f = suite_function(&s->suite, c->function);
    bool compared = f && f->compare.axis && !isnan(f->compare.margin);
    bool based = s->against && !isnan(s->suite.config.margin);
    return compared || (based && earlier_find(&s->earlier, c->name));
}

/* The functions of these cases, each once. NULL entries are cases that are not known. */
static void functions_of(const struct sampling *s, char *const *names, size_t n,
                         const struct sample_function **ret, size_t *ret_n)
{
    const struct sample_function *last = NULL;
    *ret_n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct sample_case *c = suite_find(&s->suite, names[i]);
        const struct sample_function *f = c ? suite_function(&s->suite, c->function) : NULL;
        bool had = !f || f == last;
        for (size_t k = 0; k < *ret_n && !had; k++)
            had = ret[k] == f;
        last = f ? f : last;
        if (!had)
            ret[(*ret_n)++] = f;
    }
}

static void put_compare(struct json_out *j, const struct sampling *s,
                        const struct sample_function *f)
{
    struct arms arms = {0};
    struct err e = {0};
    if (isnan(f->compare.margin) || function_arms(&s->suite, f, &arms, &e) < 0 || arms.n == 0)
        return;
    json_open(j, NULL, '{');
    json_text(j, "function", f->name);
    json_open(j, "arms", '[');
    for (size_t i = 0; i < arms.n; i++)
        json_text(j, NULL, arms.arm[i]);
    json_close(j, ']');
    json_flag(j, "gate", true);
    json_close(j, '}');
    arms_done(&arms);
}

void arms_put(struct json_out *j, const struct sampling *s, char *const *names, size_t n)
{
    const struct sample_config *config = &s->suite.config;
    own_mem const struct sample_function **f =
        mem_or_die((n + 1) * sizeof(const struct sample_function *));
    size_t functions;
    functions_of(s, names, n, f, &functions);
    json_open(j, "compare", '[');
    for (size_t i = 0; i < functions && config->gate_items; i++)
        put_compare(j, s, f[i]);
    json_close(j, ']');
    json_open(j, "baseline", '[');
    bool based = s->against && !isnan(config->margin) && config->gate_items;
    for (size_t i = 0; i < functions && based; i++) {
        if (!earlier_meets(&s->earlier, &s->suite, f[i], NULL))
            continue;
        json_open(j, NULL, '{');
        json_text(j, "function", f[i]->name);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void arms_check(const struct sampling *s, char *const *names, size_t n, struct err *wrong)
{
    const struct sample_function *last = NULL;
    struct err of_last = {0};
    for (size_t i = 0; i < n; i++) {
        const struct sample_case *c = wrong[i].kind ? NULL : suite_find(&s->suite, names[i]);
        const struct sample_function *f = c ? suite_function(&s->suite, c->function) : NULL;
        if (!f || !f->compare.axis)
            continue;
        if (f != last) {
            struct arms arms = {0};
            of_last = (struct err){0};
            function_arms(&s->suite, f, &arms, &of_last);
            arms_done(&arms);
            last = f;
        } else if (of_last.kind) {
            continue; /* told with the first case of the function */
        }
        wrong[i] = of_last;
    }
}

void arms_results(const struct sampling *s, struct comparisons *c, struct against *a)
{
    suite_compare(&s->suite, c);
    *a = (struct against){0};
    if (s->against)
        suite_against(&s->suite, &s->earlier, a);
}

enum gate_verdict arms_worst(const struct comparisons *c)
{
    enum gate_verdict worst = GATE_OPEN;
    for (size_t i = 0; i < c->n; i++) {
        enum gate_verdict v = c->of[i].verdict;
        if (v == GATE_FAIL || worst == GATE_OPEN || (v == GATE_UNDECIDED && worst == GATE_PASS))
            worst = v == GATE_OPEN ? worst : v;
    }
    return worst;
}

enum gate_verdict arms_verdict(const struct sampling *s, const char *function, const char *arm,
                               struct text *line)
{
    struct comparisons compared = {0};
    struct against a = {0};
    enum gate_verdict v = GATE_OPEN;
    if (arm)
        suite_compare(&s->suite, &compared);
    else if (s->against)
        suite_against(&s->suite, &s->earlier, &a);
    const struct comparison *c = arm ? comparisons_find(&compared, function, arm)
                                     : comparisons_find(&a.comparisons, function, "current");
    if (c) {
        v = c->verdict;
        comparison_line(c, line);
    }
    comparisons_done(&compared);
    against_done(&a);
    return v;
}

void arms_plan(const struct sampling *s, const struct said *said, struct text *out)
{
    own_mem int64_t *runs = mem_or_die((s->suite.n + 1) * sizeof *runs);
    struct sample_plan plan;
    for (size_t i = 0; i < said->selections; i++) {
        const struct sample_case *c = suite_find(&s->suite, said->selected[i].name);
        if (c)
            runs[c - s->suite.of] = said->selected[i].runs;
    }
    sample_plan_make(&s->suite, runs, s->costs.of ? &s->costs : NULL, &plan);
    if (plan.n)
        plan_section(&plan, &s->suite.config, PLAN_WIDTH, out);
    sample_plan_done(&plan);
}
