#ifndef FR_MODEL_BEFORE_H
#define FR_MODEL_BEFORE_H
/* The tests that run before the one under diagnosis, in its process: what a value of the axis
 * `order` says. They are numbered as in target->before, from 0.
 *
 *   alone     none
 *   self      the test itself: it runs twice, and the second time counts
 *   0-3+7     numbers 0 to 3 and number 7, in this order */
#include <stdbool.h>

#include "base/argv.h"
#include "base/err.h"
#include "base/text.h"

#define BEFORE_RANGES 8
struct before {
    bool self;
    size_t n; /* 0 and not self: alone */
    struct {
        size_t first, last;
    } range[BEFORE_RANGES];
};

int before_parse(const char *value, struct before *ret, struct err *e);
void before_text(const struct before *b, char *buf, size_t size);

/* Adds a range of tests at the end; one that touches the last is joined to it. */
void before_add(struct before *b, size_t first, size_t last);
size_t before_count(const struct before *b);

/* Appends the ids, in order. A number that `all` does not have is an error. */
int before_list(const struct before *b, const struct argv *all, const char *self, struct argv *out,
                struct err *e);

#endif
