#ifndef FR_MODEL_READ_JSON_H
#define FR_MODEL_READ_JSON_H
/* What stands under a key of a JSON object, if it is there and of the kind that is asked for.
 * Objects, and texts that are not copies, are borrowed from `o`. Pure; thread-safe. */
#include <stdbool.h>
#include <stddef.h>

#include "base/argv.h"

struct json_object;

const char *json_read_text(struct json_object *o, const char *key); /* NULL: none */
char *json_read_copy(struct json_object *o, const char *key); /* owned by the caller, or NULL */
bool json_read_flag(struct json_object *o, const char *key);  /* false: none */
struct json_object *json_read_list(struct json_object *o, const char *key,
                                   size_t *ret_n); /* NULL, 0 */

/* A whole number from 0 up; 0: none. */
size_t json_read_count(struct json_object *o, const char *key);

/* Appends the texts of a list; what is no text is left out. */
void json_read_texts(struct json_object *o, const char *key, struct argv *out);

#endif
