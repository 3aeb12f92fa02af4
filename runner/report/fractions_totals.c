#include "report/fractions_impl.h"

#include <math.h>

struct totals {
    int64_t passes, errors, runs, cut, stopped;
    double cost, avoided;
    bool costs, avoids;
    struct usages usages;
};

static void add_up(const struct suite *s, struct totals *ret)
{
    *ret = (struct totals){0};
    for (size_t i = 0; i < s->n; i++) {
        const struct sample_case *c = &s->of[i];
        int64_t runs = case_total(c);
        ret->passes += c->pass;
        ret->errors += c->error;
        ret->runs += runs;
        ret->cut += c->cut;
        ret->stopped += case_cut(c);
        ret->cost += c->cost;
        ret->costs = ret->costs || c->costs;
        if (case_cut(c) && c->costs && runs > 0) {
            ret->avoided += c->cost / (double)runs * (double)c->cut;
            ret->avoids = true;
        }
        for (size_t u = 0; u < c->usages.n; u++) {
            const struct usage *m = &c->usages.of[u];
            usages_add(&ret->usages, m->model, m->input, m->output, m->cached, m->cost);
        }
    }
}

static void overall_line(const struct totals *t, const struct style *s, struct text *out)
{
    own_text struct text w = {0};
    text_addf(&w, "  Overall: %lld/%lld passed (", (long long)t->passes, (long long)t->runs);
    rate_words((double)t->passes / (double)t->runs, &w);
    text_addc(&w, ')');
    if (t->errors > 0)
        text_addf(&w, ", %lld errored", (long long)t->errors);
    text_addc(out, '\n');
    paint(s, PAINT_BOLD, text_str(&w), out);
    text_addc(out, '\n');
}

static void gates_line(const struct suite *suite, const struct style *s, struct text *out)
{
    own_text struct text w = {0};
    struct verdicts v = suite_verdicts(suite);
    bool bad = v.fail > 0 || (v.undecided > 0 && !suite->config.undecided_passes);
    const struct {
        int64_t n;
        const char *word;
    } parts[] = {{v.pass, "passed"},
                 {v.fail, "failed"},
                 {v.undecided, suite->config.undecided_passes ? "undecided (allowed)"
                                                              : "undecided"}};
    text_add(&w, "  Gates:   ");
    size_t head = w.len;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].n > 0)
            text_addf(&w, "%s%lld %s", w.len > head ? ", " : "", (long long)parts[i].n,
                      parts[i].word);
    if (w.len == head)
        return;
    paint(s, bad ? PAINT_RED : PAINT_GREEN, text_str(&w), out);
    text_addc(out, '\n');
}

static void stopped_line(const struct totals *t, struct text *out)
{
    int64_t planned = t->runs + t->cut;
    if (t->stopped == 0)
        return;
    text_addf(out, "  Stopped: %lld case%s early, saving %lld of %lld runs (",
              (long long)t->stopped, t->stopped == 1 ? "" : "s", (long long)t->cut,
              (long long)planned);
    rate_words((double)t->cut / (double)planned, out);
    text_addc(out, ')');
    if (t->avoids) {
        text_add(out, " and about ");
        money_words(t->avoided, out);
    }
    text_addc(out, '\n');
}

static void tokens_lines(const struct usages *u, const struct style *s, struct text *out)
{
    static const struct column columns[] = {{"  ", false}, {"  ", false}, {"  ", false},
                                            {"  ", true}};
    own_table struct table t = {.column = columns, .columns = 4};
    for (size_t i = 0; i < u->n; i++) {
        own_text struct text tokens = {0}, cost = {0};
        table_row(&t, PAINT_NONE);
        table_cell(&t, 0, i == 0 ? "Tokens:" : "");
        table_cell(&t, 1, u->of[i].model);
        count_words(u->of[i].input, &tokens);
        text_add(&tokens, " in / ");
        count_words(u->of[i].output, &tokens);
        text_add(&tokens, " out");
        if (u->of[i].cached > 0) {
            text_add(&tokens, " / ");
            count_words(u->of[i].cached, &tokens);
            text_add(&tokens, " cached");
        }
        table_cell(&t, 2, text_str(&tokens));
        if (u->of[i].cost > 0)
            money_words(u->of[i].cost, &cost);
        table_cell(&t, 3, text_str(&cost));
    }
    table_print(&t, s, out);
}

void fractions_totals(const struct fractions *f, const struct style *s, struct text *out)
{
    struct totals t;
    add_up(f->suite, &t);
    overall_line(&t, s, out);
    gates_line(f->suite, s, out);
    stopped_line(&t, out);
    if (t.costs) {
        text_add(out, "  Cost:    ");
        money_words(t.cost, out);
        text_addc(out, '\n');
    }
    tokens_lines(&t.usages, s, out);
    if (f->json)
        text_addf(out, "  Report:  %s\n", f->json);
    usages_done(&t.usages);
}
