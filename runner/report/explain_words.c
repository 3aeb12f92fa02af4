#include "report/explain_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "report/columns.h"
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
    points_grouped(n, &t);
    return took(&t);
}

struct told told_rate(double rate, double bar, int least)
{
    struct told ret;
    snprintf(ret.at, sizeof ret.at, "%.*f%%", points_decimals(rate, bar, least), rate * 100);
    return ret;
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
    points_p(p, &t);
    return took(&t);
}

/* Three digits, in the unit that leaves one to three of them before the point. */
struct told told_seconds(double s)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
    struct told ret;
    size_t u = 0;
    while (u < 3 && s < units[u].unit * 0.9995)
        u++;
    double x = s / units[u].unit;
    snprintf(ret.at, sizeof ret.at, "%.*f%s", x < 9.995 ? 2 : x < 99.95 ? 1 : 0, x, units[u].name);
    return ret;
}

struct told told_limit(double s)
{
    struct told ret;
    snprintf(ret.at, sizeof ret.at, "%.6gs", s);
    return ret;
}

struct told told_between(struct interval i, double bar, int least)
{
    int low = points_decimals(i.low, bar, least), high = points_decimals(i.high, bar, least);
    int decimals = low > high ? low : high;
    struct told ret;
    snprintf(ret.at, sizeof ret.at, "between %.*f%% and %.*f%%", decimals, i.low * 100, decimals,
             i.high * 100);
    return ret;
}

void tell_undecided(const struct sample_config *config, struct text *out)
{
    if (config->undecided_passes)
        tell(out, "The session may pass with it, because of --prob-undecided=pass.");
    else
        tell(out, "What is undecided fails the session, unless --prob-undecided=pass is given.");
}

void tell_few_inputs(size_t inputs, const struct sample_config *config, struct text *out)
{
    if (inputs >= FEW_FOR_BOOTSTRAP)
        return;
    if (fabs(config->confidence - .95) < 1e-9)
        tell(out,
             "From fewer than %d inputs such an interval holds less often than it says, about "
             "90%% of the time.",
             FEW_FOR_BOOTSTRAP);
    else
        tell(out, "From fewer than %d inputs such an interval holds less often than it says.",
             FEW_FOR_BOOTSTRAP);
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
