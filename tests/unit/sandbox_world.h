#ifndef SANDBOX_WORLD_H
#define SANDBOX_WORLD_H
/* A small world to try sandboxes in: a home, a project in it, and something to say after each body
 * whether anything outside has changed. Bodies run as root and as an ordinary user where the test
 * is root's, else as who we are. */
#include "check.h"

#include "base/fdio.h"
#include "base/own.h"
#include "base/text.h"
#include "exec/child.h"
#include "exec/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY    65534
#define PATH_ROOM 1024

struct world {
    char root[PATH_ROOM];    /* what is below is ours */
    char home[PATH_ROOM];    /* .profile, notes, bin/ */
    char project[PATH_ROOM]; /* in home: test_a.py, old, data/one, data/two */
};

__attribute__((format(printf, 2, 3))) static inline void to_path(char buf[static PATH_ROOM],
                                                                 const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (vsnprintf(buf, PATH_ROOM, fmt, ap) >= PATH_ROOM)
        abort();
    va_end(ap);
}

/* Where the worlds are: not below /tmp, where it can be helped, since that is a case of its own. */
static inline const char *world_place(void)
{
    return access("/srv", W_OK) == 0 ? "/srv" : "/var/tmp";
}

static inline void put(const char *folder, const char *name, const char *words)
{
    own_text struct text path = {0};
    text_addf(&path, "%s/%s", folder, name);
    own_fd int fd = open(path.at, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || fdio_write_all(fd, words, strlen(words)) < 0)
        CHECK_SAY("writing %s: %s", path.at, strerror(errno));
}

static inline bool is_there(const char *folder, const char *name)
{
    struct stat st;
    own_text struct text path = {0};
    text_addf(&path, "%s/%s", folder, name);
    return lstat(path.at, &st) == 0;
}

static inline void reads(const char *folder, const char *name, const char *want)
{
    own_text struct text path = {0}, got = {0};
    struct err e = {0};
    text_addf(&path, "%s/%s", folder, name);
    if (fdio_read_file(path.at, 4096, &got, &e) < 0)
        CHECK_SAY("%s", e.what);
    else
        CHECK_STR(text_str(&got), want);
}

static inline void make_dir(const char *path)
{
    if (mkdir(path, 0755) < 0 && errno != EEXIST)
        CHECK_SAY("mkdir %s: %s", path, strerror(errno));
}

static inline void world_fill(struct world *w, const char *home_name)
{
    to_path(w->home, "%s/%s", w->root, home_name);
    to_path(w->project, "%s/project", w->home);
    own_text struct text t = {0};
    make_dir(w->home);
    make_dir(w->project);
    text_addf(&t, "%s/bin", w->home);
    make_dir(t.at);
    text_clear(&t);
    text_addf(&t, "%s/data", w->project);
    make_dir(t.at);
    put(w->home, ".profile", "profile");
    put(w->home, "notes", "notes");
    put(w->project, "test_a.py", "test");
    put(w->project, "old", "old");
    put(w->project, "data/one", "1");
    put(w->project, "data/two", "2");
}

/* ---- what is there, in words ------------------------------------------------------------------
 */

static inline int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static inline void describe(const char *path, struct text *out)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return;
    text_addf(out, "%s %o %u:%u %jd.%09ld ", path, st.st_mode, st.st_uid, st.st_gid,
              (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    if (S_ISREG(st.st_mode)) {
        struct err e;
        (void)fdio_read_file(path, 4096, out, &e);
    }
    text_addc(out, '\n');
    struct dirent **names;
    int n = S_ISDIR(st.st_mode) ? scandir(path, &names, NULL, by_name) : 0;
    for (int i = 0; i < n; i++) {
        own_text struct text below = {0};
        text_addf(&below, "%s/%s", path, names[i]->d_name);
        if (strcmp(names[i]->d_name, ".") && strcmp(names[i]->d_name, ".."))
            describe(below.at, out);
        free(names[i]);
    }
    if (n > 0)
        free(names);
}

static inline void names_in(const char *path, struct text *out)
{
    struct dirent **names;
    int n = scandir(path, &names, NULL, by_name);
    for (int i = 0; i < n; i++) {
        text_addf(out, "%s\n", names[i]->d_name);
        free(names[i]);
    }
    if (n > 0)
        free(names);
}

static inline void mounts(struct text *out)
{
    struct err e;
    (void)fdio_read_file("/proc/self/mountinfo", 1 << 20, out, &e);
}

/* ---- running ----------------------------------------------------------------------------------
 */

static inline int status_of(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

typedef void body_fn(struct world *);

static inline _Noreturn void run_inside(const struct sandbox *box, body_fn *body, struct world *w)
{
    struct sandbox_step at;
    check_failed = 0;
    if (box && sandbox_enter(box, &at) < 0)
        CHECK_SAY("as uid %d: %s: %s", (int)geteuid(), at.what, strerror(errno));
    else
        body(w);
    fflush(NULL);
    _exit(check_failed ? 1 : 0);
}

/* In a child; the sandbox, or NULL for none. */
static inline void inside(const struct sandbox *box, body_fn *body, struct world *w)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        run_inside(box, body, w);
    int status = status_of(pid);
    if (status)
        CHECK_SAY("as uid %d: what ran inside ended with %d", (int)geteuid(), status);
}

/* The same, and nothing in the world may have changed by it. */
static inline void inside_traceless(const struct sandbox *box, body_fn *body, struct world *w)
{
    own_text struct text before = {0}, after = {0};
    describe(w->root, &before);
    inside(box, body, w);
    describe(w->root, &after);
    CHECK_STR(text_str(&after), text_str(&before));
}

/* The control: without a sandbox it does leave traces. */
static inline void outside_leaves_traces(body_fn *body, struct world *w)
{
    own_text struct text before = {0}, after = {0};
    describe(w->root, &before);
    inside(NULL, body, w);
    describe(w->root, &after);
    CHECK(strcmp(text_str(&after), text_str(&before)));
}

static inline struct sandbox box_of(const struct world *w)
{
    return (struct sandbox){.mounts = true,
                            .network = true,
                            .lock = true,
                            .no_aslr = true,
                            .tmp = SANDBOX_TMP_PRIVATE,
                            .cow = {w->home, w->project},
                            .cows = 2};
}

static inline void become_user(uid_t uid)
{
    if (setgroups(0, NULL) < 0 || setgid(uid) < 0 || setuid(uid) < 0) {
        perror("becoming an ordinary user");
        _exit(1);
    }
    prctl(PR_SET_DUMPABLE, 1); /* as after exec: else /proc/self is not ours */
}

static inline bool write_map(const char *path, unsigned id)
{
    char line[64];
    snprintf(line, sizeof line, "%u %u 1", id, id);
    own_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd >= 0 && write(fd, line, strlen(line)) > 0;
}

/* Whether the system lets us, found out without what is tested. */
static inline bool boxes_work(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        uid_t uid = geteuid();
        if (unshare(CLONE_NEWNS | CLONE_NEWNET) < 0 &&
            (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET) < 0 ||
             !write_map("/proc/self/uid_map", uid)))
            _exit(1);
        _exit(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
              mount("x", "/tmp", "tmpfs", 0, NULL) < 0);
    }
    return status_of(pid) == 0;
}

/* In a child and a world of its own; `before` is run while we still are who we were. */
static inline int run_as(uid_t uid, body_fn *before, body_fn *body)
{
    struct world w = {0};
    to_path(w.root, "%s/fr-box-XXXXXX", world_place());
    if (!mkdtemp(w.root) || chown(w.root, uid, uid) < 0 || chmod(w.root, 0755) < 0) {
        CHECK_SAY("%s: %s", w.root, strerror(errno));
        return 1;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        check_failed = 0;
        if (before)
            before(&w);
        if (uid != geteuid())
            become_user(uid);
        if (!boxes_work()) {
            fprintf(stderr, "no namespaces as uid %d\n", (int)geteuid());
            _exit(77);
        }
        world_fill(&w, "home");
        body(&w);
        fflush(NULL);
        _exit(check_failed ? 1 : 0);
    }
    int status = status_of(pid);
    fdio_remove_tree(w.root);
    return status;
}

static inline void as_both_after(body_fn *before, body_fn *body)
{
    int first = run_as(geteuid(), before, body);
    int second = geteuid() == 0 ? run_as(NOBODY, before, body) : 77;
    if (first == 77 && second == 77)
        SKIP("namespaces are refused here");
    if (first != 77 && first != 0)
        CHECK_SAY("failed as uid %d (status %d)", (int)geteuid(), first);
    if (second != 77 && second != 0)
        CHECK_SAY("failed as an ordinary user (status %d)", second);
}

static inline void as_both(body_fn *body)
{
    as_both_after(NULL, body);
}

static inline bool is_root(void)
{
    return geteuid() == 0;
}

/* Runs a shell line as the runner runs its trials; its output in *out. */
static inline void shell(const struct sandbox *box, const char *line, struct text *out)
{
    own_argv struct argv argv = {0}, env = {0};
    argv_add(&argv, "sh");
    argv_add(&argv, "-c");
    argv_add(&argv, line);
    for (char **v = environ; *v; v++)
        argv_add(&env, *v);
    const struct spawn how = {.argv = &argv, .env = &env, .cwd = "/", .keep_fd = -1, .box = box};
    struct child c = CHILD_NONE;
    struct err e = {0};
    int status;
    if (child_spawn(&how, &c, &e) < 0) {
        CHECK_SAY("%s", e.what);
        return;
    }
    while (child_read(&c, out))
        usleep(1000);
    while (!child_ended(&c, &status))
        usleep(1000);
    child_done(&c);
}

/* A tree of mounts of our own, in which a test may mount what it likes. Root's only. */
static inline void own_mounts(void)
{
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        CHECK_SAY("mounts of our own: %s", strerror(errno));
}
#endif
