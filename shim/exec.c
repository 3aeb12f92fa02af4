/* The exec family. It runs in vfork children, who share the parent's memory and stand on its
 * stack: no allocation, no lock, no look-up; the only writes outside the stack are the counters
 * that are shared between processes anyway. */
#include "shim/exec.h"
#include "shim/acts.h"
#include "shim/child_env.h"
#include "shim/live.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/seen.h"
#include "shim/stop.h"
#include "shim/text.h"
#include "shim/way.h"
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#define PATH_ROOM 1024

static enum fd_need need_of(enum fd_cover cover)
{
    return cover == FD_PRIVILEGED                                ? FD_NEED_PRIVILEGED
           : cover == FD_OTHER_CLASS || cover == FD_OTHER_MACHINE ? FD_NEED_FOREIGN
                                                                 : FD_NEED_UNWATCHED;
}

/* What a program that is not covered sees as it is, of what we hold: "" is nothing. */
static void real_there(struct fd_line *l)
{
    const struct {
        bool held;
        const char *words;
    } of[] = {{fd_live_held(FD_AXIS_TIME) || fd_live_held(FD_AXIS_RNG), "time and randomness"},
              {fd_way_translates(), "the files of HOME"},
              {fd_live_held(FD_AXIS_LISTING), "the order of directories"},
              {fd_live_blocked(), "the network"}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        if (!of[i].held)
            continue;
        fd_line_text(l, l->len ? ", " : "");
        fd_line_text(l, of[i].words);
    }
}

void fd_exec_report(const char *path, enum fd_cover cover)
{
    struct fd_page *p = fd_live.page;
    char room[96];
    struct fd_line held = {room, sizeof room, 0};
    if (cover == FD_COVERED)
        return;
    if (fd_watching())
        fd_seen_need(need_of(cover), path);
    real_there(&held);
    if (!held.len)
        return;
    uint64_t hash = fd_text_hash(path, fd_text_len(path)) | 1;
    uint32_t n = __atomic_fetch_add(&p->not_covered, 1, __ATOMIC_ACQ_REL);
    for (int i = 0; i < FD_ESCAPES; i++) {
        uint64_t none = 0;
        if (__atomic_load_n(&p->not_covered_path[i], __ATOMIC_ACQUIRE) == hash)
            return;
        if (__atomic_compare_exchange_n(&p->not_covered_path[i], &none, hash, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            break;
        if (i == FD_ESCAPES - 1 && n)
            return;
    }
    fd_say(path, " (", fd_cover_words(cover), ") is not covered; real there: ", room);
}

uint64_t fd_exec_ordinal(int spawned)
{
    if (fd_live.by_hand) /* by hand every program starts the seed's root stream */
        return 0;
    bool child = spawned || FD_SYS1(SYS_getpid, 0) != fd_live.pid;
    return child ? fd_live_child_ordinal() : fd_live.ordinal;
}

static char **build(char *const *envp, enum fd_cover cover, void *room)
{
    return fd_child_env_build(envp, cover, fd_exec_ordinal(0), room);
}

/* A macro because the room must be on the stack of whoever calls exec. */
#define CHILD_ENV(envp, cover) build(envp, cover, alloca(fd_child_env_size(envp)))

static enum fd_cover checked(int dirfd, const char *path)
{
    enum fd_cover c = path ? fd_elf_cover(dirfd, path) : FD_COVERED;
    fd_exec_report(path, c);
    return c;
}

FD_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    if (!fd_live_on())
        return REAL(execve)(path, argv, envp);
    FD_WAY_OUT(AT_FDCWD, path, FD_PROGRAM, "execve");
    enum fd_cover c = checked(AT_FDCWD, path);
    fd_act_program(path, argv);
    return REAL(execve)(path, argv, CHILD_ENV(envp, c));
}

FD_EXPORT int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

FD_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    char buf[PATH_ROOM];
    if (!fd_live_on())
        return REAL(execvpe)(file, argv, envp);
    if (fd_text_find(file, "/")) { /* the room lasts as long as the function */
        FD_WAY_OUT(AT_FDCWD, file, FD_PROGRAM, "execvp");
    }
    const char *found = fd_elf_which(file, environ, buf, sizeof buf);
    if (!found && (found = fd_way_which(file, environ, buf, sizeof buf)))
        file = found;
    enum fd_cover c = checked(AT_FDCWD, found);
    fd_act_program(found, argv);
    return REAL(execvpe)(file, argv, CHILD_ENV(envp, c));
}

FD_EXPORT int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

/* Collects the arguments of a variadic call into `argv` and leaves `more` behind the NULL. */
#define COUNT_ARGS(n, arg)                     \
    va_list more;                              \
    size_t n = 1;                              \
    va_start(more, arg);                       \
    while (va_arg(more, const char *))         \
        n++;                                   \
    va_end(more);                              \
    char **argv = alloca((n + 1) * sizeof *argv); \
    union {                                    \
        const char *from;                      \
        char *to;                              \
    } first = {arg};                           \
    argv[0] = first.to;                        \
    va_start(more, arg);                       \
    for (size_t i = 1; i <= n; i++)            \
        argv[i] = va_arg(more, char *)

FD_EXPORT int execl(const char *path, const char *arg, ...)
{
    COUNT_ARGS(n, arg);
    va_end(more);
    return execve(path, argv, environ);
}

FD_EXPORT int execlp(const char *file, const char *arg, ...)
{
    COUNT_ARGS(n, arg);
    va_end(more);
    return execvpe(file, argv, environ);
}

FD_EXPORT int execle(const char *path, const char *arg, ...)
{
    COUNT_ARGS(n, arg);
    char *const *envp = va_arg(more, char *const *);
    va_end(more);
    return execve(path, argv, envp);
}

FD_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    if (!fd_live_on())
        return REAL(fexecve)(fd, argv, envp);
    enum fd_cover c = fd_elf_cover_fd(fd);
    fd_exec_report(argv[0] ? argv[0] : "a descriptor", c);
    fd_act_program_at(fd, "", argv);
    return REAL(fexecve)(fd, argv, CHILD_ENV(envp, c));
}

FD_EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
    char *const *env = envp;
    FD_WAY_OUT(fd, path, FD_PROGRAM, "execveat");
    if (fd_live_on()) {
        bool empty = !*path && flags & AT_EMPTY_PATH;
        enum fd_cover c = empty ? fd_elf_cover_fd(fd) : fd_elf_cover(fd, path);
        fd_exec_report(empty && argv[0] ? argv[0] : path, c);
        fd_act_program_at(fd, path, argv);
        env = CHILD_ENV(envp, c);
    }
    return REAL(execveat) ? real_execveat(fd, path, argv, env, flags)
                          : (int)fd_raw_result(FD_SYS5(SYS_execveat, fd, path, argv, env, flags));
}
