#ifndef FR_LIVE_LOADER_H
#define FR_LIVE_LOADER_H
/* What the loader makes of a bare name, as in LD_PRELOAD=libfd.so. */
#include <stdbool.h>

/* Whether the first file of that name in the folders the loader searches is `path`. Its cache is
 * not asked: what only that knows may be gone with the next ldconfig. */
bool loader_finds(const char *name, const char *path);

#endif
