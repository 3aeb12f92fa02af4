#include "model/before.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void before_add(struct before *b, size_t first, size_t last)
{
    if (b->n && b->range[b->n - 1].last + 1 == first) {
        b->range[b->n - 1].last = last;
    } else if (b->n < BEFORE_RANGES) {
        b->range[b->n].first = first;
        b->range[b->n++].last = last;
    }
}

static bool number(const char **at, size_t *ret)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *ret = strtoul(*at, &end, 10);
    *at = end;
    return errno == 0;
}

int before_parse(const char *value, struct before *ret, struct err *e)
{
    struct before b = {.self = strcmp(value, "self") == 0};
    const char *at = value;
    bool whole = b.self || strcmp(value, "alone") == 0;
    while (!whole) {
        size_t first, last;
        if (!number(&at, &first))
            break;
        last = first;
        if (*at == '-' && (at++, !number(&at, &last)))
            break;
        if (last < first || b.n == BEFORE_RANGES)
            break;
        before_add(&b, first, last);
        whole = *at == 0;
        if (*at++ != '+')
            break;
    }
    if (!whole)
        return err_set(e, ERR_USAGE, "order=\"%s\" is not alone, self or numbers like 0-3+7",
                       value);
    *ret = b;
    return 0;
}

void before_text(const struct before *b, char *buf, size_t size)
{
    struct text t = {0};
    if (b->n == 0)
        text_add(&t, b->self ? "self" : "alone");
    for (size_t i = 0; i < b->n; i++) {
        text_addf(&t, "%s%zu", i ? "+" : "", b->range[i].first);
        if (b->range[i].last > b->range[i].first)
            text_addf(&t, "-%zu", b->range[i].last);
    }
    text_copy(buf, size, text_str(&t));
    text_done(&t);
}

size_t before_count(const struct before *b)
{
    size_t n = b->self;
    for (size_t i = 0; i < b->n; i++)
        n += b->range[i].last - b->range[i].first + 1;
    return n;
}

int before_list(const struct before *b, const struct argv *all, const char *self, struct argv *out,
                struct err *e)
{
    if (b->self)
        argv_add(out, self);
    for (size_t i = 0; i < b->n; i++) {
        if (b->range[i].last >= all->n)
            return err_set(e, ERR_STALE, "order: there is no test number %zu, only %zu",
                           b->range[i].last, all->n);
        for (size_t k = b->range[i].first; k <= b->range[i].last; k++)
            argv_add(out, all->at[k]);
    }
    return 0;
}
