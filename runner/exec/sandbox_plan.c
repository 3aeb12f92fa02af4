/* Which folder is shown how: the places on which something is mounted, and in what order. */
#include "base/fdio.h"
#include "base/own.h"
#include "exec/sandbox_impl.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

bool place_is_below(const char *path, const char *top)
{
    size_t n = strlen(top);
    return strncmp(path, top, n) == 0 && path[n] == '/';
}

struct place *plan_around(const struct plan *p, size_t n, const char *path)
{
    while (n-- > 0) /* in sorted order the last that fits is the innermost */
        if (place_is_below(path, p->place[n].path))
            return &p->place[n];
    return NULL;
}

static void place_done(struct place *q)
{
    free(q->path);
    free(q->link);
    own_fd_close(&q->real);
}

void plan_done(struct plan *p)
{
    for (size_t i = 0; i < p->n; i++)
        place_done(&p->place[i]);
    free(p->place);
    own_fd_close(&p->upper);
    own_fd_close(&p->seed);
    own_fd_close(&p->stage);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static struct place *find(struct plan *p, const char *path)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->place[i].path, path) == 0)
            return &p->place[i];
    return NULL;
}

static void add(struct plan *p, const struct place *q)
{
    if (p->n == p->room) {
        p->room = p->room ? 2 * p->room : 16;
        p->place = mem_grow_or_die(p->place, p->room * sizeof *p->place);
    }
    p->place[p->n++] = *q;
}

static void add_links(struct plan *p, const char *path);

static void add_link(struct plan *p, const char *path)
{
    char words[PATH_MAX];
    ssize_t n = readlink(path, words, sizeof words - 1);
    if (n <= 0)
        return;
    words[n] = 0;
    own_text struct text in = {0}, at = {0};
    const char *name = strrchr(path, '/');
    text_addn(&in, path, (size_t)(name - path));
    own_mem char *folder = realpath(in.len ? in.at : "/", NULL);
    if (!folder)
        return;
    text_addf(&at, "%s%s", strcmp(folder, "/") == 0 ? "" : folder, name);
    if (find(p, at.at))
        return;
    add(p, &(struct place){.kind = PLACE_LINK,
                           .path = str_or_die(at.at),
                           .link = str_or_die(words),
                           .real = -1,
                           .cow = -1});
    text_clear(&at);
    text_addf(&at, "%s%s%s", words[0] == '/' ? "" : folder, words[0] == '/' ? "" : "/", words);
    add_links(p, at.at);
}

/* The links on a path: in an empty folder they have to be made again. */
static void add_links(struct plan *p, const char *path)
{
    own_mem char *way = str_or_die(path);
    for (char *s = way + 1; *s; s++) {
        if (s[1] && s[1] != '/')
            continue;
        char next = s[1];
        s[1] = 0;
        add_link(p, way);
        s[1] = next;
    }
}

/* Folders that are not there are passed over, and those that are in the plan already. */
static void add_folder(struct plan *p, enum place_kind kind, const char *path, int cow)
{
    own_mem char *real = path && path[0] == '/' ? realpath(path, NULL) : NULL;
    if (!real)
        return;
    if (strcmp(real, path) != 0)
        add_links(p, path);
    if (strcmp(real, "/") == 0 || find(p, real))
        return;
    own_fd int fd = open(real, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct statvfs fs;
    if (fd < 0 || (kind == PLACE_COW && (fstatvfs(fd, &fs) < 0 || fs.f_flag & ST_RDONLY)))
        return;
    add(p,
        &(struct place){.kind = kind, .path = take_ptr(&real), .real = take_fd(&fd), .cow = cow});
}

/* ---- what is mounted already ----------------------------------------------------------------- */

/* A mount point as the kernel's table spells it: blanks and the like as \ooo. */
static void unescape(char *s)
{
    char *to = s;
    for (; *s; s++) {
        if (s[0] == '\\' && s[1] && s[2] && s[3]) {
            *to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
            s += 3;
        } else {
            *to++ = *s;
        }
    }
    *to = 0;
}

static void add_mount(struct plan *p, const char *path)
{
    struct place *same = find(p, path);
    if (same) {
        same->is_mount = true;
        return;
    }
    bool below = false;
    for (size_t i = 0; i < p->n; i++)
        below |= p->place[i].kind == PLACE_COW && place_is_below(path, p->place[i].path);
    if (!below)
        return;
    int fd = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) /* else it is hidden by another mount, or beyond our reach: so it stays */
        add(p, &(struct place){.kind = PLACE_REAL,
                               .path = str_or_die(path),
                               .real = fd,
                               .cow = -1,
                               .found = true});
}

static int add_mounts(struct plan *p)
{
    own_text struct text table = {0};
    struct err e;
    if (fdio_read_file("/proc/self/mountinfo", 1 << 24, &table, &e) < 0)
        return sandbox_failed(p->at, SANDBOX_MOUNTS, "reading mountinfo");
    char *rest = NULL;
    for (char *line = table.at ? strtok_r(table.at, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *word = line, *path = NULL;
        for (int i = 0; i < 5 && word; i++) /* the fifth is the mount point */
            path = strsep(&word, " ");
        if (word) {
            unescape(path);
            add_mount(p, path);
        }
    }
    return 0;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct place *)a)->path, ((const struct place *)b)->path);
}

/* Layers without a number, those of /tmp, can neither keep changes nor show a seed. */
static bool serves(const struct plan *p, const struct place *outer, const struct place *q)
{
    bool numbered = q->cow >= 0 && (p->box->upper || p->box->seed);
    return outer->kind == PLACE_COW && !q->is_mount && (outer->cow >= 0 || !numbered);
}

static bool is_needless(const struct plan *p, const struct place *outer, const struct place *q)
{
    switch (q->kind) {
    case PLACE_REAL: /* as what is around it; and no mount of the real /tmp in a private one */
        return !outer || outer->kind == PLACE_REAL || (outer->kind == PLACE_EMPTY && q->found);
    case PLACE_COW:
        return outer && serves(p, outer, q);
    case PLACE_LINK:
        return !outer || outer->kind != PLACE_EMPTY;
    case PLACE_EMPTY:
        break;
    }
    return false;
}

int plan_make(struct plan *p)
{
    const struct sandbox *box = p->box;
    static const char *const tmp[] = {"/tmp", "/var/tmp", "/dev/shm"};
    size_t tmps = box->tmp == SANDBOX_TMP_PRIVATE ? 3 : box->tmp == SANDBOX_TMP_COW ? 2 : 0;
    for (size_t i = 0; i < box->keeps; i++)
        add_folder(p, PLACE_REAL, box->keep[i], -1);
    for (size_t i = 0; i < box->cows; i++)
        add_folder(p, PLACE_COW, box->cow[i], (int)i);
    for (size_t i = 0; i < tmps; i++)
        add_folder(p, box->tmp == SANDBOX_TMP_COW ? PLACE_COW : PLACE_EMPTY, tmp[i], -1);
    if (add_mounts(p) < 0)
        return -1;
    if (p->n > 0)
        qsort(p->place, p->n, sizeof *p->place, by_path);
    size_t kept = 0;
    for (size_t i = 0; i < p->n; i++) {
        struct place *q = &p->place[i];
        if (is_needless(p, plan_around(p, kept, q->path), q))
            place_done(q);
        else
            p->place[kept++] = *q;
    }
    p->n = kept;
    return 0;
}
