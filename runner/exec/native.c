#include "exec/native.h"

#include "base/fdio.h"
#include "base/own.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define THREADS_MAX 64

static const char *call_name(long n)
{
    static const struct {
        long number;
        const char *name;
    } calls[] = {
        {SYS_read, "read"},
        {SYS_write, "write"},
        {SYS_futex, "futex"},
        {SYS_ppoll, "ppoll"},
        {SYS_pselect6, "pselect6"},
        {SYS_epoll_pwait, "epoll_pwait"},
        {SYS_wait4, "wait4"},
        {SYS_waitid, "waitid"},
        {SYS_nanosleep, "nanosleep"},
        {SYS_connect, "connect"},
        {SYS_accept, "accept"},
        {SYS_accept4, "accept4"},
        {SYS_recvfrom, "recvfrom"},
        {SYS_recvmsg, "recvmsg"},
        {SYS_sendto, "sendto"},
        {SYS_fcntl, "fcntl"},
        {SYS_flock, "flock"},
        {SYS_openat, "openat"},
        {SYS_fsync, "fsync"},
        {SYS_clock_nanosleep, "clock_nanosleep"},
        {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
        {SYS_rt_sigsuspend, "rt_sigsuspend"},
#ifdef SYS_poll
        {SYS_poll, "poll"},
        {SYS_select, "select"},
        {SYS_epoll_wait, "epoll_wait"},
        {SYS_pause, "pause"},
#endif
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == n)
            return calls[i].name;
    return NULL;
}

/* A small file of a thread's, its last newline cut. */
static bool thread_file(pid_t pid, const char *thread, const char *name, struct text *out)
{
    char path[96];
    struct err ignored;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/%s", (int)pid, thread, name);
    if (fdio_read_file(path, 4096, out, &ignored) < 0)
        return false;
    while (out->len && out->at[out->len - 1] == '\n')
        text_cut(out, out->len - 1);
    return out->len > 0;
}

/* "libc.so.6+0x89e4" of an address, by the maps of the process. */
static void say_module(const char *maps, unsigned long long at, struct text *out)
{
    for (const char *line = maps; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        unsigned long long from, to, offset;
        int name = 0;
        if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &from, &to, &offset, &name) < 3 ||
            at < from || at >= to)
            continue;
        own_text struct text path = {0};
        if (name)
            text_addn(&path, line + name, strcspn(line + name, "\n"));
        const char *slash = path.at ? strrchr(path.at, '/') : NULL;
        text_addf(out, ", called from %s+0x%llx",
                  slash      ? slash + 1
                  : path.len ? path.at
                             : "memory without a file",
                  at - from + offset);
        return;
    }
}

static void say_thread(pid_t pid, const char *thread, const char *maps, struct text *out)
{
    own_text struct text name = {0}, call = {0}, stat = {0};
    (void)thread_file(pid, thread, "comm", &name);
    text_addf(out, "Thread %s (%s): ", thread, text_str(&name));
    bool told = thread_file(pid, thread, "syscall", &call);
    if (!told || !isdigit((unsigned char)call.at[0])) {
        (void)thread_file(pid, thread, "stat", &stat);
        const char *state = stat.at ? strrchr(stat.at, ')') : NULL;
        text_add(out, state && state[1] == ' ' && strchr("Tt", state[2])
                          ? "stopped\n"
                          : "runs, in no system call\n");
        return;
    }
    long number = strtol(call.at, NULL, 10);
    const char *known = call_name(number), *pc = strrchr(call.at, ' ');
    if (known)
        text_addf(out, "in %s", known);
    else
        text_addf(out, "in system call %ld", number);
    if (pc)
        say_module(maps, strtoull(pc + 1, NULL, 16), out);
    text_addc(out, '\n');
}

void native_stack(pid_t pid, struct text *out)
{
    char path[64];
    own_text struct text maps = {0};
    struct err ignored;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    (void)fdio_read_file(path, (size_t)4 << 20, &maps, &ignored);
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *d = opendir(path);
    int n = 0;
    for (struct dirent *one; d && (one = readdir(d)) && n < THREADS_MAX;) {
        if (!isdigit((unsigned char)one->d_name[0]))
            continue;
        if (n++ == 0)
            text_add(out, "As the kernel has it, since no Python answered:\n");
        say_thread(pid, one->d_name, text_str(&maps), out);
    }
    if (d)
        closedir(d);
}
