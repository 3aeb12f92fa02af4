#include "axes/axis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool axes_nth_number(size_t nth, uint64_t first, size_t most, char *ret_value)
{
    if (nth >= most)
        return false;
    snprintf(ret_value, SETTING_VALUE_MAX, "%" PRIu64, first + nth);
    return true;
}

bool axes_nth_other_number(const char *failing, size_t nth, uint64_t first, size_t most,
                           char *ret_value)
{
    if (nth >= most)
        return false;
    if (failing && strtoull(failing, NULL, 10) <= first + nth)
        nth++;
    return axes_nth_number(nth, first, most + 1, ret_value);
}

bool axes_only_value(const char *value, size_t nth, char *ret_value)
{
    if (nth > 0)
        return false;
    text_copy(ret_value, SETTING_VALUE_MAX, value);
    return true;
}
