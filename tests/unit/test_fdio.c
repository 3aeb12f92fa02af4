/* Files that are replaced as a whole: what others see, at every moment. */
#include "../check.h"

#include "base/fdio.h"
#include "base/own.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
    char folder[32];
    char file[64];
};

static void place_init(struct place *p)
{
    snprintf(p->folder, sizeof p->folder, "/tmp/fr-fdio-XXXXXX");
    CHECK(mkdtemp(p->folder));
    snprintf(p->file, sizeof p->file, "%s/f", p->folder);
}

static void place_done(struct place *p)
{
    fdio_remove_tree(p->folder);
}
#define own_place __attribute__((cleanup(place_done)))

static void holds(const char *path, const char *want)
{
    own_text struct text t = {0};
    struct err e = {0};
    CHECK_EQ(fdio_read_file(path, 100, &t, &e), 0);
    CHECK_STR(text_str(&t), want);
}

static int rights(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 ? (int)(st.st_mode & 07777) : -1;
}

static int files(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n - 2; /* itself and its parent */
}

static int put(const char *path, mode_t mode, const char *s, struct err *e)
{
    own_text struct text t = {0};
    text_add(&t, s);
    return fdio_replace(path, mode, &t, e);
}

TEST(a_private_file_is_private_before_it_holds_anything)
{
    own_place struct place p;
    own_replacement struct replacement r = REPLACEMENT_INIT;
    struct err e = {0};
    place_init(&p);
    mode_t was = umask(0);
    CHECK_EQ(replacement_begin(p.file, FDIO_PRIVATE, &r, &e), 0);
    CHECK_EQ(rights(r.beside), 0600);
    CHECK_EQ(rights(p.file), -1);
    CHECK_EQ(replacement_finish(&r, &e), 0);
    CHECK_EQ(rights(p.file), 0600);
    CHECK_EQ(chmod(p.file, 0644), 0);
    CHECK_EQ(put(p.file, FDIO_PRIVATE, "x", &e), 0);
    CHECK_EQ(rights(p.file), 0600);
    umask(027);
    CHECK_EQ(put(p.file, FDIO_SHARED, "y", &e), 0);
    CHECK_EQ(rights(p.file), 0640);
    umask(was);
    holds(p.file, "y");
}

TEST(what_is_not_finished_leaves_the_old_one)
{
    own_place struct place p;
    struct err e = {0};
    place_init(&p);
    CHECK_EQ(put(p.file, FDIO_SHARED, "old", &e), 0);
    struct replacement r;
    CHECK_EQ(replacement_begin(p.file, FDIO_SHARED, &r, &e), 0);
    CHECK_EQ(fdio_write_all(r.fd, "ne", 2), 0);
    holds(p.file, "old");
    CHECK_EQ(files(p.folder), 2);
    replacement_done(&r);
    holds(p.file, "old");
    CHECK_EQ(files(p.folder), 1);
}

TEST(what_lies_in_its_way_is_neither_written_nor_followed)
{
    own_place struct place p;
    own_text struct text first = {0}, second = {0}, victim = {0};
    struct err e = {0};
    place_init(&p);
    text_addf(&first, "%s.%d-0.tmp", p.file, (int)getpid());
    text_addf(&second, "%s.%d-1.tmp", p.file, (int)getpid());
    text_addf(&victim, "%s/victim", p.folder);
    CHECK_EQ(put(text_str(&victim), FDIO_SHARED, "theirs", &e), 0);
    CHECK_EQ(put(text_str(&first), FDIO_SHARED, "of another run", &e), 0);
    CHECK_EQ(symlink(text_str(&victim), text_str(&second)), 0);
    CHECK_EQ(put(p.file, FDIO_PRIVATE, "ours", &e), 0);
    holds(p.file, "ours");
    holds(text_str(&first), "of another run");
    holds(text_str(&victim), "theirs");
}

TEST(a_link_stays_and_parents_are_made)
{
    own_place struct place p;
    own_text struct text deep = {0};
    struct err e = {0};
    struct stat st;
    place_init(&p);
    text_addf(&deep, "%s/a/b/c", p.folder);
    CHECK_EQ(put(text_str(&deep), FDIO_SHARED, "one", &e), 0);
    CHECK_EQ(symlink(text_str(&deep), p.file), 0);
    CHECK_EQ(put(p.file, FDIO_SHARED, "two", &e), 0);
    CHECK(lstat(p.file, &st) == 0 && S_ISLNK(st.st_mode));
    holds(text_str(&deep), "two");
}

TEST(a_device_or_a_pipe_is_written_in_place)
{
    own_place struct place p;
    struct err e = {0};
    struct stat st;
    char got[8] = "";
    place_init(&p);
    CHECK_EQ(put("/dev/null", FDIO_PRIVATE, "gone", &e), 0);
    CHECK(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode) && (st.st_mode & 0777) == 0666);
    CHECK_EQ(mkfifo(p.file, 0666), 0);
    own_fd int fd = open(p.file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    CHECK_EQ(put(p.file, FDIO_SHARED, "piped", &e), 0);
    CHECK_EQ(read(fd, got, sizeof got - 1), 5);
    CHECK_STR(got, "piped");
    CHECK(stat(p.file, &st) == 0 && S_ISFIFO(st.st_mode));
}

TEST(where_it_cannot_be_is_said)
{
    own_place struct place p;
    own_text struct text below = {0}, want = {0};
    struct err e = {0};
    place_init(&p);
    CHECK_EQ(put(p.folder, FDIO_SHARED, "x", &e), -1);
    text_addf(&want, "writing %s: Is a directory", p.folder);
    CHECK_STR(e.what, text_str(&want));
    CHECK_EQ(put(p.file, FDIO_SHARED, "x", &e), 0);
    text_addf(&below, "%s/x", p.file);
    e = (struct err){0};
    CHECK_EQ(put(text_str(&below), FDIO_SHARED, "x", &e), -1);
    text_clear(&want);
    text_addf(&want, "writing %s: Not a directory", text_str(&below));
    CHECK_STR(e.what, text_str(&want));
    CHECK_EQ(files(p.folder), 1);
}
