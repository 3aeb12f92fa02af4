/* probe_start HOW PROGRAM [ARG...]: starts PROGRAM the named way with an empty environment and
 * returns its exit status. The parent then checks what a vfork child must not have touched. */
#include <errno.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A name that is younger than 2.31: found, not linked; bare and too old it is the system call. */
static void exec_at(char *const args[], char *const envp[])
{
    int (*call)(int, const char *, char *const[], char *const[], int);
    *(void **)&call = dlsym(RTLD_DEFAULT, "execveat");
    if (call)
        call(AT_FDCWD, args[0], args, envp, 0);
    else
        syscall(SYS_execveat, AT_FDCWD, args[0], args, envp, 0);
}

static char *const none[] = {NULL};

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static void replace(const char *how, char **args)
{
    char path[4096];
    if (!strcmp(how, "execve") || !strcmp(how, "vfork"))
        execve(args[0], args, none);
    else if (!strcmp(how, "execv"))
        execv(args[0], args);
    else if (!strcmp(how, "execvp"))
        execvp(args[0], args);
    else if (!strcmp(how, "execvpe"))
        execvpe(args[0], args, none);
    else if (!strcmp(how, "execl"))
        execl(args[0], args[0], args[1], (char *)NULL);
    else if (!strcmp(how, "execle"))
        execle(args[0], args[0], args[1], (char *)NULL, none);
    else if (!strcmp(how, "execlp"))
        execlp(args[0], args[0], args[1], (char *)NULL);
    else if (!strcmp(how, "fexecve"))
        fexecve(open(realpath(args[0], path), O_RDONLY), args, none);
    else if (!strcmp(how, "execveat"))
        exec_at(args, none);
    _exit(98);
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    char **args = argv + 2;
    pid_t pid;
    if (argc < 3)
        return 2;
    if (!strcmp(how, "posix_spawn"))
        return posix_spawn(&pid, args[0], NULL, NULL, args, none) ? 97 : wait_for(pid);
    if (!strcmp(how, "posix_spawnp"))
        return posix_spawnp(&pid, args[0], NULL, NULL, args, none) ? 97 : wait_for(pid);
    if (!strcmp(how, "system")) {
        clearenv();
        return WEXITSTATUS(system(args[0]));
    }
    if (!strcmp(how, "popen")) {
        char line[256];
        clearenv();
        FILE *f = popen(args[0], "r");
        while (fgets(line, sizeof line, f))
            fputs(line, stdout);
        return WEXITSTATUS(pclose(f));
    }
    if (!strcmp(how, "vfork")) {
        pid = vfork();
        if (!pid)
            replace(how, args);
        return wait_for(pid);
    }
    pid = fork();
    if (!pid)
        replace(how, args);
    return wait_for(pid);
}
