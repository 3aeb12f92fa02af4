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

/* Only a name that is empty stands for what the environment says. */
FD_EXPORT char *setlocale(int category, const char *name)
{
    if (name && !*name)
        asked("setlocale");
    return REAL(setlocale)(category, name);
}

FD_EXPORT locale_t newlocale(int mask, const char *name, locale_t base)
{
    if (name && !*name)
        asked("newlocale");
    return REAL(newlocale)(mask, name, base);
}

FD_EXPORT struct lconv *localeconv(void)
{
    asked("localeconv");
    return REAL(localeconv)();
}

FD_EXPORT char *nl_langinfo(nl_item item)
{
    asked("nl_langinfo");
    return REAL(nl_langinfo)(item);
}

FD_EXPORT int strcoll(const char *a, const char *b)
{
    asked("strcoll");
    return REAL(strcoll)(a, b);
}

FD_EXPORT size_t strxfrm(char *to, const char *from, size_t n)
{
    asked("strxfrm");
    return REAL(strxfrm)(to, from, n);
}

FD_EXPORT int wcscoll(const wchar_t *a, const wchar_t *b)
{
    asked("wcscoll");
    return REAL(wcscoll)(a, b);
}

FD_EXPORT size_t wcsxfrm(wchar_t *to, const wchar_t *from, size_t n)
{
    asked("wcsxfrm");
    return REAL(wcsxfrm)(to, from, n);
}
