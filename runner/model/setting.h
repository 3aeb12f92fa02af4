#ifndef FR_MODEL_SETTING_H
#define FR_MODEL_SETTING_H
/* A setting: axis=value for every axis that is held. Plain data, copied freely. An axis that is
 * not held is left to nature (or, in a drawn setting, recorded after the run).
 *
 * Canonical text, in the order of axes.def: "hashseed=2,rng=7,time=2024-02-29T23:59:59.5Z". A
 * value never contains a comma; what a value means is its axis's affair (runner/axes). */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "shim/wire.h"

#define SETTING_VALUE_MAX 96

struct setting {
    uint32_t held; /* bit n: axis n is held */
    char value[FD_AXIS_COUNT][SETTING_VALUE_MAX];
};

static inline uint32_t axis_bit(enum fd_axis a)
{
    return UINT32_C(1) << a;
}
#define AXES_ALL ((UINT32_C(1) << FD_AXIS_COUNT) - 1)

const char *axis_word(enum fd_axis a);   /* "hashseed" */
int axis_by_word(const char *word);      /* -1 if there is none */
const char *axis_nearest(const char *w); /* the word most like w, or NULL if none is near */

void setting_hold(struct setting *s, enum fd_axis a, const char *value);
void setting_free(struct setting *s, enum fd_axis a);
bool setting_holds(const struct setting *s, enum fd_axis a);
bool setting_same(const struct setting *a, const struct setting *b);

/* Takes over the axes of `mask` from `from`: held there → held here, free there → free here. */
void setting_take(struct setting *to, const struct setting *from, uint32_t mask);

void setting_text(const struct setting *s, struct text *out);
int setting_parse(const char *text, struct setting *ret_setting, struct err *e);

#endif
