/* probe_env WHERE WHAT: asks once by each door, in WHERE: main thread fork exec signal. Prints the
 * answers: with the library and without they are the same, unless something is held.
 *   zone   the local time of the epoch
 *   env    a variable
 *   locale names, encoding, order
 *   cpus   how many processors there are */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static const char *what;

static void zone(void)
{
    time_t t = 0;
    struct tm tm, *shared;
    char text[64];
    tzset();
    shared = localtime(&t);
    printf("%d %ld\n", shared->tm_hour, shared->tm_gmtoff);
    localtime_r(&t, &tm);
    printf("%d %ld\n", tm.tm_hour, tm.tm_gmtoff);
    tm.tm_isdst = -1;
    printf("%ld\n", (long)mktime(&tm));
    tm.tm_isdst = -1;
    printf("%ld\n", (long)timelocal(&tm));
    printf("%s%s", ctime(&t), ctime_r(&t, text));
}

static void env(void)
{
    const char *one = getenv("SHOP_MODE"), *other = secure_getenv("SHOP_COLOR");
    printf("%s %s %d\n", one ? one : "-", other ? other : "-", errno);
}

static void cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) < 0)
        CPU_ZERO(&set);
    printf("%ld %ld %d %d %d %d\n", sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_CONF),
           get_nprocs(), get_nprocs_conf(), CPU_COUNT(&set), sysconf(_SC_PAGESIZE) > 0);
}

static void locale(void)
{
    char text[32];
    wchar_t wide[32];
    locale_t l = newlocale(LC_ALL_MASK, "", (locale_t)0);
    printf("%s %d", setlocale(LC_ALL, ""), l != (locale_t)0);
    printf(" %s %s", nl_langinfo(CODESET), localeconv()->decimal_point);
    printf(" %d %d", strcoll("a", "B") > 0, wcscoll(L"a", L"B") > 0);
    printf(" %zu %zu\n", strxfrm(text, "ab", 32), wcsxfrm(wide, L"ab", 32));
    setlocale(LC_ALL, NULL);
    if (l)
        freelocale(l);
}

static void *ask(void *unused)
{
    errno = 77;
    if (!strcmp(what, "zone"))
        zone();
    if (!strcmp(what, "env"))
        env();
    if (!strcmp(what, "locale"))
        locale();
    if (!strcmp(what, "cpus"))
        cpus();
    fflush(stdout);
    return unused;
}

static void on_signal(int signal)
{
    (void)signal;
    (void)ask(NULL);
}

int main(int argc, char **argv)
{
    pthread_t p;
    if (argc != 3)
        return 2;
    const char *where = argv[1];
    what = argv[2];
    if (!strcmp(where, "thread")) {
        pthread_create(&p, NULL, ask, NULL);
        pthread_join(p, NULL);
    } else if (!strcmp(where, "fork")) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(ask(NULL) != NULL);
        int status;
        return waitpid(pid, &status, 0) != pid || status;
    } else if (!strcmp(where, "exec")) {
        execl(argv[0], argv[0], "main", what, (char *)NULL);
        return 3;
    } else if (!strcmp(where, "signal")) {
        signal(SIGUSR1, on_signal);
        raise(SIGUSR1);
    } else {
        (void)ask(NULL);
    }
    return 0;
}
