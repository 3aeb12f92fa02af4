#include "triage/failed.h"

#include "base/fdio.h"

int failed_write(const char *path, const struct text *json, struct err *e)
{
    return fdio_replace(path, FDIO_PRIVATE, json, e);
}
