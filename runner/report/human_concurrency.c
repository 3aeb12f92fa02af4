/* The report of the experiment over worker counts: words, each beside its interval or its test. */
#include "report/human_impl.h"
#include "report/percent.h"

#include <math.h>
#include <string.h>

enum { NAME_W = 30, TYPE_W = 10, CONDITION_W = 16, RUNS_W = 9, RATE_W = 9, RANGE_W = 15 };
enum { VALUE_AT = 22 };

/* In a column of so many; what is wider gets one blank all the same. */
static void cell(const char *words, size_t width, struct text *out)
{
    size_t used = columns_width(words);
    text_add(out, words);
    columns_pad(used < width ? width - used : 1, out);
}

static void fact(const char *name, const char *words, struct text *out)
{
    columns_pad(INDENT, out);
    cell(name, VALUE_AT - INDENT, out);
    columns_wrap(words, VALUE_AT, VALUE_AT, out);
}

static void percent_cell(double rate, size_t width, struct text *out)
{
    own_text struct text t = {0};
    percent_near(rate, &t);
    text_add(&t, " %");
    cell(text_str(&t), width, out);
}

static void p_words(double p, struct text *out)
{
    if (p >= 0)
        percent_p(p, out);
    else
        text_add(out, "–");
}

/* "+35 pp", "-4.2 pp", "0 pp". */
static void points(double pp, struct text *out)
{
    double shown = round(pp * 10) / 10;
    text_addf(out, shown > 0 ? "+%.*f pp" : "%.*f pp", shown != round(shown),
              shown == 0 ? 0.0 : shown);
}

static void name_of(const struct concurrency *k, const struct ranked *r, struct text *out)
{
    char name[48];
    const struct condition *c = &k->condition[r->condition];
    condition_name(c, name, sizeof name);
    text_addf(out, "%s (%s)", condition_type_word(c->type), name);
}

static const struct ranked *best(const struct concurrency *k)
{
    for (int again = 1; again >= 0; again--)
        for (size_t i = 0; i < k->candidates; i++) {
            const struct ranked *r = &k->candidate[i];
            const struct stage *s = again ? &r->reproduction : &r->confirmation;
            if (s->standing == STANDING_CONFIRMED)
                return r;
        }
    return NULL;
}

static const char *pattern(const struct concurrency *k, const struct ranked *r)
{
    const struct counts *n = &k->condition[0].n;
    if (r && k->condition[r->condition].type == CONDITION_TIMING)
        return "Staggered Starts";
    if (r)
        return "Parallel Execution";
    if (n->failed && n->failed == counts_judged(n))
        return "Fails Under Every Condition";
    return n->failed ? "Independent of the Number of Workers" : "None";
}

static void result(const struct concurrency *k, const struct style *s, struct text *out)
{
    const struct ranked *r = best(k);
    const struct counts *n = &k->condition[0].n;
    const char *status = k->flaky ? "FLAKY" : "STABLE";
    bool broken = n->failed && n->failed == counts_judged(n);
    if (!k->flaky && k->unfinished)
        status = "OPEN (the budget ended first)";
    human_title("RESULT", s, out);
    fact("Status", broken ? "FAILS EVERY TIME" : status, out);
    fact("Observed pattern", pattern(k, r), out);
    if (!r)
        return;
    char name[48];
    const struct condition *c = &k->condition[r->condition];
    condition_name(c, name, sizeof name);
    fact("Strongest signal", c->type == CONDITION_TIMING ? "Timing" : "Worker Count", out);
    fact("Condition", name, out);
    fact("Reproduction", reproduction_word(&r->reproduction), out);
}

static void counted(const char *title, const struct counts *n, const struct style *s,
                    struct text *out)
{
    own_text struct text line = {0}, rate = {0};
    human_title(title, s, out);
    text_addf(&line, "%u: %u passed, %u failed, %u unknown", counts_total(n), n->passed, n->failed,
              n->unknown);
    fact("Runs", text_str(&line), out);
    if (counts_judged(n) == 0)
        return;
    percent_near(counts_rate(n), &rate);
    text_addf(&rate, " %%: %s", rate_word(100 * counts_rate(n)));
    fact("Failure rate", text_str(&rate), out);
}

static void effect(const struct concurrency *k, const struct style *s, struct text *out)
{
    const struct ranked *r = k->candidates ? &k->candidate[0] : NULL;
    if (best(k))
        r = best(k);
    if (!r) {
        human_title("CANDIDATE", s, out);
        human_paragraph("none", out);
        human_title("EFFECT", s, out);
        human_paragraph("none", out);
        return;
    }
    const struct condition *c = &k->condition[r->condition];
    own_text struct text name = {0}, line = {0};
    name_of(k, r, &name);
    counted("CANDIDATE", &c->n, s, out);
    fact("Condition", text_str(&name), out);
    human_title("EFFECT", s, out);
    points(c->delta_pp, &line);
    text_add(&line, ", 95 % interval ");
    points(c->low_pp, &line);
    text_add(&line, " to ");
    points(c->high_pp, &line);
    fact("Failure delta", text_str(&line), out);
    fact("Direction", c->delta_pp > 0 ? "Increased" : "Decreased", out);
}

static void investigation(const struct concurrency *k, const struct style *s, struct text *out)
{
    human_title("INVESTIGATION", s, out);
    columns_pad(INDENT, out);
    cell("Type", TYPE_W, out);
    cell("Condition", CONDITION_W, out);
    cell("Failed", RUNS_W, out);
    cell("Rate", RATE_W, out);
    cell("95 % interval", RANGE_W, out);
    text_add(out, "p\n");
    for (size_t i = 0; i < k->conditions; i++) {
        const struct condition *c = &k->condition[i];
        own_text struct text runs = {0}, range = {0};
        char name[48];
        condition_name(c, name, sizeof name);
        columns_pad(INDENT, out);
        cell(condition_type_word(c->type), TYPE_W, out);
        cell(name, CONDITION_W, out);
        text_addf(&runs, "%u/%u", c->n.failed, counts_judged(&c->n));
        cell(text_str(&runs), RUNS_W, out);
        percent_cell(counts_rate(&c->n), RATE_W, out);
        percent_interval(c->rate_low, c->rate_high, &range);
        cell(text_str(&range), RANGE_W, out);
        p_words(c->p_adjusted, out);
        text_addc(out, '\n');
    }
    own_text struct text words = {0};
    text_add(&words, "p: the chance of such a difference if the condition did nothing (Fisher, "
                     "one-sided, Holm-adjusted); timing is compared with as many workers started "
                     "at once, the rest with one worker.");
    if (k->trend_p >= 0) {
        text_add(&words, " Rate growing with the number of workers (Cochran-Armitage, exact): p ");
        percent_p(k->trend_p, &words);
        text_addc(&words, '.');
    }
    human_paragraph(text_str(&words), out);
}

static void ranking(const struct concurrency *k, const struct style *s, struct text *out)
{
    human_title("CANDIDATE RANKING", s, out);
    if (k->candidates == 0) {
        human_paragraph("none: no condition failed more often than what it is compared with", out);
        return;
    }
    columns_pad(INDENT, out);
    cell("Candidate", NAME_W, out);
    cell("Rate", RATE_W, out);
    cell("Signal", RATE_W + 2, out);
    text_add(out, "p\n");
    for (size_t i = 0; i < k->candidates; i++) {
        const struct condition *c = &k->condition[k->candidate[i].condition];
        own_text struct text name = {0};
        text_addf(&name, "#%zu ", i + 1);
        name_of(k, &k->candidate[i], &name);
        columns_pad(INDENT, out);
        cell(text_str(&name), NAME_W, out);
        percent_cell(counts_rate(&c->n), RATE_W, out);
        cell(signal_word(c->signal), RATE_W + 2, out);
        p_words(c->p_adjusted, out);
        text_addc(out, '\n');
    }
}

static void stage(const struct concurrency *k, bool again, const struct style *s, struct text *out)
{
    human_title(again ? "REPRODUCTION" : "CONFIRMATION", s, out);
    if (k->candidates == 0) {
        human_paragraph("none: there is no candidate", out);
        return;
    }
    columns_pad(INDENT, out);
    cell("Candidate", NAME_W - 5, out);
    cell(again ? "Result" : "Classification", 21, out);
    cell("Consistency", 13, out);
    text_add(out, "p\n");
    for (size_t i = 0; i < k->candidates; i++) {
        const struct ranked *r = &k->candidate[i];
        const struct stage *st = again ? &r->reproduction : &r->confirmation;
        own_text struct text name = {0}, share = {0};
        text_addf(&name, "#%zu ", i + 1);
        name_of(k, r, &name);
        columns_pad(INDENT, out);
        cell(text_str(&name), NAME_W - 5, out);
        cell(again ? reproduction_word(st) : confirmation_word(st->standing), 21, out);
        if (st->ran)
            text_addf(&share, "%.1f %%", st->consistency);
        cell(st->ran ? text_str(&share) : "–", 13, out);
        p_words(st->ran ? st->p_adjusted : -1, out);
        text_addc(out, '\n');
    }
}

/* Some candidates got no new runs. */
static void not_run(const struct concurrency *k, struct text *out)
{
    for (size_t i = 0; i < k->candidates; i++)
        if (!k->candidate[i].confirmation.ran) {
            human_paragraph("NOT RUN: the difference is no larger than chance makes every fourth "
                            "time, or the budget had no room for it.",
                            out);
            return;
        }
}

static void bullet(const char *words, struct text *out)
{
    columns_pad(INDENT, out);
    text_add(out, "· ");
    columns_wrap(words, INDENT + 2, INDENT + 2, out);
}

/* "8 workers at once failed 21 of 72 runs, one worker 0 of 72, in new runs made for it." */
static void again_in_words(const struct concurrency *k, const struct ranked *r, struct text *out)
{
    const struct condition *c = &k->condition[r->condition];
    const struct stage *st = &r->confirmation;
    char name[48];
    condition_name(c, name, sizeof name);
    if (c->type == CONDITION_TIMING)
        text_addf(out, "%u workers started %s apart", c->workers, name);
    else
        text_addf(out, "%s at once", name);
    text_addf(out, " failed %u of %u runs, ", st->n.failed, counts_judged(&st->n));
    if (c->type == CONDITION_TIMING)
        text_addf(out, "the same started together");
    else
        text_addf(out, "one worker");
    text_addf(out, " %u of %u, in new runs made for it.", st->reference.failed,
              counts_judged(&st->reference));
}

static const char *nothing_in_words(const struct concurrency *k)
{
    if (k->candidates && k->unfinished)
        return "The budget ended before new runs could tell whether what stands out holds.";
    if (k->candidates)
        return "What stood out at first did not hold in new runs, or not beyond what chance does: "
               "no condition is confirmed.";
    return k->unfinished ? "No condition raised the failure rate as far as it was tried."
                         : "No condition raised the failure rate.";
}

static void interpretation(const struct concurrency *k, const struct style *s, struct text *out)
{
    const struct ranked *r = best(k);
    const struct counts *n = &k->condition[0].n;
    own_text struct text words = {0};
    human_title("INTERPRETATION", s, out);
    if (n->failed == 0)
        text_addf(&words, "Alone, one process after the other, it passed all %u runs.",
                  counts_judged(n));
    else
        text_addf(&words, "Alone, one process after the other, it failed %u of %u runs.", n->failed,
                  counts_judged(n));
    bullet(text_str(&words), out);
    text_clear(&words);
    if (!r) {
        bullet(nothing_in_words(k), out);
        return;
    }
    again_in_words(k, r, &words);
    bullet(text_str(&words), out);
    bullet(r->reproduction.standing == STANDING_CONFIRMED
               ? "It did so once more in the reproduction."
               : "The reproduction did not show it once more.",
           out);
    bullet("Copies share files, names and ports, and the machine as well: a test that fails when "
           "it is slow looks the same here. A diagnosis without --profile tells them apart.",
           out);
}

void human_concurrency(const struct finding *f, const struct style *s, struct text *out)
{
    const struct concurrency *k = f->concurrency;
    result(k, s, out);
    counted("BASELINE", &k->condition[0].n, s, out);
    effect(k, s, out);
    investigation(k, s, out);
    ranking(k, s, out);
    stage(k, false, s, out);
    not_run(k, out);
    stage(k, true, s, out);
    interpretation(k, s, out);
}
