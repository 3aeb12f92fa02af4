#ifndef FD_INSTANT_H
#define FD_INSTANT_H
/* The text of a time value, one grammar for the runner, the canonical setting and FD_TIME:
 *
 *   value   = when [ "/" flow ]
 *   when    = RFC 3339 ("2024-02-29T23:59:59.5Z", offsets too) | "@" seconds[.fraction]
 *           | "now" | ("+"|"-") number ("ns"|"us"|"ms"|"s"|"m"|"h"|"d"|"w")
 *   flow    = "run" | "freeze" | "step:" number unit | "at:" count [":" lead]
 *   lead    = number unit, at most 1s; 100ms where none is given
 *
 * Pure functions: no allocation, no locale, no errno; safe in a signal handler. */
#include <stddef.h>
#include "shim/wire.h"

/* Fills the time fields of *s and sets its held bit. Returns 0, or -1 with *s untouched. */
int fd_time_parse(const char *text, struct fd_settings *s);

/* Only the flow: "freeze", "step:1ms" … (FD_TIME_FLOW). Returns 0, or -1 with *s untouched. */
int fd_flow_parse(const char *text, struct fd_settings *s);

/* Writes "2024-02-29T23:59:59.5Z" (UTC, the fraction without trailing zeros, none if zero) and
 * returns its length; size must be at least FD_INSTANT_MAX. Years 1 to 9999. */
#define FD_INSTANT_MAX 40
size_t fd_instant_format(int64_t ns, char *buf, size_t size);

/* A span alone: "1.5ms". Returns 0, or -1 with *ret untouched. */
int fd_span_parse(const char *text, int64_t *ret);

#endif
