#include "cli/values.h"

#include "base/own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_MOST    1000   /* what a campaign remembers */
#define TESTS_MOST   100000
#define BUDGET_MAX_S 1e6 /* eleven days: more is a slip, and it must fit nanoseconds */

static int unknown_axis(const char *word, const char *from, struct err *e)
{
    const char *near = axis_nearest(word);
    err_set(e, ERR_USAGE, "%s: no axis is called \"%s\"", from, word);
    if (near)
        return err_hint(e, "did you mean %s? `flaky-repro axes` lists them", near);
    return err_hint(e, "`flaky-repro axes` lists them");
}

static int add_axis(const char *word, const char *from, uint32_t *mask, struct err *e)
{
    bool leave_out = word[0] == '-';
    const char *name = word + leave_out;
    uint32_t bits = AXES_ALL;
    if (leave_out || strcmp(name, "all") != 0) {
        int a = axis_by_word(name);
        if (a < 0)
            return unknown_axis(name, from, e);
        bits = axis_bit((enum fd_axis)a);
    }
    *mask = leave_out ? *mask & ~bits : *mask | bits;
    return 0;
}

int value_axes(const char *list, const char *from, uint32_t *ret_axes, struct err *e)
{
    uint32_t mask = list[0] == '-' ? AXES_ALL : 0; /* a list that only leaves out starts from all */
    own_mem char *copy = str_or_die(list);
    char *rest = copy;
    for (char *word = strsep(&rest, ","); word; word = strsep(&rest, ",")) {
        if (!*word)
            return err_set(e, ERR_USAGE, "%s: there is an empty word in \"%s\"", from, list);
        if (add_axis(word, from, &mask, e) < 0)
            return -1;
    }
    if (mask == 0)
        return err_set(e, ERR_USAGE, "%s: \"%s\" leaves no axis to search", from, list);
    *ret_axes = mask;
    return 0;
}

int value_budget(const char *text, const char *from, int64_t *ret_ns, struct err *e)
{
    char *end = NULL;
    /* strtod alone would take "inf", "nan", hexadecimal and leading blanks. */
    bool plain = *text && text[strspn(text, "0123456789.")] == 0;
    double s = plain ? strtod(text, &end) : 0;
    if (!plain || *end) {
        err_set(e, ERR_USAGE, "%s: \"%s\" is not a number of seconds", from, text);
        return err_hint(e, "write seconds without a unit, such as 60 or 2.5");
    }
    if (s > BUDGET_MAX_S)
        return err_set(e, ERR_USAGE, "%s: %s seconds are more than the %.0f allowed", from, text,
                       BUDGET_MAX_S);
    *ret_ns = (int64_t)(s * (double)NS_PER_S);
    return 0;
}

int value_seed(const char *text, const char *from, uint64_t *ret_seed, struct err *e)
{
    bool digits = *text && text[strspn(text, "0123456789")] == 0;
    errno = 0;
    unsigned long long n = digits ? strtoull(text, NULL, 10) : 0;
    if (!digits || errno == ERANGE)
        return err_set(e, ERR_USAGE, "%s: \"%s\" is not a whole number from 0 to 2^64 - 1", from,
                       text);
    *ret_seed = n;
    return 0;
}

static int whole(const char *text, const char *from, unsigned most, unsigned *ret, struct err *e)
{
    bool digits = *text && text[strspn(text, "0123456789")] == 0 && strlen(text) < 9;
    unsigned long n = digits ? strtoul(text, NULL, 10) : 0;
    if (n < 1 || n > most)
        return err_set(e, ERR_USAGE, "%s: \"%s\" is not a whole number from 1 to %u", from, text,
                       most);
    *ret = (unsigned)n;
    return 0;
}

int value_runs(const char *text, const char *from, unsigned *ret_runs, struct err *e)
{
    return whole(text, from, RUNS_MOST, ret_runs, e);
}

int value_tests(const char *text, const char *from, unsigned *ret_tests, struct err *e)
{
    return whole(text, from, TESTS_MOST, ret_tests, e);
}

static int choice(const char *text, const char *from, const char *const *words, struct err *e)
{
    own_text struct text all = {0};
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0)
            return i;
        text_addf(&all, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
    }
    return err_set(e, ERR_USAGE, "%s: \"%s\" is not %s", from, text, text_str(&all));
}

int value_profile(const char *text, const char *from, bool *ret_concurrency, struct err *e)
{
    static const char *const words[] = {"full", "concurrency", NULL};
    int i = choice(text, from, words, e);
    if (i < 0)
        return -1;
    *ret_concurrency = i == 1;
    return 0;
}

int value_format(const char *text, const char *from, enum format *ret_format, struct err *e)
{
    static const char *const words[] = {[FORMAT_HUMAN] = "human",
                                        [FORMAT_JSON] = "json",
                                        [FORMAT_MARKDOWN] = "markdown",
                                        NULL};
    int i = choice(text, from, words, e);
    if (i < 0)
        return -1;
    *ret_format = (enum format)i;
    return 0;
}

int value_sandbox(const char *text, const char *from, bool *ret_off, struct err *e)
{
    static const char *const words[] = {"auto", "off", NULL};
    int i = choice(text, from, words, e);
    if (i < 0)
        return -1;
    *ret_off = i == 1;
    return 0;
}

int value_annotations(const char *text, const char *from, enum annotations *ret, struct err *e)
{
    static const char *const words[] = {"none", "github", NULL};
    int i = choice(text, from, words, e);
    if (i < 0)
        return -1;
    *ret = i ? ANNOTATIONS_GITHUB : ANNOTATIONS_NONE;
    return 0;
}

int value_gate(const char *text, const char *from, enum gate *ret, struct err *e)
{
    static const char *const words[] = {"regressions", "flaky", NULL};
    int i = choice(text, from, words, e);
    if (i < 0)
        return -1;
    *ret = i ? GATE_FLAKY : GATE_REGRESSIONS;
    return 0;
}

int value_color(const char *text, const char *from, enum color_when *ret_when, struct err *e)
{
    static const char *const words[] = {
        [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never", NULL};
    int i = choice(text, from, words, e);
    if (i < 0)
        return -1;
    *ret_when = (enum color_when)i;
    return 0;
}
