#include "model/target.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void target_done(struct target *t)
{
    argv_done(&t->command);
    argv_done(&t->say);
    argv_done(&t->args);
    argv_done(&t->ids);
    argv_done(&t->plugins);
    argv_done(&t->program);
    free(t->spec);
    free(t->nodeid);
    free(t->rootdir);
    free(t->cwd);
    free(t->python);
    free(t->pytest);
    *t = (struct target){0};
}

/* Length of the path part of a node id; ids look like "dir/test_x.py::Class::test[a::b]". */
static size_t path_length(const char *id)
{
    const char *colons = strstr(id, "::");
    return colons ? (size_t)(colons - id) : strlen(id);
}

void target_argument(const struct target *t, struct text *out)
{
    if (t->program.n) /* its words are all there is */
        return;
    /* Node ids are relative to rootdir; pytest takes paths relative to the shell. */
    const char *root = t->rootdir ? t->rootdir : t->cwd;
    size_t n = strlen(root), m = strlen(t->cwd);
    size_t path = path_length(t->nodeid);
    if (strcmp(root, t->cwd) == 0) {
        text_add(out, t->nodeid);
        return;
    }
    if (m > n && strncmp(t->cwd, root, n) == 0 && t->cwd[n] == '/') { /* we stand below rootdir */
        const char *below = t->cwd + n + 1;
        size_t len = strlen(below);
        if (path > len && strncmp(t->nodeid, below, len) == 0 && t->nodeid[len] == '/') {
            text_add(out, t->nodeid + len + 1);
            return;
        }
    }
    if (n > m && strncmp(root, t->cwd, m) == 0 && root[m] == '/')
        text_addf(out, "%s/%s", root + m + 1, t->nodeid);
    else
        text_addf(out, "%s/%s", root, t->nodeid);
}
