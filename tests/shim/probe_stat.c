/* probe_stat DIR: the stat family on a file made now, the setters of file times, an old file.
 * Prints what disagrees with the clock the program sees; exit status 1 then. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static int bad;
static char path[4096];
static int fd;

static void near(const char *what, double have, double want, double within)
{
    if (have - want <= within && want - have <= within)
        return;
    bad = 1;
    printf("%s: %.6f, want %.6f\n", what, have, want);
}

static double seconds(struct timespec t)
{
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return seconds(t);
}

static double mtime(void)
{
    struct stat s;
    stat(path, &s);
    return seconds(s.st_mtim);
}

static void doors(double want, double within)
{
    struct stat s[4];
    struct stat64 l[4];
    struct statx x;
    stat(path, &s[0]);
    lstat(path, &s[1]);
    fstat(fd, &s[2]);
    fstatat(AT_FDCWD, path, &s[3], 0);
    stat64(path, &l[0]);
    lstat64(path, &l[1]);
    fstat64(fd, &l[2]);
    fstatat64(AT_FDCWD, path, &l[3], 0);
    statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &x);
    for (int i = 0; i < 4; i++) {
        near("stat mtime", seconds(s[i].st_mtim), want, within);
        near("stat64 mtime", seconds(l[i].st_mtim), want, within);
    }
    near("statx mtime", (double)x.stx_mtime.tv_sec, want, within + 1);
}

static void round_trips(void)
{
    double t = now();
    struct timespec ts[2] = {{.tv_sec = (time_t)t, .tv_nsec = 250000000},
                             {.tv_sec = (time_t)t - 1, .tv_nsec = 500000000}};
    double want = seconds(ts[1]);
    if (t - (double)(time_t)t < 0.3) /* a stamp of this very second would lie in the future */
        ts[0].tv_sec--;
    utimensat(AT_FDCWD, path, ts, 0);
    near("utimensat just now", mtime(), want, 1e-6);
    static const long ages[] = {-3600, 10, 7200, 10 * 86400, 4000 * 86400};
    for (size_t i = 0; i < sizeof ages / sizeof ages[0]; i++) {
        ts[1].tv_sec = (time_t)t - ages[i];
        futimens(fd, ts);
        near("futimens", mtime(), seconds(ts[1]), 1e-6);
        struct timeval tv[2] = {{.tv_sec = ts[1].tv_sec}, {.tv_sec = ts[1].tv_sec, .tv_usec = 5}};
        utimes(path, tv);
        near("utimes", mtime(), (double)tv[1].tv_sec + 5e-6, 1e-6);
        futimes(fd, tv);
        near("futimes", mtime(), (double)tv[1].tv_sec + 5e-6, 1e-6);
        lutimes(path, tv);
        near("lutimes", mtime(), (double)tv[1].tv_sec + 5e-6, 1e-6);
        struct utimbuf u = {ts[1].tv_sec, ts[1].tv_sec};
        utime(path, &u);
        near("utime", mtime(), (double)u.modtime, 1e-6);
    }
    utimensat(AT_FDCWD, path, NULL, 0);
    near("utimensat now", mtime(), now(), 0.5);
    struct timespec special[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
    utimensat(AT_FDCWD, path, special, 0);
    near("UTIME_NOW", mtime(), now(), 0.5);
}

int main(int argc, char **argv)
{
    struct stat s;
    snprintf(path, sizeof path, "%s/probe_stat.XXXXXX", argc > 1 ? argv[1] : ".");
    fd = mkstemp(path);
    doors(now(), 0.5);
    usleep(20000);
    double first = mtime();
    usleep(20000);
    near("constant within the window", mtime(), first, 0);
    round_trips();
    unlink(path);
    stat("/proc/self/exe", &s); /* older than the run: its time is the file system's */
    printf("%lld\n", (long long)s.st_mtime);
    return bad;
}
