#ifndef FR_CLI_VALUES_H
#define FR_CLI_VALUES_H
/* What the value of an option may be. `from` is the option or the variable it came by, as the user
 * wrote it, for the error. */
#include "base/clock.h"
#include "model/setting.h"
#include "triage/gate.h"

enum format { FORMAT_HUMAN, FORMAT_JSON, FORMAT_MARKDOWN };
enum annotations { ANNOTATIONS_AUTO, ANNOTATIONS_NONE, ANNOTATIONS_GITHUB };
enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

#define BUDGET_DEFAULT_NS (300 * NS_PER_S)

/* "hashseed,rng", "all", "-time" (all but time): bit per axis. */
int value_axes(const char *list, const char *from, uint32_t *ret_axes, struct err *e);
int value_budget(const char *text, const char *from, int64_t *ret_ns, struct err *e);
int value_seed(const char *text, const char *from, uint64_t *ret_seed, struct err *e);
int value_runs(const char *text, const char *from, unsigned *ret_runs, struct err *e);
int value_tests(const char *text, const char *from, unsigned *ret_tests, struct err *e);
int value_format(const char *text, const char *from, enum format *ret_format, struct err *e);
int value_profile(const char *text, const char *from, bool *ret_concurrency, struct err *e);
int value_sandbox(const char *text, const char *from, bool *ret_off, struct err *e);
int value_annotations(const char *text, const char *from, enum annotations *ret, struct err *e);
int value_gate(const char *text, const char *from, enum gate *ret, struct err *e);
int value_color(const char *text, const char *from, enum color_when *ret_when, struct err *e);

#endif
