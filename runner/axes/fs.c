/* Files that are there by chance: what a home folder holds, what an earlier run left, what somebody
 * put where the test looks; and how the file system keeps its times. */
#include "axes/axis.h"

#include "shim/value.h"

#include <stdio.h>
#include <string.h>

#define PLANTS_MOST 8 /* paths; each costs a fresh run for each kind of file */

/* A folder is no place for a file: something below it was looked for as well. */
static bool is_folder(const struct fd_seen *w, size_t misses, size_t i)
{
    size_t n = strlen(w->missed[i]);
    for (size_t k = 0; k < misses; k++)
        if (text_starts(w->missed[k], w->missed[i]) && w->missed[k][n] == '/')
            return true;
    return false;
}

/* The nth path that the test looked for, did not find, and has no part in itself. */
static const char *missed(const struct fd_seen *w, size_t nth)
{
    size_t misses = w->misses < FD_MISSES ? w->misses : FD_MISSES;
    if (nth >= PLANTS_MOST || w->makes > FD_MADE)
        return NULL;
    for (size_t i = 0; i < misses; i++)
        if (w->missed[i][0] && !(w->found >> i & 1) && !is_folder(w, misses, i) &&
            !strchr(w->missed[i], ',') &&
            strlen(w->missed[i]) + sizeof "plant:unreadable:" <= SETTING_VALUE_MAX && nth-- == 0)
            return w->missed[i];
    return NULL;
}

static bool plants(const struct fd_seen *w, size_t nth, char *ret_value)
{
    static const char *const kinds[] = {"empty", "malformed", "unreadable"};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    const char *path = missed(w, nth / KINDS);
    if (path)
        snprintf(ret_value, SETTING_VALUE_MAX, "plant:%s:%s", kinds[nth % KINDS], path);
    return path != NULL;
}

static size_t plants_of(const struct fd_seen *w)
{
    char value[SETTING_VALUE_MAX];
    size_t n = 0;
    while (plants(w, n, value))
        n++;
    return n;
}

static const struct {
    const char *value;
    uint32_t deeds; /* one of them must have been seen */
} values[] = {
    {"leftovers", 1u << FD_DEED_SOURCE | 1u << FD_DEED_WRITE},
    {"private", UINT32_MAX},
    {"ro", 1u << FD_DEED_SOURCE},
    {"full:1M", 1u << FD_DEED_WRITE},
};

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    if (!v->watched) /* nothing is known of it */
        return axes_only_value("private", nth, ret_value);
    const struct fd_seen *w = v->watched;
    if (w->deeds >> FD_DEED_STAMP & 1) {
        if (nth < 2)
            return axes_only_value(nth ? "mtime:2s" : "mtime:1s", 0, ret_value);
        nth -= 2;
    }
    size_t n = plants_of(w);
    if (nth < n)
        return plants(w, nth, ret_value);
    nth -= n;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if ((values[i].deeds == UINT32_MAX || w->deeds & values[i].deeds) && nth-- == 0)
            return axes_only_value(values[i].value, 0, ret_value);
    return false;
}

static bool matters(const struct fd_seen *w)
{
    uint32_t deeds = 1u << FD_DEED_STAMP | 1u << FD_DEED_WRITE | 1u << FD_DEED_SOURCE;
    return missed(w, 0) != NULL || w->deeds & deeds;
}

static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    (void)v;
    return failing && strcmp(failing, "real") != 0 && axes_only_value("real", nth, ret_value);
}

/* What the test needs of its machine is no flake, unless it was seen: a file of its home, one that
 * may be read, room for what it writes. */
static bool requirement(const struct axis_view *v, const char *value)
{
    static const char *const needs[] = {"private", "ro", "full:", "plant:unreadable:"};
    (void)v;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (text_starts(value, needs[i]))
            return true;
    return false;
}

static bool by_second_run(const char *value)
{
    return strcmp(value, "leftovers") == 0;
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    if (fd_fs_parse(value, &r->page) < 0)
        return err_set(e, ERR_USAGE, "fs=\"%s\" is no way to hold files", value);
    r->twice |= by_second_run(value);
    /* A module that looks for the file when it is imported has done so in a warm process. */
    r->fresh |= r->twice || text_starts(value, "plant:");
    return 0;
}

static void command(const char *value, struct text *out)
{
    if (by_second_run(value))
        return;
    text_add(out, "FD_FS=");
    if (strcmp(value, "private") == 0)
        text_add(out, "private:\"$(mktemp -d)\"");
    else
        text_add_quoted(out, value);
    text_addc(out, ' ');
}

static void meaning(const char *value, struct text *out)
{
    static const struct {
        const char *value, *sentence;
    } of[] = {
        {"mtime:", "Two writes within one tick of the file system's clock (a few milliseconds on "
                   "one, a second or two on another) leave the same time behind."},
        {"plant:empty:", "The test reads a file that is not its own: where it is there, and "
                         "empty, the test ends otherwise."},
        {"plant:malformed:", "The test reads a file that is not its own: what somebody wrote "
                             "there decides how it ends."},
        {"leftovers", "The test finds what an earlier run of it left behind."},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (text_starts(value, of[i].value))
            text_add(out, of[i].sentence);
}

const struct axis axis_FS = {
    .catches = "files that are there on one machine and not on the next, leftovers, coarse times",
    .held_by = "files planted where the test looks, a run before, an empty HOME",
    .by_hand = "FD_FS, FD_FS_MAP",
    .has_hook = true,
    .provoke = provoke,
    .benign = benign,
    .requirement = requirement,
    .apply = apply,
    .command = command,
    .by_second_run = by_second_run,
    .matters = matters,
    .meaning = meaning,
    .needs_shim = true,
};
