#ifndef FR_MODEL_READ_JSON_H
#define FR_MODEL_READ_JSON_H
/* What stands under a key of a JSON object, if it is there and of the kind that is asked for.
 * Objects, and texts that are not copies, are borrowed from `o`. Pure; thread-safe. */
#include <stdbool.h>
#include <stddef.h>

struct json_object;

const char *json_read_text(struct json_object *o, const char *key); /* NULL: none */
char *json_read_copy(struct json_object *o, const char *key); /* owned by the caller, or NULL */
bool json_read_flag(struct json_object *o, const char *key);  /* false: none */
struct json_object *json_read_list(struct json_object *o, const char *key,
                                   size_t *ret_n); /* NULL, 0 */

#endif
