#include "report/fractions_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DECIMALS_MOST 6

void rate_words(double rate, struct text *out)
{
    int decimals = 0;
    for (; decimals < DECIMALS_MOST; decimals++) {
        double unit = pow(10, decimals), shown = round(rate * 100 * unit);
        if ((shown > 0 || rate <= 0) && (shown < 100 * unit || rate >= 1))
            break;
    }
    text_addf(out, "%.*f%%", decimals, rate * 100);
}

void bound_words(double bound, int decimals, double bar, struct text *out)
{
    double unit = 1, shown = 0;
    for (; decimals <= DECIMALS_MOST; decimals++) {
        unit = pow(10, decimals);
        shown = round(bound * 100 * unit);
        if (shown < 1 && bound > 0)
            shown = 1;
        if (shown > 100 * unit - 1 && bound < 1)
            shown = 100 * unit - 1;
        if (!(fabs(shown - bar * 100 * unit) < 1e-6 && bound != bar))
            break;
    }
    text_addf(out, "%.*f%%", decimals, shown / unit);
}

void money_words(double amount, struct text *out)
{
    text_addf(out, "$%.4f", amount);
}

void count_words(int64_t n, struct text *out)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%lld", (long long)(n < 0 ? -n : n));
    if (n < 0)
        text_addc(out, '-');
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            text_addc(out, ',');
        text_addc(out, digits[i]);
    }
}

void seconds_words(double seconds, struct text *out)
{
    static const struct {
        double of;
        const char *name;
    } units[] = {{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}};
    size_t u = 0;
    while (u < 3 && seconds / units[u].of >= 999.5)
        u++;
    double x = seconds / units[u].of;
    int decimals = x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2;
    text_addf(out, "%.*f%s", decimals, x, units[u].name);
}

/* What follows the folder and its slash in path; NULL: path does not lie below it. */
static const char *below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    while (n > 0 && folder[n - 1] == '/')
        n--;
    if (strncmp(path, folder, n) != 0 || (path[n] && path[n] != '/'))
        return NULL;
    return path + n + (path[n] == '/');
}

void typed_words(const char *nodeid, const struct suite *s, struct text *out)
{
    own_text struct text path = {0};
    const char *under = s->cwd && s->rootdir ? below(s->cwd, s->rootdir) : "";
    const char *over = under ? NULL : below(s->rootdir, s->cwd);
    const char *rest = under && *under ? below(nodeid, under) : NULL;
    if (rest) {
        nodeid = rest;
    } else if (under) {
        for (const char *c = under; *c; c += strcspn(c, "/") + (strchr(c, '/') != NULL))
            text_add(&path, "../");
    } else {
        text_addf(&path, "%s/", over ? over : s->rootdir);
    }
    text_add(&path, nodeid);
    text_add_quoted(out, text_str(&path));
}

void inputs_words(size_t n, struct text *out)
{
    text_addf(out, "N=%zu input%s", n, n == 1 ? "" : "s");
}

void decided_words(const struct sample_case *c, struct text *out)
{
    if (case_cut(c))
        text_addf(out, "  decided after %lld/%lld", (long long)case_total(c),
                  (long long)(case_total(c) + c->cut));
}

static void end_cell(struct table *t, size_t column, double end, const struct ends *e)
{
    own_text struct text w = {0};
    if (isnan(end))
        text_add(&w, "—");
    else if (e->seconds)
        seconds_words(end, &w);
    else
        bound_words(end, e->decimals, e->bar, &w);
    table_cell(t, column, text_str(&w));
}

void ends_cells(struct table *t, size_t column, const struct ends *e, const char *close)
{
    end_cell(t, column, e->low, e);
    end_cell(t, column + 1, e->high, e);
    table_cell(t, column + 2, close);
}

/* The numbers are those of the simulation in tests/sim: 95 % BCa intervals of ten inputs. */
void cover_words(const struct mean_of *m, const struct sample_config *config, struct text *out)
{
    if (m->why != SUPPRESSED_NOT || m->inputs >= AGGREGATE_FEW)
        return;
    if (fabs(config->confidence - .95) < 1e-9)
        text_add(out, "covers about 90%");
    else
        text_addf(out, "covers less than %g%%", config->confidence * 100);
}
