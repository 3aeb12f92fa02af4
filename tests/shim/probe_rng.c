/* probe_rng WHERE: twelve bytes from every door to the kernel's entropy, called in main, thread,
 * fork, exec or signal, one line of hex. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define DOORS 9
static unsigned char seen[DOORS][12];

static void read_all(void)
{
    int fd = open("/dev/urandom", O_RDONLY), other = dup(fd);
    struct iovec v = {seen[5], 12};
    void (*arc4)(void *, size_t);
    *(void **)&arc4 = dlsym(RTLD_DEFAULT, "arc4random_buf");
    if (getrandom(seen[0], 12, 0) != 12 || getentropy(seen[1], 12) ||
        syscall(SYS_getrandom, seen[2], 12, 0) != 12 || read(fd, seen[3], 12) != 12 ||
        pread(other, seen[4], 12, 0) != 12 || readv(other, &v, 1) != 12)
        abort();
    if (arc4)
        arc4(seen[6], 12);
    close(fd);
    close(other);
}

static void read_stream(void) /* stdio is not for signal handlers */
{
    FILE *f = fopen("/dev/random", "rb");
    int fd = open("/dev/urandom", O_RDONLY);
    FILE *g = fdopen(fd, "rb");
    if (!f || fread(seen[7], 1, 12, f) != 12 || !g || fread(seen[8], 1, 12, g) != 12)
        abort();
    fclose(f);
    fclose(g);
    if (fcntl(fd, F_GETFD) != -1) /* fclose took the descriptor along */
        abort();
}

static void on_signal(int s)
{
    (void)s;
    read_all();
}

static void *on_thread(void *arg)
{
    read_all();
    read_stream();
    return arg;
}

static int show(void)
{
    for (int d = 0; d < DOORS; d++)
        for (int i = 0; i < 12; i++)
            printf("%02x%s", seen[d][i], i < 11 ? "" : d < DOORS - 1 ? " " : "\n");
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    const char *where = argc > 1 ? argv[1] : "main";
    pthread_t p;
    if (!strcmp(where, "thread")) {
        pthread_create(&p, NULL, on_thread, NULL);
        pthread_join(p, NULL);
    } else if (!strcmp(where, "fork")) {
        int status;
        pid_t child = fork();
        if (!child) {
            on_thread(NULL);
            _exit(show());
        }
        waitpid(child, &status, 0);
        return status != 0;
    } else if (!strcmp(where, "exec")) {
        char *const args[] = {argv[0], NULL}, *const none[] = {NULL};
        execve("/proc/self/exe", args, none);
        return 1;
    } else if (!strcmp(where, "signal")) {
        signal(SIGUSR1, on_signal);
        raise(SIGUSR1);
        read_stream();
    } else {
        on_thread(NULL);
    }
    return show();
}
