#include "report/explain_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "report/columns.h"
#include "report/fractions_impl.h"
#include "report/points.h"

void tell_paragraph(struct text *out)
{
    if (out->len)
        text_addc(out, '\n');
}

void tell(struct text *out, const char *fmt, ...)
{
    va_list ap;
    if (out->len && out->at[out->len - 1] != '\n')
        text_addc(out, ' ');
    va_start(ap, fmt);
    text_addv(out, fmt, ap);
    va_end(ap);
}

static struct told took(struct text *t)
{
    struct told ret;
    text_copy(ret.at, sizeof ret.at, text_str(t));
    return ret;
}

struct told told_count(int64_t n)
{
    own_text struct text t = {0};
    count_words(n, &t);
    return took(&t);
}

struct told told_rate(double rate, double bar, int decimals)
{
    own_text struct text t = {0};
    bound_words(rate, decimals, bar, &t);
    return took(&t);
}

struct told told_points(double difference, double margin, int least)
{
    own_text struct text t = {0};
    points_add(difference, points_decimals(difference, margin, least), &t);
    return took(&t);
}

struct told told_margin(double margin)
{
    own_text struct text t = {0};
    points_plain(margin, &t);
    return took(&t);
}

struct told told_level(double level)
{
    own_text struct text t = {0};
    points_plain(level, &t);
    text_addc(&t, '%');
    return took(&t);
}

struct told told_p(double p)
{
    own_text struct text t = {0};
    if (p < .001)
        text_add(&t, "< 0.001");
    else
        points_p(p, &t);
    return took(&t);
}

struct told told_seconds(double s)
{
    own_text struct text t = {0};
    seconds_words(s, &t);
    return took(&t);
}

/* As it was asked for, but never as "1e-07s". */
struct told told_limit(double s)
{
    struct told ret;
    if (s >= .001)
        snprintf(ret.at, sizeof ret.at, "%.9gs", s);
    else if (s >= 1e-6)
        snprintf(ret.at, sizeof ret.at, "%.6gµs", s * 1e6);
    else
        snprintf(ret.at, sizeof ret.at, "%.6gns", s * 1e9);
    return ret;
}

struct told told_between(struct interval i, double bar, int decimals)
{
    own_text struct text low = {0}, high = {0}, t = {0};
    for (int more = decimals; more <= decimals + 4; more++) {
        text_clear(&low);
        text_clear(&high);
        bound_words(i.low, more, bar, &low);
        bound_words(i.high, more, bar, &high);
        if (strcmp(text_str(&low), text_str(&high)) != 0)
            break; /* two ends that print alike would look like no interval */
    }
    text_addf(&t, "between %s and %s", text_str(&low), text_str(&high));
    return took(&t);
}

void tell_undecided(const struct sample_config *config, struct text *out)
{
    if (config->undecided_passes)
        tell(out, "An undecided verdict does not fail this session (--prob-undecided=pass).");
    else
        tell(out, "An undecided verdict fails the session (--prob-undecided=pass lets it pass).");
}

void tell_few_inputs(size_t inputs, const struct sample_config *config, struct text *out)
{
    if (inputs >= AGGREGATE_FEW)
        return;
    if (fabs(config->confidence - .95) < 1e-9)
        tell(out,
             "From fewer than %d inputs such an interval holds less often than it says, about "
             "90%% of the time.",
             AGGREGATE_FEW);
    else
        tell(out, "From fewer than %d inputs such an interval holds less often than it says.",
             AGGREGATE_FEW);
}

/* One paragraph at column 4. Words wider than the line stand alone on one. */
static void wrap(const char *words, size_t len, size_t width, struct text *out)
{
    size_t column = 0;
    for (size_t at = 0; at < len;) {
        size_t n = 0;
        while (at + n < len && words[at + n] != ' ')
            n++;
        own_text struct text word = {0};
        text_addn(&word, words + at, n);
        size_t wide = columns_width(text_str(&word));
        if (column && column + 1 + wide > width) {
            text_addc(out, '\n');
            column = 0;
        }
        text_add(out, column ? " " : "    ");
        text_addn(out, words + at, n);
        column += wide + (column ? 1 : 4);
        for (at += n; at < len && words[at] == ' ';)
            at++;
    }
    text_addc(out, '\n');
}

void explain_entry(const char *heading, const char *words, size_t width, struct text *out)
{
    own_text struct text clean = {0};

    text_addf(out, "  %s\n", heading);
    columns_clean(words, &clean);
    for (const char *at = text_str(&clean); *at;) {
        size_t n = strcspn(at, "\n");
        wrap(at, n, width, out);
        at += n + (at[n] == '\n');
    }
    text_addc(out, '\n');
}
