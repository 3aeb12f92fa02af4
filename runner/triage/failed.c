#include "triage/failed.h"

#include "base/fdio.h"

int failed_write(const char *path, const struct text *json, struct err *e)
{
    /* To flush it can take as long as all else in a run without failures, and the next run writes
     * it anew. */
    return fdio_replace(path, FDIO_PRIVATE | FDIO_QUICK, json, e);
}
