/* The readers of the locale, counted and left alone: LC_ALL is fixed at process start. Python asks
 * for the encoding (nl_langinfo) whenever a text file is opened without one. */
#include "shim/live.h"
#include "shim/real.h"
#include "shim/seen.h"

static void asked(const char *hook)
{
    if (!fd_live_on())
        return;
    fd_touch(FD_AXIS_LOCALE, hook);
    if (fd_noting())
        fd_seen_read(FD_AXIS_LOCALE);
}

/* An encoding is no language: plain text files ask for one. */
static void spoken(const char *hook)
{
    asked(hook);
    if (fd_noting())
        fd_seen_deed(FD_DEED_LANGUAGE);
}

/* Only a name that is empty stands for what the environment says. */
FD_EXPORT char *setlocale(int category, const char *name)
{
    if (name && !*name)
        spoken("setlocale");
    return REAL(setlocale)(category, name);
}

FD_EXPORT locale_t newlocale(int mask, const char *name, locale_t base)
{
    if (name && !*name)
        spoken("newlocale");
    return REAL(newlocale)(mask, name, base);
}

FD_EXPORT struct lconv *localeconv(void)
{
    spoken("localeconv");
    return REAL(localeconv)();
}

FD_EXPORT char *nl_langinfo(nl_item item)
{
    asked("nl_langinfo");
    return REAL(nl_langinfo)(item);
}

FD_EXPORT int strcoll(const char *a, const char *b)
{
    spoken("strcoll");
    return REAL(strcoll)(a, b);
}

FD_EXPORT size_t strxfrm(char *to, const char *from, size_t n)
{
    spoken("strxfrm");
    return REAL(strxfrm)(to, from, n);
}

FD_EXPORT int wcscoll(const wchar_t *a, const wchar_t *b)
{
    spoken("wcscoll");
    return REAL(wcscoll)(a, b);
}

FD_EXPORT size_t wcsxfrm(wchar_t *to, const wchar_t *from, size_t n)
{
    spoken("wcsxfrm");
    return REAL(wcsxfrm)(to, from, n);
}
