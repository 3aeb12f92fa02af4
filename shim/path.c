#include "shim/path.h"
#include "shim/text.h"

/* Does `path` begin with these names? The cheap question, right for a path in its shortest form. */
static bool begins(const char *path, const struct fd_folder *f)
{
    for (size_t i = 0; i < f->len; i++)
        if (path[i] != f->at[i])
            return false;
    return path[f->len] == '/' || !path[f->len];
}

/* No "//", "." or "..": what most paths are. */
static bool shortest(const char *path)
{
    for (; *path; path++) {
        if (*path != '/')
            continue;
        if (path[1] == '/')
            return false;
        if (path[1] == '.' &&
            (!path[2] || path[2] == '/' || (path[2] == '.' && (!path[3] || path[3] == '/'))))
            return false;
    }
    return true;
}

/* The next name of *path, or NULL; "." is none. */
static const char *name(const char **path, size_t *ret_len)
{
    for (const char *at = *path;;) {
        while (*at == '/')
            at++;
        const char *start = at;
        while (*at && *at != '/')
            at++;
        *path = at;
        *ret_len = (size_t)(at - start);
        if (at == start)
            return NULL;
        if (*ret_len != 1 || *start != '.')
            return start;
    }
}

static bool same(const char *a, const char *b, size_t n)
{
    while (n && *a == *b) {
        a++;
        b++;
        n--;
    }
    return n == 0;
}

static bool is_up(const char *start, size_t n)
{
    return n == 2 && start[0] == '.' && start[1] == '.';
}

struct walk {
    long rest;   /* where what follows the folder begins, or -1 */
    long left;   /* where what follows the last ".." out of it begins, or -1 */
    size_t above; /* of f->at: the folder it led to */
};

/* Walks `path` beside the folder. `good`: so much of f->at has been walked, at the end of one of
 * its names; `astray`: names beyond that, which are not its. */
static struct walk walked(const struct fd_folder *f, const char *path)
{
    size_t good = 0, astray = 0, n;
    const char *at = path, *start;
    struct walk w = {-1, -1, 0};
    while ((start = name(&at, &n))) {
        if (is_up(start, n)) {
            if (astray) {
                astray--;
            } else if (good) {
                bool out = good == f->len;
                while (f->at[--good] != '/')
                    ;
                if (out)
                    w = (struct walk){-1, at - path, good};
            }
            continue;
        }
        const char *next = f->at + good + 1;
        if (astray || good == f->len || !same(next, start, n) || (next[n] && next[n] != '/')) {
            astray++;
            continue;
        }
        good += n + 1;
        if (good == f->len)
            w.rest = at - path;
    }
    return w;
}

static long below(const struct fd_folder *f, const char *path, bool plain)
{
    if (!f->len)
        return -1;
    if (plain)
        return begins(path, f) ? (long)f->len : -1;
    return walked(f, path).rest;
}

long fd_folder_rest(const struct fd_folder *f, const char *path)
{
    return below(f, path, shortest(path));
}

bool fd_path_names(const char *rest)
{
    size_t n;
    return name(&rest, &n) != NULL;
}

bool fd_folder_keep(struct fd_paths *p, const char *path, struct fd_folder *ret)
{
    char *to = p->text + p->used;
    size_t room = sizeof p->text - p->used, len = 0, n;
    const char *at = path, *start;
    if (*path != '/')
        return false;
    while ((start = name(&at, &n))) {
        if (is_up(start, n)) {
            while (len && to[--len] != '/')
                ;
            continue;
        }
        if (len + n + 2 > room)
            return false;
        to[len++] = '/';
        fd_copy(to + len, start, n);
        len += n;
    }
    if (!len)
        return false;
    to[len] = 0;
    p->used += len + 1;
    *ret = (struct fd_folder){to, len};
    return true;
}

static void insert(struct fd_map *table, unsigned int n, struct fd_map map)
{
    for (; n && table[n - 1].from.len < map.from.len; n--)
        table[n] = table[n - 1];
    table[n] = map;
}

bool fd_paths_add(struct fd_paths *p, struct fd_map map)
{
    if (p->maps == FD_MAPS)
        return false;
    insert(p->map, p->maps++, map);
    return true;
}

bool fd_paths_add_back(struct fd_paths *p, struct fd_map map)
{
    if (p->backs == 2 * FD_MAPS)
        return false;
    insert(p->back, p->backs++, (struct fd_map){.from = map.to, .to = map.from});
    return true;
}

static size_t home_part(const struct fd_paths *p, const struct fd_folder *f)
{
    for (unsigned int i = 0; i < p->maps; i++)
        if (p->map[i].home && begins(f->at, &p->map[i].from))
            return p->map[i].from.len;
    return 0;
}

/* What of it is below HOME: that is compared, because HOME may have two names. */
static struct fd_folder in_home(const struct fd_stay *s)
{
    return (struct fd_folder){s->folder.at + s->home, s->folder.len - s->home};
}

bool fd_paths_stays(const struct fd_paths *p, const struct fd_folder *f)
{
    size_t home = home_part(p, f);
    for (unsigned int i = 0; i < p->stays; i++) {
        struct fd_folder whole = p->stay[i].folder, part = in_home(&p->stay[i]);
        if (home ? p->stay[i].home && begins(f->at + home, &part) : begins(f->at, &whole))
            return true;
    }
    return false;
}

bool fd_paths_stay(struct fd_paths *p, struct fd_folder f)
{
    if (fd_paths_stays(p, &f))
        return true;
    if (p->stays == FD_STAYS)
        return false;
    p->stay[p->stays++] = (struct fd_stay){f, home_part(p, &f)};
    return true;
}

static bool folder_until(struct fd_paths *p, const char **text, char end, struct fd_folder *ret)
{
    char part[1024];
    size_t n = 0;
    for (; **text && **text != end; ++*text) {
        if (n + 1 == sizeof part)
            return false;
        part[n++] = **text;
    }
    part[n] = 0;
    return fd_folder_keep(p, part, ret);
}

int fd_paths_parse(struct fd_paths *p, const char *text)
{
    for (int n = 0;; text++) {
        struct fd_map map = {.home = false};
        if (!folder_until(p, &text, '=', &map.from) || *text++ != '=' ||
            !folder_until(p, &text, ',', &map.to))
            return -1;
        if (++n > FD_MAPS - 2 || !fd_paths_add(p, map) || !fd_paths_add_back(p, map))
            return -2;
        if (!*text)
            return 0;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Where the first of "site-packages", "dist-packages" and "lib/python3.x" ends, or 0. */
static size_t packages(const char *path, size_t from)
{
    const char *at = path + from, *start;
    size_t n;
    for (bool lib = false; (start = name(&at, &n));) {
        if (n == 13 && (same(start, "site-packages", n) || same(start, "dist-packages", n)))
            return (size_t)(at - path);
        if (lib && n > 6 && same(start, "python", 6) && is_digit(start[6]))
            return (size_t)(at - path);
        lib = (n == 3 && same(start, "lib", n)) || (n == 5 && same(start, "lib64", n));
    }
    return 0;
}

static bool stays(const struct fd_paths *p, const char *rest, bool plain)
{
    for (unsigned int i = 0; i < p->stays; i++) {
        struct fd_folder part = in_home(&p->stay[i]);
        if (p->stay[i].home && below(&part, rest, plain) >= 0)
            return true;
    }
    return false;
}

bool fd_paths_find(const struct fd_paths *p, const char *path, struct fd_place *ret)
{
    bool plain = shortest(path);
    for (unsigned int i = 0; i < p->maps; i++) {
        const struct fd_map *m = &p->map[i];
        long rest = below(&m->from, path, plain);
        if (rest < 0)
            continue;
        if (below(&m->to, path, plain) >= 0 || (m->home && stays(p, path + rest, plain)))
            return false;
        *ret = (struct fd_place){m, (size_t)rest, m->home ? packages(path, (size_t)rest) : 0};
        return true;
    }
    return false;
}

static void join(const char *folder, size_t len, const char *rest, char *buf, size_t size)
{
    struct fd_line l = {buf, size, 0};
    for (size_t i = 0; i < len; i++)
        fd_line_text(&l, (const char[2]){folder[i], 0});
    fd_line_text(&l, len || *rest ? rest : "/");
}

bool fd_paths_around(const struct fd_paths *p, const char *path, char *buf, size_t size)
{
    if (shortest(path))
        return false;
    for (unsigned int i = 0; i < p->stays; i++) {
        struct walk w = walked(&p->stay[i].folder, path);
        if (!p->stay[i].home || w.rest < 0)
            continue;
        join(p->stay[i].folder.at, p->stay[i].folder.len, path + w.rest, buf, size);
        return true;
    }
    for (unsigned int i = 0; i < p->maps; i++) {
        struct walk w = walked(&p->map[i].from, path);
        if (!p->map[i].to.len || w.left < 0)
            continue;
        join(p->map[i].from.at, w.above, path + w.left, buf, size);
        return true;
    }
    return false;
}

bool fd_paths_find_back(const struct fd_paths *p, const char *path, size_t len,
                        struct fd_place *ret)
{
    for (unsigned int i = 0; i < p->backs; i++) {
        const struct fd_map *m = &p->back[i];
        if (len < m->from.len || !same(path, m->from.at, m->from.len) ||
            (len > m->from.len && path[m->from.len] != '/'))
            continue;
        *ret = (struct fd_place){m, m->from.len, 0};
        return true;
    }
    return false;
}

bool fd_paths_below_to(const struct fd_paths *p, const char *path)
{
    bool plain = shortest(path);
    for (unsigned int i = 0; i < p->maps; i++)
        if (below(&p->map[i].to, path, plain) >= 0)
            return true;
    return false;
}

bool fd_paths_in_tmp(const struct fd_paths *p, const char *path)
{
    static const struct fd_folder tmp[] = {{"/tmp", 4}, {"/var/tmp", 8}};
    bool plain = shortest(path);
    for (unsigned int i = 0; i < sizeof tmp / sizeof *tmp; i++) {
        long rest = below(&tmp[i], path, plain);
        if (rest < 0)
            continue;
        for (unsigned int k = 0; k < p->stays; k++)
            if (below(&p->stay[k].folder, path, plain) >= 0)
                return false;
        return fd_path_names(path + rest);
    }
    return false;
}
