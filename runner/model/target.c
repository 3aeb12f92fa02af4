#include "model/target.h"

#include "base/own.h"

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
    argv_done(&t->ran);
    argv_done(&t->before);
    argv_done(&t->scope);
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

void target_cut_to_file(struct text *argument)
{
    text_cut(argument, path_length(text_str(argument)));
}

/* The real path of the path part of an argument, seen from a folder; NULL: there is none. */
static char *real_path_of(const char *folder, const char *argument)
{
    own_text struct text path = {0};
    if (argument[0] != '/')
        text_addf(&path, "%s/", folder);
    text_addn(&path, argument, path_length(argument));
    return realpath(text_str(&path), NULL);
}

/* `whole` is `part`, or goes on from it where a name ends. */
static bool begins(const char *whole, const char *part, const char *ends)
{
    size_t n = strlen(part);
    return strncmp(whole, part, n) == 0 && (!whole[n] || strchr(ends, whole[n]));
}

bool target_is_selected(const struct target *t, const char *argument)
{
    own_mem char *mine = real_path_of(t->rootdir ? t->rootdir : t->cwd, t->nodeid);
    own_mem char *there = real_path_of(t->cwd, argument);
    const char *id = argument + path_length(argument);
    if (!mine || !there)
        return false;
    if (!*id)
        return begins(mine, strcmp(there, "/") == 0 ? "" : there, "/");
    return strcmp(mine, there) == 0 && begins(t->nodeid + path_length(t->nodeid), id, ":[");
}

void target_argument_of(const struct target *t, const char *nodeid, struct text *out)
{
    if (t->program.n) /* its words are all there is */
        return;
    /* Node ids are relative to rootdir; pytest takes paths relative to the shell. */
    const char *root = t->rootdir ? t->rootdir : t->cwd;
    size_t n = strlen(root), m = strlen(t->cwd);
    size_t path = path_length(nodeid);
    if (strcmp(root, t->cwd) == 0) {
        text_add(out, nodeid);
        return;
    }
    if (m > n && strncmp(t->cwd, root, n) == 0 && t->cwd[n] == '/') { /* we stand below rootdir */
        const char *below = t->cwd + n + 1;
        size_t len = strlen(below);
        if (path > len && strncmp(nodeid, below, len) == 0 && nodeid[len] == '/') {
            text_add(out, nodeid + len + 1);
            return;
        }
    }
    if (n > m && strncmp(root, t->cwd, m) == 0 && root[m] == '/')
        text_addf(out, "%s/%s", root + m + 1, nodeid);
    else
        text_addf(out, "%s/%s", root, nodeid);
}

void target_argument(const struct target *t, struct text *out)
{
    target_argument_of(t, t->nodeid, out);
}
