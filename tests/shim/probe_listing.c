/* probe_listing HOW FOLDER [WHERE]   what FOLDER holds, one name a line, in the order in which HOW
 *                                    shows it; WHERE is main, thread, fork or exec
 * probe_listing contract FOLDER      what callers may rely on, whatever is held: prints what does
 *                                    not hold; FOLDER is empty and stays so */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static const char *how, *folder;

static void show(const char *path)
{
    const char *base = strrchr(path, '/');
    puts(base ? base + 1 : path);
}

#define SHOW_ALL(opened, entry, read)           \
    do {                                        \
        DIR *d = opened;                        \
        for (struct entry *e; (e = read(d));)   \
            puts(e->d_name);                    \
        closedir(d);                            \
    } while (0)

#define SHOW_ALL_R(opened, entry, read)                \
    do {                                               \
        DIR *d = opened;                               \
        struct entry room, *e;                         \
        while (read(d, &room, &e) == 0 && e)           \
            puts(e->d_name);                           \
        closedir(d);                                   \
    } while (0)

#define SHOW_SCAN(entry, call)            \
    do {                                  \
        struct entry **list;              \
        int n = call;                     \
        for (int i = 0; i < n; i++) {     \
            puts(list[i]->d_name);        \
            free(list[i]);                \
        }                                 \
        if (n >= 0)                       \
            free(list);                   \
    } while (0)

static int no_dots(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static int tied(const struct dirent **a, const struct dirent **b)
{
    return (*a)->d_name[0] == 'z' ? (*b)->d_name[0] != 'z' : -((*b)->d_name[0] == 'z');
}

static int visit(const char *path, const struct stat *s, int kind, struct FTW *w)
{
    if (w->level > 0 && (kind == FTW_F) == S_ISREG(s->st_mode))
        show(path + (w->base ? w->base - 1 : 0));
    return 0;
}

static int visit64(const char *path, const struct stat64 *s, int kind, struct FTW *w)
{
    return visit(path, (const struct stat *)s, kind, w);
}

static int visit_old(const char *path, const struct stat *s, int kind)
{
    if (strcmp(path, folder) && (kind == FTW_F) == S_ISREG(s->st_mode))
        show(path);
    return 0;
}

static int visit_old64(const char *path, const struct stat64 *s, int kind)
{
    return visit_old(path, (const struct stat *)s, kind);
}

static void show_glob(void)
{
    char pattern[4096];
    glob_t g = {0};
    glob64_t g64 = {0};
    snprintf(pattern, sizeof pattern, "%s/*", folder);
    if (!strcmp(how, "glob") && !glob(pattern, GLOB_NOSORT, NULL, &g))
        for (size_t i = 0; i < g.gl_pathc; i++)
            show(g.gl_pathv[i]);
    if (!strcmp(how, "glob64") && !glob64(pattern, GLOB_NOSORT, NULL, &g64))
        for (size_t i = 0; i < g64.gl_pathc; i++)
            show(g64.gl_pathv[i]);
    if (!strcmp(how, "glob_sorted") && !glob(pattern, 0, NULL, &g))
        for (size_t i = 0; i < g.gl_pathc; i++)
            show(g.gl_pathv[i]);
    globfree(&g);
    globfree64(&g64);
}

static void show_fts(void)
{
    char path[4096];
    char *roots[] = {path, NULL};
    strcpy(path, folder);
    if (!strcmp(how, "fts")) {
        FTS *f = fts_open(roots, FTS_PHYSICAL, NULL);
        for (FTSENT *e; f && (e = fts_read(f));)
            if (e->fts_level == 1 && e->fts_info != FTS_DP)
                puts(e->fts_name);
        fts_close(f);
    } else {
        FTS64 *f = fts64_open(roots, FTS_PHYSICAL, NULL);
        for (FTSENT64 *e; f && (e = fts64_read(f));)
            if (e->fts_level == 1 && e->fts_info != FTS_DP)
                puts(e->fts_name);
        fts64_close(f);
    }
}

static void *list(void *unused)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    (void)unused;
    if (!strcmp(how, "readdir"))
        SHOW_ALL(opendir(folder), dirent, readdir);
    else if (!strcmp(how, "readdir64"))
        SHOW_ALL(opendir(folder), dirent64, readdir64);
    else if (!strcmp(how, "readdir_r"))
        SHOW_ALL_R(opendir(folder), dirent, readdir_r);
    else if (!strcmp(how, "readdir64_r"))
        SHOW_ALL_R(opendir(folder), dirent64, readdir64_r);
    else if (!strcmp(how, "fdopendir"))
        SHOW_ALL(fdopendir(dup(fd)), dirent, readdir);
    else if (!strcmp(how, "scandir"))
        SHOW_SCAN(dirent, scandir(folder, &list, NULL, NULL));
    else if (!strcmp(how, "scandir_filter"))
        SHOW_SCAN(dirent, scandir(folder, &list, no_dots, NULL));
    else if (!strcmp(how, "scandir_tied"))
        SHOW_SCAN(dirent, scandir(folder, &list, no_dots, tied));
    else if (!strcmp(how, "scandir_alpha"))
        SHOW_SCAN(dirent, scandir(folder, &list, no_dots, alphasort));
    else if (!strcmp(how, "scandir64"))
        SHOW_SCAN(dirent64, scandir64(folder, &list, NULL, NULL));
    else if (!strcmp(how, "scandirat"))
        SHOW_SCAN(dirent, scandirat(fd, ".", &list, NULL, NULL));
    else if (!strcmp(how, "scandirat64"))
        SHOW_SCAN(dirent64, scandirat64(fd, ".", &list, NULL, NULL));
    else if (!strncmp(how, "glob", 4))
        show_glob();
    else if (!strncmp(how, "fts", 3))
        show_fts();
    else if (!strcmp(how, "nftw"))
        nftw(folder, visit, 9, FTW_PHYS);
    else if (!strcmp(how, "nftw64"))
        nftw64(folder, visit64, 9, 0);
    else if (!strcmp(how, "ftw"))
        ftw(folder, visit_old, 9);
    else if (!strcmp(how, "ftw64"))
        ftw64(folder, visit_old64, 9);
    else
        exit(2);
    close(fd);
    return NULL;
}

static int bad;
#define HOLDS(x)                        \
    do {                                \
        if (!(x)) {                     \
            bad = 1;                    \
            printf("not so: %s\n", #x); \
        }                               \
    } while (0)

static void touch(const char *name)
{
    int fd = openat(AT_FDCWD, name, O_CREAT | O_WRONLY, 0600);
    HOLDS(fd >= 0);
    close(fd);
}

/* names that readdir still has to give, joined */
static char *rest(DIR *d)
{
    static char text[2][65536];
    static int turn;
    char *at = text[turn ^= 1];
    *at = 0;
    for (struct dirent *e; (e = readdir(d));)
        strcat(strcat(at, e->d_name), " ");
    return at;
}

static void positions(void)
{
    DIR *d = opendir(".");
    long at[16];
    char name[16][256], all[4096];
    int n = 0;
    HOLDS(telldir(d) == 0);
    for (struct dirent *e; n < 16 && (at[n] = telldir(d), e = readdir(d)); n++) {
        strcpy(name[n], e->d_name);
        HOLDS(e->d_off == telldir(d) && strlen(e->d_name) < e->d_reclen && e->d_ino);
        HOLDS(e->d_type == (e->d_name[0] == '.' ? DT_DIR : DT_REG));
    }
    HOLDS(n == 12); /* `.`, `..` and ten files */
    for (int i = n; i-- > 0;) {
        seekdir(d, at[i]);
        struct dirent *e = readdir(d);
        HOLDS(e && !strcmp(e->d_name, name[i]));
    }
    rewinddir(d);
    HOLDS(telldir(d) == 0);
    strcpy(all, rest(d));
    errno = 77;
    HOLDS(readdir(d) == NULL && readdir64(d) == NULL && errno == 77);
    seekdir(d, 0);
    HOLDS(!strcmp(rest(d), all));
    rewinddir(d);
    seekdir(d, at[5]); /* before anything was read again */
    struct dirent *e = readdir(d);
    HOLDS(e && !strcmp(e->d_name, name[5]));
    closedir(d);
}

static void changes(void)
{
    DIR *d = opendir("."), *other = opendir(".");
    HOLDS(readdir(d) && readdir(other));
    char before[4096];
    strcpy(before, rest(d));
    touch("new");
    rewinddir(d);
    HOLDS(strstr(rest(d), "new "));
    HOLDS(!strcmp(rest(d), ""));
    unlink("new");
    rewinddir(d);
    HOLDS(!strstr(rest(d), "new "));
    HOLDS(strlen(rest(other)) >= strlen(before)); /* two streams of one directory */
    closedir(d);
    closedir(other);
    d = opendir("."); /* rm -r: remove what is read, until a whole pass finds nothing */
    int passes = 0, removed = 0, found = 1;
    while (found && passes++ < 20) {
        found = 0;
        rewinddir(d);
        for (struct dirent *e; (e = readdir(d));)
            if (e->d_name[0] != '.' && unlink(e->d_name) == 0)
                found = ++removed;
    }
    HOLDS(removed == 10 && passes == 2);
    closedir(d);
    HOLDS(mkdir("gone", 0700) == 0);
    d = opendir("gone");
    HOLDS(d && rmdir("gone") == 0);
    errno = 77;
    HOLDS(readdir(d) == NULL && errno == 77);
    closedir(d);
}

static void shared(void)
{
    int status, fd = open(".", O_RDONLY | O_DIRECTORY);
    DIR *d = opendir(".");
    HOLDS(readdir(d));
    if (fork() == 0) { /* the child reads on from where its parent stood */
        int n = 0;
        while (readdir(d))
            n++;
        closedir(d);
        _exit(n);
    }
    HOLDS(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 11);
    int n = 0;
    while (readdir(d))
        n++;
    HOLDS(n == 11);
    closedir(d);
    d = fdopendir(dup(fd)); /* as os.listdir(fd): a second stream of the same offset */
    char first[4096];
    strcpy(first, rest(d));
    rewinddir(d);
    closedir(d);
    d = fdopendir(dup(fd));
    HOLDS(strlen(first) && !strcmp(rest(d), first));
    closedir(d);
    d = fdopendir(fd); /* nobody rewound it */
    HOLDS(!strcmp(rest(d), ""));
    HOLDS(dirfd(d) == fd && closedir(d) == 0);
    errno = 0;
    HOLDS(fcntl(fd, F_GETFD) == -1 && errno == EBADF);
}

static void failures(void)
{
    struct dirent room, *e;
    errno = 0;
    HOLDS(opendir("/nowhere/at/all") == NULL && errno == ENOENT);
    int file = open("0", O_RDONLY);
    HOLDS(fdopendir(file) == NULL && errno == ENOTDIR);
    close(file);
    HOLDS(fdopendir(-1) == NULL && errno == EBADF);
    DIR *d = opendir(".");
    close(dirfd(d));
    errno = 0;
    HOLDS(readdir(d) == NULL && errno == EBADF);
    HOLDS(readdir_r(d, &room, &e) == EBADF && e == NULL);
    HOLDS(closedir(d) == -1);
    struct dirent **list;
    errno = 0;
    HOLDS(scandir("/nowhere", &list, NULL, NULL) == -1 && errno == ENOENT);
    errno = 77;
    HOLDS(scandir(".", &list, no_dots, NULL) == 10 && errno == 77);
    for (int i = 0; i < 10; i++)
        free(list[i]);
    free(list);
    HOLDS(nftw("/nowhere", visit, 9, FTW_PHYS) == -1 && errno == ENOENT);
}

static void *reader(void *d)
{
    struct dirent room, *e;
    intptr_t n = 0;
    while (readdir_r(d, &room, &e) == 0 && e)
        n++;
    return (void *)n;
}

/* readdir_r lets threads share a stream: each entry goes to one of them. */
static void threads(void)
{
    for (int round = 0; round < 50; round++) {
        DIR *d = opendir(".");
        pthread_t p[4];
        intptr_t sum = 0;
        for (int i = 0; i < 4; i++)
            pthread_create(&p[i], NULL, reader, d);
        for (int i = 0; i < 4; i++) {
            void *n;
            pthread_join(p[i], &n);
            sum += (intptr_t)n;
        }
        HOLDS(sum == 12);
        closedir(d);
    }
}

static void many(void)
{
    DIR *open_at_once[900];
    int n = 0;
    while (n < 900 && (open_at_once[n] = opendir(".")))
        n++;
    for (int i = 0; i < n; i++) {
        int entries = 0;
        while (readdir(open_at_once[i]))
            entries++;
        HOLDS(entries == 12);
    }
    while (n)
        closedir(open_at_once[--n]);
}

static int paths, skip;
static int count(const char *path, const struct stat *s, int kind, struct FTW *w)
{
    HOLDS(w->base == 0 || path[w->base - 1] == '/');
    HOLDS((kind == FTW_D || kind == FTW_DP) == S_ISDIR(s->st_mode) || kind == FTW_NS ||
          kind == FTW_SLN);
    paths++;
    return skip && w->level == 1 ? skip : 0;
}

static int walked(int flags, int value)
{
    paths = 0;
    skip = value;
    HOLDS(nftw("tree", count, 3, flags) == 0);
    return paths;
}

static void walks(void)
{
    HOLDS(!mkdir("tree", 0700) && !mkdir("tree/a", 0700) && !mkdir("tree/a/b", 0700));
    touch("tree/a/file");
    touch("tree/a/b/file");
    HOLDS(!symlink("a", "tree/again") && !symlink("nothing", "tree/dangling"));
    HOLDS(walked(FTW_PHYS, 0) == 7);
    HOLDS(walked(FTW_PHYS | FTW_DEPTH, 0) == 7);
    HOLDS(walked(FTW_PHYS | FTW_CHDIR, 0) == 7);
    HOLDS(walked(FTW_PHYS | FTW_MOUNT, 0) == 7);
    HOLDS(walked(0, 0) == 6); /* `again` is known by then, or `a` is */
    HOLDS(walked(FTW_PHYS | FTW_ACTIONRETVAL, FTW_SKIP_SUBTREE) == 4);
    HOLDS(walked(FTW_PHYS | FTW_ACTIONRETVAL, FTW_SKIP_SIBLINGS) == 2);
    skip = 5;
    HOLDS(nftw("tree", count, 3, FTW_PHYS) == 5);
    HOLDS(!unlink("tree/a/b/file") && !rmdir("tree/a/b") && !unlink("tree/a/file") &&
          !rmdir("tree/a") && !unlink("tree/again") && !unlink("tree/dangling") && !rmdir("tree"));
}

static int contract(void)
{
    static const char *const files = "0123456789";
    if (chdir(folder))
        return 2;
    walks();
    for (const char *f = files; *f; f++)
        touch((char[]){*f, 0});
    positions();
    shared();
    failures();
    threads();
    many();
    changes();
    return bad;
}

int main(int argc, char **argv)
{
    const char *where = argc > 3 ? argv[3] : "main";
    pthread_t p;
    int status = 0;
    if (argc < 3)
        return 2;
    how = argv[1];
    folder = argv[2];
    if (!strcmp(how, "contract"))
        return contract();
    if (!strcmp(where, "thread")) {
        pthread_create(&p, NULL, list, NULL);
        pthread_join(p, NULL);
    } else if (!strcmp(where, "exec")) {
        execl("/proc/self/exe", "probe_listing", how, folder, NULL);
        return 3;
    } else if (!strcmp(where, "fork")) {
        if (fork() == 0) {
            list(NULL);
            exit(0);
        }
        wait(&status);
    } else {
        list(NULL);
    }
    return status;
}
