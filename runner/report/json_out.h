#ifndef FR_REPORT_JSON_OUT_H
#define FR_REPORT_JSON_OUT_H
/* JSON written front to back, for reports that are too long to be held as a tree. The caller sees
 * to it that what is opened is closed; keys are NULL within arrays. Text that is not UTF-8 gets
 * U+FFFD for its bad bytes. Numbers are the shortest that read back the same; what is not finite is
 * null. */
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct json_out {
    struct text *to;
    bool more; /* a comma is due before the next value */
};

void json_open(struct json_out *j, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json_out *j, char bracket);                 /* '}' or ']' */
void json_line(struct json_out *j); /* the next value begins on a new line */

void json_text(struct json_out *j, const char *key, const char *s); /* NULL is null */
void json_double(struct json_out *j, const char *key, double x);    /* "70.0", never "70" */
void json_count(struct json_out *j, const char *key, int64_t n);
void json_flag(struct json_out *j, const char *key, bool yes);
void json_null(struct json_out *j, const char *key);
void json_raw(struct json_out *j, const char *key, const char *value); /* JSON already */

#endif
