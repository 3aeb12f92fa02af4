#ifndef FD_TIMING_H
#define FD_TIMING_H
/* The text of a timing value, one grammar for the runner, the canonical setting and the variables:
 *
 *   timing = "real" | "speed:" speed | "delay:" delay | "coarse:" span | "onecore"
 *   speed  = "x" number [ "." digits ]                    0.01 to 1000; below 1: a fast machine
 *   delay  = where ":" span | seed ":" span               at most 10s
 *   where  = "threads" | "thread" number | "wakes" | "loop" | "io"
 *   sleep  = "real" | "skip"
 *   span   = number ("ns"|"us"|"ms"|"s")
 *
 * Each function fills its fields of *s and sets its held bit; returns 0, or -1 with *s untouched.
 * Pure; safe in a signal handler. */
#include "shim/wire.h"

int fd_timing_parse(const char *text, struct fd_settings *s);
int fd_speed_parse(const char *text, struct fd_settings *s);
int fd_sleep_parse(const char *text, struct fd_settings *s);
int fd_delay_parse(const char *text, struct fd_settings *s);
int fd_coarse_parse(const char *text, struct fd_settings *s);

#endif
