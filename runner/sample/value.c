#include "sample/value.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool value_is_whole(const char *text, int64_t *ret)
{
    char *end;
    const char *digits = text + (*text == '-' || *text == '+');
    if (!*digits || digits[strspn(digits, "0123456789")])
        return false; /* strtoll alone would take leading blanks */
    errno = 0;
    *ret = strtoll(text, &end, 10);
    return errno == 0;
}

static bool is_number(const char *text, double *ret)
{
    char *end;
    /* strtod alone would take "inf", "nan", hexadecimal and leading blanks. */
    if (!*text || text[strspn(text, "0123456789.eE+-")])
        return false;
    *ret = strtod(text, &end);
    return !*end && isfinite(*ret);
}

void value_hint_word(const char *text, const char *const *words, struct err *e)
{
    const char *near = NULL;
    unsigned best = 3; /* more edits than two are another word */
    own_text struct text all = {0};
    for (size_t i = 0; words[i]; i++) {
        unsigned off = text_distance(text, words[i]);
        if (off < best && off < strlen(words[i])) {
            best = off;
            near = words[i];
        }
        text_addf(&all, "%s%s", i ? ", " : "", words[i]);
    }
    if (near)
        err_hint(e, "did you mean %s?", near);
    else
        err_hint(e, "one of %s", text_str(&all));
}

int value_word(const char *text, const char *from, const char *const *words, struct err *e)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    err_set(e, ERR_USAGE, "%s: \"%s\" is nothing it can be", from, text);
    value_hint_word(text, words, e);
    return -1;
}

int value_flag(const char *text, const char *from, bool *ret, struct err *e)
{
    static const char *const yes[] = {"true", "1", "yes", "on"};
    static const char *const no[] = {"false", "0", "no", "off"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (strcasecmp(text, yes[i]) == 0 || strcasecmp(text, no[i]) == 0) {
            *ret = strcasecmp(text, yes[i]) == 0;
            return 0;
        }
    return err_set(e, ERR_USAGE, "%s: \"%s\" is neither true nor false", from, text);
}

int value_whole(const char *text, const char *from, int64_t least, int64_t *ret, struct err *e)
{
    int64_t n;
    if (!value_is_whole(text, &n))
        return err_set(e, ERR_USAGE, "%s: \"%s\" is no whole number", from, text);
    if (n < least)
        return err_set(e, ERR_USAGE, "%s must be at least %lld, not %s", from, (long long)least,
                       text);
    *ret = n;
    return 0;
}

int value_number(const char *text, const char *from, const char *what, double *ret, struct err *e)
{
    if (!is_number(text, ret))
        return err_set(e, ERR_USAGE, "%s: \"%s\" is not %s", from, text, what);
    return 0;
}

int value_check_rate(double rate, const char *shown, const char *from, struct err *e)
{
    if (rate > 0 && rate < 1)
        return 0;
    err_set(e, ERR_USAGE, "%s must lie between 0 and 1, not %s", from, shown);
    if (rate > 1 && rate < 100) /* a percentage */
        err_hint(e, "did you mean %g?", rate / 100);
    return -1;
}

int value_rate(const char *text, const char *from, double *ret, struct err *e)
{
    double rate;
    if (value_number(text, from, "a number between 0 and 1", &rate, e) < 0 ||
        value_check_rate(rate, text, from, e) < 0)
        return -1;
    *ret = rate;
    return 0;
}

int value_check_prior(const struct prior *p, const char *shown, const char *from, struct err *e)
{
    if (p->a > 0 && p->b > 0 && isfinite(p->a) && isfinite(p->b))
        return 0;
    err_set(e, ERR_USAGE, "%s: %s are not the two positive numbers of a Beta prior", from, shown);
    return err_hint(e, "as in 1,1 or 0.5,0.5");
}

int value_prior(const char *text, const char *from, struct prior *ret, struct err *e)
{
    struct prior p = {0};
    own_text struct text copy = {0};
    text_add(&copy, text);
    char *second = copy.at ? strchr(copy.at, ',') : NULL;
    if (second)
        *second++ = 0;
    while (second && *second == ' ')
        second++;
    if (!second || !is_number(copy.at, &p.a) || !is_number(second, &p.b))
        p = (struct prior){0};
    if (value_check_prior(&p, text, from, e) < 0)
        return -1;
    *ret = p;
    return 0;
}
