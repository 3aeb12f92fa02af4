/* What the plugin is told of the cases of a file: how often to run each, when to stop, what is
 * wrong with its mark, which gates cannot pass. */
#include "cli/session_sample.h"

#include "base/own.h"
#include "cli/session.h"
#include "report/json_out.h"
#include "sample/stop.h"
#include "sample/verdict.h"

#include <math.h>
#include <string.h>

/* A gate that takes more runs than its cases have, told once for all cases of a function alike. */
struct unfit {
    struct text gate;
    char *function, *name; /* name: of the first case */
    int64_t least, runs;
    size_t cases;
};
struct unfits {
    struct unfit *of;
    size_t n;
};

static void unfits_done(struct unfits *u)
{
    for (size_t i = 0; i < u->n; i++) {
        text_done(&u->of[i].gate);
        free(u->of[i].function);
        free(u->of[i].name);
    }
    free(u->of);
}
#define own_unfits __attribute__((cleanup(unfits_done)))

static void note_unfit(struct unfits *u, const struct sample_case *c, const char *gate,
                       int64_t least)
{
    if (least <= c->rule.runs)
        return;
    for (size_t i = u->n; i-- > 0;) {
        struct unfit *x = &u->of[i];
        if (strcmp(x->function, c->function) == 0 && strcmp(text_str(&x->gate), gate) == 0 &&
            x->runs == c->rule.runs) {
            x->cases++;
            return;
        }
        if (u->n - i > 8)
            break; /* alike ones stand close together */
    }
    u->of = mem_grow_or_die(u->of, (u->n + 1) * sizeof *u->of);
    u->of[u->n] = (struct unfit){.function = str_or_die(c->function),
                                 .name = str_or_die(c->name),
                                 .least = least,
                                 .runs = c->rule.runs,
                                 .cases = 1};
    text_add(&u->of[u->n++].gate, gate);
}

static void check_gates(struct unfits *u, const struct sample_case *c,
                        const struct sample_config *config)
{
    const struct rule *r = &c->rule;
    own_text struct text rate = {0}, latency = {0};
    if (r->bar == BAR_COUNT)
        text_addf(&rate, "min_passes=%lld", (long long)r->min_passes);
    if (r->bar == BAR_RATE)
        text_addf(&rate, "min_rate=%g at %g%%", r->min_rate, r->confidence * 100);
    if (rule_sequential(r, config))
        text_add(&rate, " (sequential)");
    else if (r->bar == BAR_RATE && r->method != METHOD_EXACT)
        text_addf(&rate, " (%s)", method_name(r->method));
    if (r->bar != BAR_NONE)
        note_unfit(u, c, text_str(&rate), stop_least_runs(r, config));
    if (isnan(r->max_latency))
        return;
    text_addf(&latency, "max_latency=%g (p%g) at %g%%", r->max_latency, r->latency_quantile * 100,
              r->confidence * 100);
    note_unfit(u, c, text_str(&latency), stop_least_runs_latency(r));
}

static void put_warnings(struct json_out *j, const struct unfits *u)
{
    json_open(j, "warnings", '[');
    for (size_t i = 0; i < u->n; i++) {
        const struct unfit *x = &u->of[i];
        own_text struct text w = {0};
        if (x->cases > 1)
            text_addf(&w, "%s (%zu cases)", x->function, x->cases);
        else
            text_add(&w, x->name);
        text_addf(&w, ": %s cannot pass with fewer than %lld runs; %s %lld", text_str(&x->gate),
                  (long long)x->least, x->cases > 1 ? "each has" : "it has", (long long)x->runs);
        json_open(j, NULL, '{');
        json_text(j, "category", "InfeasibleGateWarning");
        json_text(j, "case", x->name);
        json_text(j, "function", x->function);
        json_text(j, "text", text_str(&w));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_end(struct json_out *j, int64_t n, bool never)
{
    if (never)
        json_null(j, NULL);
    else
        json_count(j, NULL, n);
}

/* As session_sample.h has it; the arithmetic is stats/gate.h's. */
static void put_table(struct json_out *j, const struct suite *s, const struct sample_case *c)
{
    own_mem struct gate_stop *stop = stop_table(s, c);
    bool idle = false;
    json_open(j, "stop", '[');
    for (int64_t i = 0; i < c->rule.runs; i++) {
        json_open(j, NULL, '[');
        put_end(j, stop[i].pass_at, stop[i].pass_at > i + 1);
        put_end(j, i + 1 - stop[i].fail_at, stop[i].fail_at < 0);
        json_close(j, ']');
        idle = idle || stop[i].idle_to >= stop[i].idle_from;
    }
    json_close(j, ']');
    if (!idle) {
        json_null(j, "idle");
        return;
    }
    json_open(j, "idle", '[');
    for (int64_t i = 0; i < c->rule.runs; i++) {
        if (stop[i].idle_to < stop[i].idle_from) {
            json_null(j, NULL);
            continue;
        }
        json_open(j, NULL, '[');
        json_count(j, NULL, stop[i].idle_from);
        json_count(j, NULL, stop[i].idle_to);
        json_close(j, ']');
    }
    json_close(j, ']');
}

#define TABLE_MOST 10000 /* rows; who runs a case more often can ask */

static void put_stop(struct json_out *j, const struct sampling *s, const struct sample_case *c)
{
    bool may = c && s->stopping && stop_may(&s->suite, c);
    bool tabled = may && c->rule.runs <= TABLE_MOST;
    if (tabled) {
        put_table(j, &s->suite, c);
    } else {
        json_null(j, "stop");
        json_null(j, "idle");
    }
    json_flag(j, "stop_ask", may && (!tabled || s->suite.config.errors_excluded));
}

static bool has_parameter(const struct sample_case *c, const char *name)
{
    for (size_t i = 0; i < c->parameters; i++)
        if (strcmp(c->parameter[i].name, name) == 0)
            return true;
    return false;
}

/* --prob-compare is for the functions that have the argument; a mark means its own. */
static int check_axis(const struct sample_case *c, const struct sample_config *config,
                      struct compare_rule *r, struct err *e)
{
    if (!r->axis || has_parameter(c, r->axis))
        return 0;
    if (config->compare && strcmp(config->compare, r->axis) == 0) {
        compare_rule_done(r);
        return 0;
    }
    own_text struct text known = {0};
    for (size_t i = 0; i < c->parameters; i++)
        text_addf(&known, "%s%s", i ? ", " : "", c->parameter[i].name);
    err_set(e, ERR_USAGE, "compare=\"%s\" is no argument of its parametrize", r->axis);
    compare_rule_done(r);
    return err_hint(e, known.len ? "it has %s" : "it has none%s", text_str(&known));
}

/* Takes the case over. NULL: its mark is wrong. */
static struct sample_case *take(struct sampling *s, struct said_case *said, struct err *e)
{
    struct compare_rule compare = {.margin = NAN};
    struct suite *suite = &s->suite;
    if (mark_rule(said->mark, said->marks, &suite->config, &said->of.rule, e) < 0 ||
        mark_compare(said->mark, said->marks, &suite->config, &compare, e) < 0 ||
        check_axis(&said->of, &suite->config, &compare, e) < 0)
        return NULL;
    struct sample_case *c = suite_add(suite, &said->of);
    struct sample_function *f = suite_function(suite, c->function);
    compare_rule_done(&f->compare);
    f->compare = compare;
    return c;
}

static void put_case(struct json_out *j, const struct sampling *s, const struct sample_case *c)
{
    const struct sample_config *config = &s->suite.config;
    bool gated = c->rule.bar != BAR_NONE;
    json_count(j, "runs", c->rule.runs);
    json_flag(j, "gated", gated || arms_judge(s, c));
    put_stop(j, s, c);
    json_flag(j, "gate_item", config->gate_items && (gated || !isnan(c->rule.max_latency)));
    json_null(j, "error");
}

static void put_wrong(struct json_out *j, const char *name, const struct err *e)
{
    own_text struct text w = {0};
    text_addf(&w, "%s: @pytest.mark.probability: %s%s%s", name, e->what, *e->hint ? "; " : "",
              e->hint);
    json_count(j, "runs", 1);
    json_flag(j, "gated", false);
    json_null(j, "stop");
    json_null(j, "idle");
    json_flag(j, "stop_ask", false);
    json_flag(j, "gate_item", false);
    json_text(j, "error", text_str(&w));
}

void answer_cases(struct sampling *s, struct said *said, struct text *out)
{
    own_unfits struct unfits unfits = {0};
    struct json_out j = {.to = out};
    json_open(&j, NULL, '{');
    json_count(&j, "v", SESSION_VERSION);
    json_open(&j, "cases", '[');
    /* All first: whether a case may stop depends on its function. */
    own_mem struct err *wrong = mem_or_die((said->n + 1) * sizeof *wrong);
    own_mem char **name = mem_or_die((said->n + 1) * sizeof *name);
    for (size_t i = 0; i < said->n; i++) {
        name[i] = str_or_die(said->cases[i].of.name);
        take(s, &said->cases[i], &wrong[i]);
    }
    arms_check(s, name, said->n, wrong);
    for (size_t i = 0; i < said->n; i++) {
        const struct sample_case *c = wrong[i].kind ? NULL : suite_find(&s->suite, name[i]);
        json_open(&j, NULL, '{');
        if (c) {
            put_case(&j, s, c);
            check_gates(&unfits, c, &s->suite.config);
        } else {
            put_wrong(&j, name[i], &wrong[i]);
        }
        json_close(&j, '}');
    }
    json_close(&j, ']');
    put_warnings(&j, &unfits);
    arms_put(&j, s, name, said->n);
    for (size_t i = 0; i < said->n; i++)
        free(name[i]);
    json_close(&j, '}');
    text_addc(out, '\n');
}
