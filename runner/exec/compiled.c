#include "exec/compiled.h"

#include "base/fdio.h"
#include "base/text.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define DEEPEST 64

/* A folder that hides what lies beneath, or shows another one: it was removed, or renamed. */
static bool hides(const char *path)
{
    static const char *const marks[] = {"trusted.overlay.opaque", "user.overlay.opaque",
                                        "trusted.overlay.redirect", "user.overlay.redirect"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (lgetxattr(path, marks[i], NULL, 0) > 0)
            return true;
    return false;
}

/* Cleans a folder; true: something of it is kept. */
static bool clean(const char *folder, bool cache, int depth)
{
    bool kept = false;
    DIR *d = depth < DEEPEST ? opendir(folder) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat s;
        own_text struct text path = {0};
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        text_addf(&path, "%s/%s", folder, e->d_name);
        if (lstat(text_str(&path), &s) < 0)
            continue;
        bool keep =
            S_ISDIR(s.st_mode)
                ? !hides(text_str(&path)) &&
                      clean(text_str(&path), strcmp(e->d_name, "__pycache__") == 0, depth + 1)
                : cache && S_ISREG(s.st_mode) && text_ends(e->d_name, ".pyc");
        if (!keep)
            fdio_remove_tree(text_str(&path));
        kept |= keep;
    }
    if (d)
        closedir(d);
    return kept;
}

void compiled_keep(const char *upper)
{
    (void)clean(upper, false, 0);
}
