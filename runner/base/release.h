#ifndef FR_BASE_RELEASE_H
#define FR_BASE_RELEASE_H
/* One release: the program, libfd.so and the plugin carry one version, that of the project, and
 * what carries another is refused before it can be half understood. */
#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

#define RELEASE_MAX 16

int release_program(char ret_path[static PATH_MAX], struct err *e); /* the file we run from */

/* What the file says of its release: the text behind `mark`, up to a quote or its end. */
bool release_of_file(const char *path, const char *mark, char ret_release[static RELEASE_MAX]);

/* An error that names both versions and both files, unless they agree. `release` may be NULL or
 * empty: the part says nothing. */
int release_check(const char *part, const char *path, const char *release, struct err *e);

#endif
