#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FILL(buf, fmt)                                                                             \
    do {                                                                                           \
        va_list ap;                                                                                \
        va_start(ap, fmt);                                                                         \
        vsnprintf(buf, sizeof(buf), fmt, ap);                                                      \
        va_end(ap);                                                                                \
    } while (0)

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
    *e = (struct err){.kind = kind};
    FILL(e->what, fmt);
    return -1;
}

int err_sys(struct err *e, const char *fmt, ...)
{
    int os = errno;
    *e = (struct err){.kind = ERR_SYSTEM, .os = os};
    FILL(e->what, fmt);
    size_t n = strlen(e->what);
    snprintf(e->what + n, sizeof e->what - n, ": %s", strerror(os));
    return -1;
}

int err_while(struct err *e, const char *fmt, ...)
{
    char inner[sizeof e->what], doing[200];
    memcpy(inner, e->what, sizeof inner);
    FILL(doing, fmt);
    snprintf(e->what, sizeof e->what, "%s: %.430s", doing, inner);
    return -1;
}

int err_hint(struct err *e, const char *fmt, ...)
{
    FILL(e->hint, fmt);
    return -1;
}
