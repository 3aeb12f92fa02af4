#include "live/letters.h"

#include "base/own.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The entry of the folder that differs from `name` in its letters' case alone. */
static bool alike(const char *folder, const char *name, struct text *ret)
{
    DIR *d = opendir(folder);
    bool found = false;
    for (struct dirent *at; d && !found && (at = readdir(d));) {
        found = strcasecmp(at->d_name, name) == 0 && strcmp(at->d_name, name) != 0;
        if (found)
            text_add(ret, at->d_name);
    }
    if (d)
        closedir(d);
    return found;
}

/* The first name on the way that is not there. */
static void look(const char *base, const char *path, struct finding *f)
{
    own_text struct text way = {0};
    own_mem char *copy = str_or_die(path);
    char *rest = copy;
    text_add(&way, base);
    for (char *name = strsep(&rest, "/"); name; name = strsep(&rest, "/")) {
        own_text struct text folder = {0}, other = {0};
        text_addf(&folder, "%s/", text_str(&way));
        if (way.len == 0 || way.at[way.len - 1] != '/')
            text_addc(&way, '/');
        text_add(&way, name);
        if (access(text_str(&way), F_OK) == 0)
            continue;
        if (alike(text_str(&folder), name, &other))
            finding_warn(f,
                         "the test looks for %s, which is not there, but %s is: a file system that "
                         "ignores the case of letters finds it",
                         path, text_str(&other));
        return;
    }
}

void letters_warn(const struct fd_seen *seen, const char *cwd, struct finding *f)
{
    const char *home = getenv("HOME");
    for (uint32_t i = 0; i < seen->misses && i < FD_MISSES; i++) {
        const char *path = seen->missed[i];
        bool own = text_starts(path, "~/");
        if ((own && !home) || !*path || seen->found >> i & 1)
            continue;
        look(own            ? home
             : *path == '/' ? ""
                            : cwd,
             own            ? path + 2
             : *path == '/' ? path + 1
                            : path,
             f);
    }
}
