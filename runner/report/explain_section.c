#include "report/explain_section.h"

#include <math.h>
#include <string.h>

#include "base/own.h"
#include "report/comparisons.h"
#include "report/explain.h"
#include "report/fractions_impl.h"

static const struct style plain = {0};

/* The first line of a section that was made for one entry alone, without what indents it: headings
 * are the lines that were printed, so that a reader finds them. */
static void heading(const struct text *section, struct text *out)
{
    const char *at = text_str(section);
    at += strspn(at, "\n ");
    text_addn(out, at, strcspn(at, "\n"));
}

static void entry(const struct text *section, const struct text *words, size_t width,
                  struct text *out)
{
    own_text struct text head = {0};
    heading(section, &head);
    if (head.len)
        explain_entry(text_str(&head), text_str(words), width, out);
}

/* The session as if it had this one case. */
static struct suite alone(const struct suite *s, struct sample_case *c)
{
    struct suite one = {.config = s->config, .of = c, .n = 1};
    one.config.latency = true;
    return one;
}

static void rows(const struct fractions *f, size_t width, struct text *out)
{
    const struct suite *s = f->suite;
    const struct aggregates none = {0};
    for (size_t i = 0; i < s->n; i++) {
        if (case_total(&s->of[i]) == 0)
            continue;
        own_text struct text row = {0}, words = {0};
        struct suite one = alone(s, &s->of[i]);
        struct fractions of = {.suite = &one, .means = &none};
        fractions_rows(&of, &plain, &row);
        explain_case(&s->of[i], &s->config, &words);
        entry(&row, &words, width, out);
    }
}

static void latencies(const struct fractions *f, size_t width, struct text *out)
{
    const struct suite *s = f->suite;
    for (size_t i = 0; i < s->n; i++) {
        struct sample_case *c = &s->of[i];
        if (case_total(c) == 0 || (!s->config.latency && isnan(c->rule.max_latency)))
            continue;
        own_text struct text row = {0}, words = {0};
        struct suite one = alone(s, c);
        struct fractions of = {.suite = &one};
        fractions_latency(&of, &plain, &row);
        explain_latency(c, &s->config, &words);
        entry(&row, &words, width, out);
    }
}

/* The means that are printed: not an overall one that repeats the only function. */
static bool shown(const struct aggregates *all, const struct aggregate *a)
{
    return !(a->overall && all->n == 2);
}

static void means(const struct fractions *f, size_t width, struct text *out)
{
    for (size_t i = 0; i < f->means->n; i++) {
        struct aggregate *a = &f->means->of[i];
        if (!shown(f->means, a))
            continue;
        own_text struct text row = {0}, words = {0};
        const struct aggregates one = {.of = a, .n = 1};
        struct fractions of = {.suite = f->suite, .means = &one};
        fractions_means(&of, &plain, &row);
        explain_mean(a, &f->suite->config, &words);
        entry(&row, &words, width, out);
    }
}

static void metric(const struct fractions *f, const struct aggregate *a, size_t k, size_t width,
                   struct text *out)
{
    own_text struct text row = {0}, words = {0};
    struct suite s = {.config = f->suite->config};
    struct aggregate a_k = *a;
    const struct aggregates one = {.of = &a_k, .n = 1, .metrics = 1};
    struct fractions of = {.suite = &s, .means = &one};

    s.config.metric[0] = f->suite->config.metric[k];
    s.config.metrics = 1;
    a_k.metric = &a->metric[k];
    a_k.left_out = &a->left_out[k];
    fractions_metrics(&of, &plain, &row);
    explain_metric(a, k, &f->suite->config, &words);
    entry(&row, &words, width, out);
}

static void metrics(const struct fractions *f, size_t width, struct text *out)
{
    for (size_t i = 0; i < f->means->n; i++)
        for (size_t k = 0; k < f->suite->config.metrics; k++)
            if (shown(f->means, &f->means->of[i]))
                metric(f, &f->means->of[i], k, width, out);
}

static void comparisons(const struct comparisons *c, const struct sample_config *config,
                        size_t width, struct text *out)
{
    for (size_t i = 0; i < c->n; i++) {
        own_text struct text line = {0}, words = {0};
        comparison_line(&c->of[i], &line);
        explain_comparison(&c->of[i], c, config, &words);
        entry(&line, &words, width, out);
    }
}

static void baseline(const struct against *a, const struct sample_config *config, size_t width,
                     struct text *out)
{
    own_text struct text line = {0}, words = {0};
    baseline_headline(a, &line);
    explain_baseline(a, config, &words);
    entry(&line, &words, width, out);
    comparisons(&a->comparisons, config, width, out);
}

void explain_section(const struct fractions *f, size_t width, struct text *out)
{
    const struct sample_config *config = &f->suite->config;
    rows(f, width, out);
    means(f, width, out);
    metrics(f, width, out);
    latencies(f, width, out);
    if (f->comparisons)
        comparisons(f->comparisons, config, width, out);
    if (f->against)
        baseline(f->against, config, width, out);
    if (out->len && text_ends(text_str(out), "\n\n"))
        text_cut(out, out->len - 1);
}
