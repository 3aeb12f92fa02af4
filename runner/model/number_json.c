#include "model/number_json.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>

/* Nine digits: more than any count of runs supports, and enough that a bound just below 1 is not
 * printed as 1. */
struct json_object *json_number(double x)
{
    char text[32];
    if (!isfinite(x))
        return NULL;
    snprintf(text, sizeof text, "%.9g", x);
    return json_object_new_double_s(x, text);
}
