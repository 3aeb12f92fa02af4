/* The plan carried out. A place's real folder was opened before anything was mounted, so that a
 * descriptor still leads there when the path does not. All mounts name their sources as
 * /proc/self/fd/N: no character of a path can be taken for a separator of mount options, and
 * nothing depends on the order in which paths are covered. */
#include "exec/sandbox_impl.h"

#include "base/fdio.h"
#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#define SOURCE  "flaky-repro" /* what a table of mounts shows */
#define FD_PATH 32

static const char *fd_path(char buf[static FD_PATH], int fd)
{
    snprintf(buf, FD_PATH, "/proc/self/fd/%d", fd);
    return buf;
}

/* Not in a user namespace, of ours or of a container. */
static bool is_outermost(void)
{
    own_text struct text map = {0};
    struct err e;
    unsigned first, as, n;
    return fdio_read_file("/proc/self/uid_map", 4096, &map, &e) < 0 ||
           (sscanf(text_str(&map), "%u %u %u", &first, &as, &n) == 3 && n == UINT32_MAX);
}

/* What the real one's mount forbids stays forbidden. */
static unsigned long flags_of(int real)
{
    static const struct {
        unsigned long st, ms;
    } flags[] = {{ST_NOSUID, MS_NOSUID},         {ST_NODEV, MS_NODEV},
                 {ST_NOEXEC, MS_NOEXEC},         {ST_NOATIME, MS_NOATIME},
                 {ST_NODIRATIME, MS_NODIRATIME}, {ST_RELATIME, MS_RELATIME}};
    struct statvfs fs;
    unsigned long ms = 0;
    for (size_t i = 0; fstatvfs(real, &fs) == 0 && i < sizeof flags / sizeof *flags; i++)
        ms |= fs.f_flag & flags[i].st ? flags[i].ms : 0;
    return ms;
}

/* Owner, mode and times of the real folder; in a user namespace the owner only if it is ours. */
static int dress(int base, const char *name, int real)
{
    struct stat st;
    if (fstat(real, &st) < 0)
        return -1;
    (void)!fchownat(base, name, st.st_uid, st.st_gid, 0);
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    return fchmodat(base, name, st.st_mode & 07777, 0) < 0 ? -1 : utimensat(base, name, times, 0);
}

/* The folders on the way from an empty place to something in it: like the real ones. */
static int dress_way(const struct place *outer, int base, char *way, bool make)
{
    for (char *s = strchr(way, '/'); s; s = strchr(s + 1, '/')) {
        *s = 0;
        own_fd int real = openat(outer->real, way, O_PATH | O_DIRECTORY | O_CLOEXEC);
        int did =
            make && mkdirat(base, way, 0700) < 0 && errno != EEXIST ? -1 : dress(base, way, real);
        *s = '/';
        if (did < 0)
            return -1;
    }
    return 0;
}

/* In an empty place: a folder to mount on, or the link. */
static int make_point(const struct place *outer, const struct place *q)
{
    own_mem char *way = str_or_die(q->path + strlen(outer->path) + 1);
    own_fd int base = open(outer->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (base < 0 || dress_way(outer, base, way, true) < 0)
        return -1;
    int did = q->link ? symlinkat(q->link, base, way) : mkdirat(base, way, 0700);
    /* Again: what was made in them has changed their times. */
    return did < 0 && errno != EEXIST ? -1 : dress_way(outer, base, way, false);
}

/* Changes that nobody keeps go to a file system in memory. It is mounted where the first layers
 * will come, so that they cover it: the layers reach it, no path does. */
static int open_stage(struct plan *p, const char *path)
{
    if (mount(SOURCE, path, "tmpfs", 0, "mode=0700") < 0)
        return sandbox_failed(p->at, SANDBOX_MOUNTS, "mounting a tmpfs");
    p->stage = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return p->stage < 0 ? sandbox_failed(p->at, SANDBOX_MOUNTS, "opening the tmpfs") : 0;
}

static int make_layer(int base, const char *name)
{
    return mkdirat(base, name, 0700) < 0 ? -1
                                         : openat(base, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* In a user namespace the kernel shows no folder through layers below which something is mounted:
 * they would show what that mount hides. */
static int layers_failed(struct plan *p, const struct place *q)
{
    const char *below = NULL;
    for (size_t i = 0; i < p->n && !p->plain && errno == EINVAL; i++)
        if (p->place[i].found && place_is_below(p->place[i].path, q->path))
            below = p->place[i].path;
    if (below)
        sandbox_failed(p->at, SANDBOX_MOUNTS, "layers over %s, with %s mounted in it", q->path,
                       below);
    else
        sandbox_failed(p->at, SANDBOX_MOUNTS, "layers over %s", q->path);
    p->at->folder = q->cow < 0 ? SANDBOX_DIRS : q->cow;
    return -1;
}

/* What a kernel does not know it answers with EINVAL; then with less. Without redirect_dir a folder
 * that is in the real one cannot be renamed (EXDEV); a user namespace may not have it. userxattr is
 * of 5.11, and needed from then on. index would make a seed's files stale. Without xino a file has
 * another device than its folder, and another inode once it is changed. volatile: no sync of the
 * whole disk when the last process ends. */
static const char *const root_options[] = {
    ",redirect_dir=on,index=off,metacopy=off,xino=on,volatile",
    ",redirect_dir=on,index=off,metacopy=off,xino=on", ",redirect_dir=on", "", NULL};
static const char *const user_options[] = {",userxattr,index=off,xino=on,volatile",
                                           ",userxattr,index=off,xino=on", ",userxattr", "", NULL};

static int mount_layers(struct plan *p, const struct place *q, const char *layers)
{
    for (const char *const *o = p->plain ? root_options : user_options; *o; o++) {
        own_text struct text words = {0};
        text_addf(&words, "%s%s", layers, *o);
        if (mount(SOURCE, q->path, "overlay", flags_of(q->real), text_str(&words)) == 0)
            return 0;
        if (errno != EINVAL)
            break;
    }
    return -1;
}

static int show_cow(struct plan *p, size_t i)
{
    struct place *q = &p->place[i];
    bool keeps = p->upper >= 0 && q->cow >= 0;
    if (!keeps && p->stage < 0 && open_stage(p, q->path) < 0)
        return -1;
    char name[32], work[40], fd[FD_PATH];
    snprintf(name, sizeof name, "%d", keeps ? q->cow : (int)i);
    snprintf(work, sizeof work, "%s.work", name);
    int base = keeps ? p->upper : p->stage;
    own_fd int up = make_layer(base, name);
    own_fd int aside = up < 0 ? -1 : make_layer(base, work);
    if (aside < 0 || dress(base, name, q->real) < 0)
        return sandbox_failed(p->at, SANDBOX_MOUNTS, "making room for changes below %s", q->path);
    snprintf(name, sizeof name, "%d", q->cow);
    own_fd int seed =
        p->seed < 0 || q->cow < 0 ? -1 : openat(p->seed, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    own_text struct text layers = {0};
    text_add(&layers, "lowerdir=");
    if (seed >= 0)
        text_addf(&layers, "%s:", fd_path(fd, seed));
    text_addf(&layers, "%s,upperdir=", fd_path(fd, q->real));
    text_addf(&layers, "%s,workdir=", fd_path(fd, up));
    text_add(&layers, fd_path(fd, aside));
    return mount_layers(p, q, text_str(&layers)) < 0 ? layers_failed(p, q) : 0;
}

static int show(struct plan *p, size_t i)
{
    struct place *q = &p->place[i];
    struct place *outer = plan_around(p, i, q->path);
    char fd[FD_PATH];
    unsigned long flags = q->real < 0 ? 0 : flags_of(q->real) & (MS_NOSUID | MS_NODEV | MS_NOEXEC);
    if (outer && outer->kind == PLACE_EMPTY && make_point(outer, q) < 0)
        return sandbox_failed(p->at, SANDBOX_MOUNTS, "making %s in a private folder", q->path);
    switch (q->kind) {
    case PLACE_REAL:
        if (mount(fd_path(fd, q->real), q->path, NULL, MS_BIND | MS_REC, NULL) < 0)
            return sandbox_failed(p->at, SANDBOX_MOUNTS, "keeping %s", q->path);
        break;
    case PLACE_EMPTY:
        if (mount(SOURCE, q->path, "tmpfs", flags, "mode=1777") < 0)
            return sandbox_failed(p->at, SANDBOX_MOUNTS, "mounting a tmpfs on %s", q->path);
        break;
    case PLACE_COW:
        return show_cow(p, i);
    case PLACE_LINK: /* made just now */
        break;
    }
    return 0;
}

/* Back to the same path, which may lead to another folder now. */
static void enter_again(const char *cwd)
{
    if (!cwd || chdir(cwd) < 0)
        (void)!chdir("/"); /* a private /tmp does not show it */
}

static int open_folder(struct plan *p, const char *path, int *ret_fd)
{
    *ret_fd = path ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    return path && *ret_fd < 0 ? sandbox_failed(p->at, SANDBOX_MOUNTS, "opening %s", path) : 0;
}

int sandbox_mount(const struct sandbox *box, bool user_ns, struct sandbox_step *at)
{
    own_plan struct plan p = {.box = box, .at = at, .upper = -1, .seed = -1, .stage = -1};
    own_mem char *cwd = getcwd(NULL, 0);
    p.plain = !user_ns && is_outermost();
    /* Or all that is mounted here would be mounted outside as well. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return sandbox_failed(at, SANDBOX_MOUNTS, "making mounts private");
    if (open_folder(&p, box->upper, &p.upper) < 0 || open_folder(&p, box->seed, &p.seed) < 0 ||
        plan_make(&p) < 0)
        return -1;
    for (size_t i = 0; i < p.n; i++)
        if (show(&p, i) < 0)
            return -1;
    enter_again(cwd);
    return 0;
}
