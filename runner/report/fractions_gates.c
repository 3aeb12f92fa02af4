#include "report/fractions_impl.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Rates and counts. */
enum { NAME, FRACTION, LOW, HIGH, CLOSE, BAR, TAIL, RATE_COLUMNS };
#define RATE_ROW(first)                                                                            \
    [NAME] = {first, false}, [FRACTION] = {"  ", true}, [LOW] = {"  [", true},                     \
    [HIGH] = {", ", true}, [CLOSE] = {"", false}, [BAR] = {"  ", false}, [TAIL] = {"  ", false}
static const struct column rate_columns[RATE_COLUMNS] = {RATE_ROW("  ")};
static const struct column rate_line[RATE_COLUMNS] = {RATE_ROW("")};

/* Latencies. */
enum { OF, RUNS, UNIT, QUANTILE, MIDDLE, FROM, TO, SHUT, LIMIT, VERDICT, LATENCY_COLUMNS };
#define LATENCY_ROW(first)                                                                         \
    [OF] = {first, false}, [RUNS] = {"  ", true}, [UNIT] = {" ", false},                           \
    [QUANTILE] = {"  ", false}, [MIDDLE] = {"  ", true}, [FROM] = {"  [", true},                   \
    [TO] = {", ", true}, [SHUT] = {"", false}, [LIMIT] = {"  ", false}, [VERDICT] = {"  ", false}
static const struct column latency_columns[LATENCY_COLUMNS] = {LATENCY_ROW("  ")};
static const struct column latency_line[LATENCY_COLUMNS] = {LATENCY_ROW("")};

static int paint_of(enum gate_verdict v)
{
    switch (v) {
    case GATE_PASS:
        return PAINT_GREEN;
    case GATE_FAIL:
        return PAINT_RED;
    case GATE_UNDECIDED:
        return PAINT_YELLOW;
    case GATE_OPEN:
        break;
    }
    return PAINT_NONE;
}

static void verdict_upper(enum gate_verdict v, struct text *out)
{
    for (const char *s = verdict_word(v); *s; s++)
        text_addc(out, (char)toupper((unsigned char)*s));
}

static void rate_row(struct table *t, const struct sample_case *c, const struct rate_judged *r,
                     const struct sample_config *config)
{
    own_text struct text tail = {0};
    bool rate = c->rule.bar == BAR_RATE;
    table_row(t, paint_of(r->verdict));
    table_cell(t, NAME, c->name);
    table_cellf(t, FRACTION, "%lld/%lld", (long long)r->passes, (long long)r->total);
    if (r->total > 0) {
        struct ends e = {r->shown.ends.low, r->shown.ends.high, 0, rate ? c->rule.min_rate : NAN,
                         false};
        ends_cells(t, LOW, &e, rule_sequential(&c->rule, config) ? "] seq" : "]");
    }
    if (rate)
        table_cellf(t, BAR, "≥%g%%", c->rule.min_rate * 100);
    else
        table_cellf(t, BAR, "≥%lld passes", (long long)c->rule.min_passes);
    verdict_upper(r->verdict, &tail);
    if (r->excluded > 0)
        text_addf(&tail, "  (%lld errored, excluded)", (long long)r->excluded);
    decided_words(c, &tail);
    table_cell(t, TAIL, text_str(&tail));
}

static void latency_row(struct table *t, const struct sample_case *c,
                        const struct latency_judged *l)
{
    own_text struct text middle = {0}, tail = {0};
    struct ends e = {l->low, l->high, 0, NAN, true};
    table_row(t, paint_of(l->verdict));
    table_cell(t, OF, c->name);
    table_cellf(t, RUNS, "%lld", (long long)l->total);
    table_cell(t, UNIT, l->total == 1 ? "run" : "runs");
    table_cellf(t, QUANTILE, "p%g", c->rule.latency_quantile * 100);
    if (l->total > 0) {
        seconds_words(l->estimate, &middle);
        table_cell(t, MIDDLE, text_str(&middle));
        ends_cells(t, FROM, &e, "]");
    }
    if (!isnan(c->rule.max_latency)) {
        table_cellf(t, LIMIT, "≤%gs", c->rule.max_latency);
        verdict_upper(l->verdict, &tail);
    }
    if (l->excluded > 0)
        text_addf(&tail, "%s(%lld errored, excluded)", tail.len ? "  " : "",
                  (long long)l->excluded);
    table_cell(t, VERDICT, text_str(&tail));
}

void fractions_latency(const struct fractions *f, const struct style *s, struct text *out)
{
    own_table struct table t = {.column = latency_columns, .columns = LATENCY_COLUMNS};
    if (!f->suite->config.latency)
        return;
    for (size_t i = 0; i < f->suite->n; i++) {
        struct latency_judged l;
        if (case_total(&f->suite->of[i]) == 0)
            continue;
        case_judge_latency(&f->suite->of[i], &f->suite->config, &l);
        latency_row(&t, &f->suite->of[i], &l);
    }
    table_print(&t, s, out);
}

void fractions_gates(const struct fractions *f, const struct style *s, struct text *out)
{
    own_table struct table rates = {.column = rate_columns, .columns = RATE_COLUMNS};
    own_table struct table latencies = {.column = latency_columns, .columns = LATENCY_COLUMNS};
    for (size_t i = 0; i < f->suite->n; i++) {
        const struct sample_case *c = &f->suite->of[i];
        struct rate_judged r;
        struct latency_judged l;
        if (case_total(c) == 0)
            continue;
        case_judge_rate(c, &f->suite->config, &r);
        if (r.verdict == GATE_FAIL || r.verdict == GATE_UNDECIDED)
            rate_row(&rates, c, &r, &f->suite->config);
        if (isnan(c->rule.max_latency))
            continue;
        case_judge_latency(c, &f->suite->config, &l);
        if (l.verdict != GATE_PASS)
            latency_row(&latencies, c, &l);
    }
    rates.least = table_first(&latencies);
    latencies.least = table_first(&rates);
    table_print(&rates, s, out);
    table_print(&latencies, s, out);
}

static void add_line(const struct table *t, struct text *out)
{
    static const struct style plain = {0};
    if (t->rows == 0)
        return;
    if (out->len)
        text_addc(out, '\n');
    table_print(t, &plain, out);
    text_cut(out, out->len - 1);
}

void fractions_verdict(const struct sample_case *c, const struct sample_config *config,
                       struct text *out)
{
    own_table struct table rate = {.column = rate_line, .columns = RATE_COLUMNS};
    own_table struct table latency = {.column = latency_line, .columns = LATENCY_COLUMNS};
    struct rate_judged r;
    struct latency_judged l;
    case_judge_rate(c, config, &r);
    case_judge_latency(c, config, &l);
    if (r.verdict != GATE_OPEN)
        rate_row(&rate, c, &r, config);
    if (l.verdict != GATE_OPEN)
        latency_row(&latency, c, &l);
    bool late = rate.rows > 0 && r.verdict == GATE_PASS && l.verdict != GATE_PASS;
    add_line(late ? &latency : &rate, out);
    add_line(late ? &rate : &latency, out);
}
