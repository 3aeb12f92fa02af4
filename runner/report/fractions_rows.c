#include "report/fractions_impl.h"

#include <math.h>
#include <string.h>

#define DIAGNOSED_MOST 3

enum { NAME, FRACTION, LOW, HIGH, CLOSE, COST, TAIL, COLUMNS_ALL };
static const struct column columns[COLUMNS_ALL] = {
    [NAME] = {"  ", false}, [FRACTION] = {"  ", true}, [LOW] = {"  [", true}, [HIGH] = {", ", true},
    [CLOSE] = {"", false},  [COST] = {"  ", true},     [TAIL] = {"  ", false},
};

static enum paint paint_of(enum case_status s)
{
    if (s == CASE_PASS)
        return PAINT_GREEN;
    return s == CASE_FAIL || s == CASE_ERROR ? PAINT_RED : PAINT_YELLOW;
}

/* The seven ways to mix passes, failures and errors; errors that a gate does not count are told
 * apart, whatever they are mixed with. */
static void status_words(const struct sample_case *c, bool excluded, struct text *out)
{
    enum case_status s = case_status(c);
    long long errors = (long long)c->error;
    if (s == CASE_FLAKY)
        text_add(out, "FLAKY");
    else if (s == CASE_FAIL)
        text_add(out, "FAIL");
    else if (s == CASE_ERROR)
        text_add(out, "ERROR");
    else if (s == CASE_ERRORED && !excluded)
        text_addf(out, "%lld ERRORED", errors);
    if (errors > 0 && excluded)
        text_addf(out, "%s(%lld errored, excluded)", out->len ? " " : "", errors);
    else if (errors > 0 && (s == CASE_FLAKY || s == CASE_FAIL))
        text_addf(out, " (%lld errored)", errors);
}

static void tail_words(const struct sample_case *c, const struct sample_config *config,
                       struct text *out)
{
    own_text struct text decided = {0};
    status_words(c, config->errors_excluded && c->rule.bar != BAR_NONE, out);
    decided_words(c, &decided);
    if (decided.len)
        text_add(out, decided.at + (out->len ? 0 : 2)); /* the two blanks set it apart */
}

static void add_row(struct table *t, const struct sample_case *c,
                    const struct sample_config *config)
{
    own_text struct text cost = {0}, tail = {0};
    bool sequential = rule_sequential(&c->rule, config);
    table_row(t, (int)paint_of(case_status(c)));
    table_cell(t, NAME, c->name);
    table_cellf(t, FRACTION, "%lld/%lld", (long long)c->pass, (long long)case_total(c));
    if (config->intervals && case_total(c) > 1) { /* one run has no interval worth a look */
        struct shown_interval i = case_interval(c, config);
        struct ends e = {i.ends.low, i.ends.high, 0, NAN, false};
        ends_cells(t, LOW, &e, sequential ? "] seq" : "]");
    }
    if (c->costs) {
        money_words(c->cost, &cost);
        table_cell(t, COST, text_str(&cost));
    }
    tail_words(c, config, &tail);
    table_cell(t, TAIL, text_str(&tail));
}

bool fractions_flaky(const struct sample_case *c, const struct sample_config *config)
{
    struct rate_judged r;
    enum case_status s = case_total(c) ? case_status(c) : CASE_PASS;
    /* Ordinary tests fail by whatever is raised, not by AssertionError alone. */
    if (s != CASE_FLAKY && !(s == CASE_ERRORED && config->tests))
        return false;
    case_judge_rate(c, config, &r);
    return r.verdict != GATE_PASS;
}

static void diagnose_lines(const struct fractions *f, struct text *out)
{
    size_t found = 0;
    for (size_t i = 0; i < f->suite->n; i++) {
        const struct sample_case *c = &f->suite->of[i];
        if (!fractions_flaky(c, &f->suite->config) || ++found > DIAGNOSED_MOST)
            continue;
        text_add(out, found == 1 ? "\n  Diagnose: flaky-repro " : "            flaky-repro ");
        typed_words(c->nodeid, f->suite, out);
        text_addc(out, '\n');
    }
    if (found > DIAGNOSED_MOST)
        text_addf(out, "            and so on for %zu more\n", found - DIAGNOSED_MOST);
}

void fractions_rows(const struct fractions *f, const struct style *s, struct text *out)
{
    own_table struct table t = {.column = columns, .columns = COLUMNS_ALL};
    for (size_t i = 0; i < f->suite->n; i++)
        if (case_total(&f->suite->of[i]) > 0)
            add_row(&t, &f->suite->of[i], &f->suite->config);
    if (t.rows == 0)
        return;
    table_print(&t, s, out);
    fractions_means(f, s, out);
    fractions_totals(f, s, out);
    diagnose_lines(f, out);
}
