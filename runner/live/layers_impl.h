#ifndef FR_LIVE_LAYERS_IMPL_H
#define FR_LIVE_LAYERS_IMPL_H
/* What the files of layers.h share, and nobody else. Paths are absolute. */
#include "live/layers.h"

bool layers_below(const char *path, const char *folder); /* the folder itself is */
bool layers_in_tmp(const char *path);
bool layers_is_tmp(const char *folder); /* one of the two itself */

/* Adds a folder to one of a sandbox's lists, once. */
void layers_add_folder(struct layers *l, const char *list[], size_t *n, const char *folder);

void layers_without(struct sandbox *box, const char *folder);
bool layers_kept(const struct sandbox *box, const char *path);    /* stays the real one */
bool layers_covered(const struct sandbox *box, const char *path); /* shown copy-on-write */

/* Without namespaces the rest of the sandbox would promise what it cannot keep. */
void layers_degrade(struct layers *l);

/* Notes once what was let go. */
void layers_relax(struct layers *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
