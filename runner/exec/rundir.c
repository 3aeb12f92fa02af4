#include "exec/rundir.h"

#include "base/fdio.h"
#include "base/own.h"
#include "shim/wire.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Whether the process's environment names a page below `path`. */
static bool is_ours(const char *pid, const char *path)
{
    char file[64];
    snprintf(file, sizeof file, "/proc/%.20s/environ", pid);
    own_text struct text env = {0};
    struct err ignored;
    if (fdio_read_file(file, 1 << 20, &env, &ignored) < 0)
        return false;
    char want[96];
    snprintf(want, sizeof want, FD_ENV_PAGE "=%s/", path);
    for (size_t i = 0; i < env.len; i += strlen(env.at + i) + 1)
        if (text_starts(env.at + i, want))
            return true;
    return false;
}

static bool end_strays_once(const char *path)
{
    bool any = false;
    DIR *proc = opendir("/proc");
    if (!proc)
        return false;
    for (struct dirent *d; (d = readdir(proc));) {
        if (!isdigit((unsigned char)d->d_name[0]) || atoi(d->d_name) == getpid())
            continue;
        if (is_ours(d->d_name, path))
            any |= kill((pid_t)atoi(d->d_name), SIGKILL) == 0;
    }
    closedir(proc);
    return any;
}

/* A process may fork between our look and the signal: look until none is left. */
static void end_strays(const char *path)
{
    for (int round = 0; round < 50 && end_strays_once(path); round++)
        usleep(2000);
}

static _Noreturn void keep(const char *path, int fd)
{
    setsid(); /* Ctrl-C is for the others */
    prctl(PR_SET_NAME, "fr-keeper");
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    int null = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3 && null >= 0; i++)
        dup2(null, i); /* else a reader of our output would wait for the keeper too */
    char c;
    while (read(fd, &c, 1) < 0 && errno == EINTR)
        ;
    end_strays(path);
    fdio_remove_tree(path);
    _exit(0);
}

static const char *place(void)
{
    const char *tmp = getenv("TMPDIR");
    /* A long TMPDIR would leave no room for sockets below it. */
    if (tmp && tmp[0] == '/' && strlen(tmp) < 40 && access(tmp, W_OK | X_OK) == 0)
        return tmp;
    return "/tmp";
}

int rundir_open(struct rundir *ret_dir, struct err *e)
{
    struct rundir d = RUNDIR_NONE;
    snprintf(d.path, sizeof d.path, "%s/fr-XXXXXX", place());
    if (!mkdtemp(d.path)) {
        err_sys(e, "creating a folder for the trials in %s", place());
        return err_hint(e, "set TMPDIR to a folder that can be written");
    }
    int pipe_fd[2];
    if (pipe2(pipe_fd, O_CLOEXEC) < 0)
        return err_sys(e, "starting the keeper");
    pid_t pid = fork();
    if (pid < 0)
        return err_sys(e, "starting the keeper");
    if (pid == 0) {
        close(pipe_fd[1]);
        keep(d.path, pipe_fd[0]);
    }
    close(pipe_fd[0]);
    d.keeper_fd = pipe_fd[1];
    d.keeper_pid = pid;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    *ret_dir = d;
    return 0;
}

void rundir_done(struct rundir *d)
{
    if (d->keeper_pid <= 0)
        return;
    own_fd_close(&d->keeper_fd);
    while (waitpid(d->keeper_pid, NULL, 0) < 0 && errno == EINTR)
        ;
    d->keeper_pid = 0;
}

int rundir_trial(struct rundir *d, char buf[static TRIAL_PATH_MAX], struct err *e)
{
    snprintf(buf, TRIAL_PATH_MAX, "%s/%u", d->path, d->next++);
    if (mkdir(buf, 0700) < 0)
        return err_sys(e, "creating %s", buf);
    return 0;
}
