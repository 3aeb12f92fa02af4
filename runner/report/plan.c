#include "report/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "report/columns.h"
#include "report/fractions_impl.h"
#include "report/points.h"
#include "stats/catch.h"

enum { NAME, RUNS, MIN_RUNS, NEEDED, CHANCE, EXPECTED, CATCH, COST = CATCH + FLAKES_MOST, CELLS };

struct row {
    struct text cell[CELLS];
};

struct shown { /* which columns there are */
    bool gates, expected, costs;
    bool latency, both; /* a gate on latency; on a rate as well */
};

static void row_done(struct row *r)
{
    for (int k = 0; k < CELLS; k++)
        text_done(&r->cell[k]);
}

static struct shown shown_of(const struct sample_plan *p)
{
    struct shown s = {0};
    for (size_t i = 0; i < p->n; i++) {
        s.gates |= p->of[i].rate || p->of[i].latency;
        s.latency |= p->of[i].latency;
        s.both |= p->of[i].rate && p->of[i].latency;
    }
    s.expected = s.gates && p->sequential;
    s.costs = p->costs_known > 0;
    return s;
}

static void add_percent(double rate, struct text *out)
{
    points_plain(rate, out);
    text_addc(out, '%');
}

static void heading(const struct sample_config *config, const struct shown *s, struct row *r)
{
    text_add(&r->cell[NAME], "case");
    text_add(&r->cell[RUNS], "runs");
    if (s->gates) {
        text_add(&r->cell[MIN_RUNS], "min runs");
        text_add(&r->cell[NEEDED], "runs for 80%");
        text_add(&r->cell[CHANCE], "chance now");
    }
    if (s->expected)
        text_add(&r->cell[EXPECTED], "expected runs");
    for (size_t k = 0; k < config->plan_flakes; k++) {
        text_add(&r->cell[CATCH + k], "catch ");
        add_percent(config->plan_flake[k], &r->cell[CATCH + k]);
    }
    if (s->costs)
        text_add(&r->cell[COST], "cost");
}

static void add_runs(int64_t n, struct text *out)
{
    if (n == PLAN_NO_GATE)
        text_add(out, "—");
    else if (n == PLAN_NEVER)
        text_add(out, "never");
    else if (n == PLAN_BEYOND)
        text_add(out, ">10,000");
    else
        text_addf(out, "%lld", (long long)n);
}

/* What is not certain by the rates asked about is never printed as certain. */
static void add_chance(double chance, bool certain, struct text *out)
{
    if (isnan(chance))
        text_add(out, "—");
    else
        points_chance(chance >= 1 && !certain ? .999 : chance, out);
}

static void fill_gates(const struct plan_row *of, const struct sample_config *config,
                       const struct shown *s, struct row *r)
{
    const char *mark = of->rate && of->latency ? "*" : "";
    add_runs(of->min_runs, &r->cell[MIN_RUNS]);
    add_runs(of->needed, &r->cell[NEEDED]);
    add_chance(of->chance, config->plan_assume >= 1, &r->cell[CHANCE]);
    if (of->needed != PLAN_NO_GATE)
        text_add(&r->cell[NEEDED], mark);
    if (!isnan(of->chance))
        text_add(&r->cell[CHANCE], mark);
    if (s->expected && isnan(of->expected))
        text_add(&r->cell[EXPECTED], "—");
    else if (s->expected)
        text_addf(&r->cell[EXPECTED], "%.0f", of->expected);
}

static void fill(const struct plan_row *of, const struct sample_config *config,
                 const struct shown *s, struct row *r)
{
    columns_clean(of->name, &r->cell[NAME]);
    text_addf(&r->cell[RUNS], "%lld", (long long)of->runs);
    if (s->gates)
        fill_gates(of, config, s, r);
    for (size_t k = 0; k < config->plan_flakes; k++)
        add_chance(of->catches[k], config->plan_flake[k] >= 1, &r->cell[CATCH + k]);
    if (s->costs && !isnan(of->cost))
        money_words(of->cost, &r->cell[COST]);
}

static void add_row(const struct row *r, const size_t *width, struct text *out)
{
    text_add(out, "  ");
    text_add(out, text_str(&r->cell[NAME]));
    columns_pad(width[NAME] - columns_width(text_str(&r->cell[NAME])), out);
    for (int k = RUNS; k < CELLS; k++) {
        if (!width[k])
            continue;
        text_add(out, "  ");
        columns_pad(width[k] - columns_width(text_str(&r->cell[k])), out);
        text_add(out, text_str(&r->cell[k]));
    }
    while (out->at[out->len - 1] == ' ')
        text_cut(out, out->len - 1);
    text_addc(out, '\n');
}

static void add_table(const struct sample_plan *p, const struct sample_config *config,
                      const struct shown *s, struct text *out)
{
    struct row *rows = mem_or_die((p->n + 1) * sizeof *rows);
    size_t width[CELLS] = {0};

    heading(config, s, &rows[0]);
    for (size_t i = 0; i < p->n; i++)
        fill(&p->of[i], config, s, &rows[i + 1]);
    for (size_t i = 0; i <= p->n; i++)
        for (int k = 0; k < CELLS; k++) {
            size_t is = columns_width(text_str(&rows[i].cell[k]));
            width[k] = is > width[k] ? is : width[k];
        }
    for (size_t i = 0; i <= p->n; i++) {
        add_row(&rows[i], width, out);
        row_done(&rows[i]);
    }
    free(rows);
}

static void add_totals(const struct sample_plan *p, const struct sample_config *config,
                       const struct shown *s, struct text *out)
{
    text_addf(out, "\n  Plan:    %zu case%s, %lld run%s; nothing was run.\n", p->n,
              plural((int64_t)p->n), (long long)p->runs, plural(p->runs));
    if (!s->costs)
        return;
    text_add(out, "  Cost:    ");
    money_words(p->cost, out);
    text_add(out, " projected from ");
    columns_clean(config->plan_report, out);
    if (p->costs_known < p->n)
        text_addf(out, ", which has %zu of the %zu cases", p->costs_known, p->n);
    text_addc(out, '\n');
}

/* One line of what the columns mean: the name, then its words beside it. */
static void add_meaning(const char *name, const char *words, size_t at, size_t width,
                        struct text *out)
{
    size_t column = at;
    text_addf(out, "  %s", name);
    columns_pad(at - 2 - columns_width(name), out);
    for (const char *w = words; *w;) {
        size_t n = strcspn(w, " ");
        own_text struct text word = {0};
        text_addn(&word, w, n);
        size_t wide = columns_width(text_str(&word));
        if (column > at && column + 1 + wide > width) {
            text_addc(out, '\n');
            columns_pad(at, out);
            column = at;
        }
        if (column > at) {
            text_addc(out, ' ');
            column++;
        }
        text_add(out, text_str(&word));
        column += wide;
        w += n + (w[n] == ' ');
    }
    text_addc(out, '\n');
}

static const char *min_runs_means(const struct shown *s)
{
    if (!s->latency)
        return "With fewer runs the gate cannot pass, even if every run does.";
    return "With fewer runs the gate cannot pass, even if every run does; for a gate on latency, "
           "because its interval has no upper end yet. The larger of the two where a case has "
           "both.";
}

static void add_gate_meanings(const struct shown *s, const char *assumed, size_t at, size_t width,
                              struct text *out)
{
    own_text struct text t = {0};
    add_meaning("min runs", min_runs_means(s), at, width, out);
    text_addf(&t,
              "Runs with which the gate passes 4 times in 5, if the case in truth passes %s of its "
              "runs (--prob-plan-assume); never: that is not above the bar.%s",
              assumed, s->latency ? " For latency it would take a guess at the speed: —." : "");
    add_meaning("runs for 80%", text_str(&t), at, width, out);
    text_clear(&t);
    text_addf(&t,
              "How likely the gate passes with the runs of the first column, if the case in "
              "truth passes %s of them.",
              assumed);
    add_meaning("chance now", text_str(&t), at, width, out);
    if (s->expected)
        add_meaning(
            "expected runs",
            "What the case uses on average with --prob-stop=sequential, which stops it as "
            "soon as its interval is clear of the bar; runs is the most it may use, and the "
            "columns before are about that way of stopping.",
            at, width, out);
    if (s->both)
        add_meaning("*", "About the gate on the rate alone; there is one on latency too.", at,
                    width, out);
}

static void add_meanings(const struct sample_config *config, const struct shown *s, size_t width,
                         struct text *out)
{
    own_text struct text assumed = {0};
    size_t at = s->expected ? 17 : s->gates ? 16 : 4;
    add_percent(config->plan_assume, &assumed);
    for (size_t k = 0; k < config->plan_flakes; k++) {
        own_text struct text t = {0};
        text_add(&t, "  catch ");
        add_percent(config->plan_flake[k], &t);
        if (columns_width(text_str(&t)) + 2 > at)
            at = columns_width(text_str(&t)) + 2;
    }
    add_meaning("runs",
                "Planned (--prob-runs, runs= on the mark, or prob_runs), as far as selected.", at,
                width, out);
    if (s->gates)
        add_gate_meanings(s, text_str(&assumed), at, width, out);
    for (size_t k = 0; k < config->plan_flakes; k++) {
        own_text struct text name = {0}, words = {0}, rate = {0};
        int64_t needed = runs_to_catch(config->plan_flake[k], .95);
        add_percent(config->plan_flake[k], &rate);
        text_addf(&name, "catch %s", text_str(&rate));
        text_addf(&words, "How likely the planned runs show a failure, if %s of runs fail; ",
                  text_str(&rate));
        if (needed > 0)
            count_words(needed, &words);
        text_add(&words, needed > 0 ? " runs are enough for 95%." : "no number of runs does.");
        add_meaning(text_str(&name), text_str(&words), at, width, out);
    }
    if (s->costs)
        add_meaning(
            "cost",
            "The planned runs at what a run of the case cost in that report; blank where it "
            "has none.",
            at, width, out);
}

void plan_section(const struct sample_plan *p, const struct sample_config *config, size_t width,
                  struct text *out)
{
    struct shown s = shown_of(p);
    add_table(p, config, &s, out);
    add_totals(p, config, &s, out);
    text_addc(out, '\n');
    add_meanings(config, &s, width, out);
}
