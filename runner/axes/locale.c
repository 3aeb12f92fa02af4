/* The locale: how text is encoded, sorted, upper-cased and written. */
#include "axes/axis.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* Python takes UTF-8 for granted where the locale is C, unless it is told not to. */
#define ASCII "C:ascii"

/* Plain and UTF-8, then those known for an i without a dot, a comma for a point, another order of
 * letters; last, no letters but those of ASCII. */
static const char *const locales[] = {"C",           "C.UTF-8",     "tr_TR.UTF-8", "de_DE.UTF-8",
                                      "sv_SE.UTF-8", "ja_JP.UTF-8", "en_US.UTF-8", "POSIX",
                                      "de_DE",       ASCII};
static const char *const usual[] = {"C.UTF-8", "en_US.UTF-8", "C"};

static bool is_here(const char *name)
{
    if (strcmp(name, ASCII) == 0)
        return true;
    locale_t l = *name ? newlocale(LC_ALL_MASK, name, (locale_t)0) : (locale_t)0;
    if (l)
        freelocale(l);
    return l != (locale_t)0;
}

/* The locale that is in force without us. Where none is said, Python makes UTF-8 of it. */
static const char *natural(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strlen(value) < SETTING_VALUE_MAX && !strchr(value, ',') && is_here(value)
                       ? value
                       : "C";
    }
    return "C.UTF-8";
}

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    const char *own = natural();
    (void)v;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        if (strcmp(locales[i], own) == 0 || !is_here(locales[i]) || nth-- > 0)
            continue;
        text_copy(ret_value, SETTING_VALUE_MAX, locales[i]);
        return true;
    }
    return false;
}

static bool recorded(const struct outcome *o, char *ret_value)
{
    (void)o;
    const char *own = natural();
    text_copy(ret_value, SETTING_VALUE_MAX, own);
    return strcmp(own, usual[0]) != 0 && strcmp(own, usual[1]) != 0; /* there is no plainer one */
}

static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    const char *own = natural(), *not = failing ? failing : own;
    (void)v;
    for (size_t i = 0; i <= sizeof usual / sizeof *usual; i++) {
        const char *one = i == 0 ? own : usual[i - 1];
        if (strcmp(one, not ) == 0 || (i > 0 && strcmp(one, own) == 0) || !is_here(one) ||
            nth-- > 0)
            continue;
        text_copy(ret_value, SETTING_VALUE_MAX, one);
        return true;
    }
    return false;
}

/* A language: letters sorted and numbers written otherwise than in C. */
static bool is_language(const char *name)
{
    return strchr(name, '_') && is_here(name);
}

static bool lacking(void)
{
    bool any = is_language(natural());
    for (size_t i = 0; i < sizeof locales / sizeof *locales && !any; i++)
        any = is_language(locales[i]);
    return !any;
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    if (!is_here(value)) {
        err_set(e, ERR_USAGE, "locale=\"%s\" is not a locale of this machine", value);
        return err_hint(e, "`locale -a` lists them");
    }
    bool ascii = strcmp(value, ASCII) == 0;
    argv_addf(&r->env, "LC_ALL=%s", ascii ? "C" : value);
    if (ascii)
        argv_add(&r->env, "PYTHONUTF8=0");
    r->page.held |= axis_bit(FD_AXIS_LOCALE);
    return 0;
}

static void command(const char *value, struct text *out)
{
    bool ascii = strcmp(value, ASCII) == 0;
    text_addf(out, "LC_ALL=%s ", ascii ? "C" : value);
    if (ascii)
        text_add(out, "PYTHONUTF8=0 ");
}

const struct axis axis_LOCALE = {
    .catches = "text files opened without an encoding, sorting and number formats of a language",
    .held_by = "LC_ALL of each process",
    .by_hand = "LC_ALL",
    .at_start = true,
    .has_hook = true,
    .recorded = recorded,
    .provoke = provoke,
    .benign = benign,
    .lacking = lacking,
    .apply = apply,
    .command = command,
};
