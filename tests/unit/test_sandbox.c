/* What is shown of the file system inside a sandbox, and that nothing of it is left. */
#include "sandbox_world.h"

#include <semaphore.h>
#include <sys/socket.h>
#include <sys/un.h>

/* ---- copy-on-write ----------------------------------------------------------------------------
 */

static void change_everything(struct world *w)
{
    reads(w->project, "old", "old");
    put(w->project, "old", "new");
    put(w->project, "made", "made");
    put(w->home, "notes", "other notes");
    put(w->home, ".cache", "made");
    char path[PATH_ROOM];
    to_path(path, "%s/test_a.py", w->project);
    CHECK(unlink(path) == 0);
    to_path(path, "%s/.profile", w->home);
    CHECK(chmod(path, 0600) == 0);
    to_path(path, "%s/bin", w->home);
    CHECK(rmdir(path) == 0);
    CHECK(mkdir(path, 0700) == 0); /* over a deleted one */
    reads(w->project, "old", "new");
    reads(w->project, "made", "made");
    reads(w->home, "notes", "other notes");
    CHECK(!is_there(w->project, "test_a.py"));
    CHECK(is_there(w->project, "data/two"));
}

static void copy_on_write(struct world *w)
{
    struct sandbox box = box_of(w);
    inside_traceless(&box, change_everything, w);
    inside_traceless(&box, change_everything, w); /* and again from the start */
    outside_leaves_traces(change_everything, w);
}

TEST(the_project_and_home_are_shown_copy_on_write)
{
    as_both(copy_on_write);
}

static void project_alone(struct world *w)
{
    struct sandbox box = {.mounts = true, .cow = {w->project}, .cows = 1};
    own_text struct text before = {0}, after = {0};
    describe(w->project, &before);
    inside(&box, change_everything, w);
    describe(w->project, &after);
    CHECK_STR(text_str(&after), text_str(&before));
    reads(w->home, "notes", "other notes"); /* home was not asked for */
}

TEST(what_was_not_asked_for_is_the_real_one)
{
    as_both(project_alone);
}

static void looks_the_same(struct world *w)
{
    struct stat before[3], after;
    const char *const paths[] = {w->root, w->home, w->project};
    for (int i = 0; i < 3; i++)
        CHECK(stat(paths[i], &before[i]) == 0);
    struct sandbox box = box_of(w);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct sandbox_step at;
        CHECK(sandbox_enter(&box, &at) == 0);
        for (int i = 0; i < 3; i++) {
            CHECK(stat(paths[i], &after) == 0);
            CHECK_EQ(after.st_mode, before[i].st_mode);
            CHECK_EQ(after.st_uid, before[i].st_uid);
            CHECK_EQ(after.st_gid, before[i].st_gid);
            CHECK_EQ(after.st_mtim.tv_nsec, before[i].st_mtim.tv_nsec);
            CHECK_EQ(after.st_mtim.tv_sec, before[i].st_mtim.tv_sec);
        }
        CHECK_EQ(getuid(), before[0].st_uid);
        CHECK_EQ(getgid(), before[0].st_gid);
        _exit(check_failed ? 1 : 0);
    }
    CHECK_EQ(status_of(pid), 0);
}

static void odd_modes(struct world *w)
{
    CHECK(chmod(w->home, 0750) == 0);
    CHECK(chmod(w->project, 02775) == 0);
    looks_the_same(w);
}

TEST(folders_keep_their_owner_mode_and_time)
{
    as_both(odd_modes);
}

/* Pythons's os.path.ismount and its caches look at these. */
static void ids_stay(struct world *w)
{
    struct stat file, folder, later;
    char path[PATH_ROOM];
    to_path(path, "%s/data/one", w->project);
    CHECK(stat(path, &file) == 0);
    to_path(path, "%s/data", w->project);
    CHECK(stat(path, &folder) == 0);
    CHECK_EQ(file.st_dev, folder.st_dev);
    put(w->project, "data/one", "changed");
    to_path(path, "%s/data/one", w->project);
    CHECK(stat(path, &later) == 0);
    CHECK_EQ(later.st_dev, file.st_dev);
    CHECK_EQ(later.st_ino, file.st_ino);
}

static void ids(struct world *w)
{
    struct sandbox box = box_of(w);
    inside_traceless(&box, ids_stay, w);
}

TEST(a_changed_file_keeps_its_device_and_inode)
{
    as_both(ids);
}

/* ---- nesting ----------------------------------------------------------------------------------
 */

static void move_between(struct world *w)
{
    char from[PATH_ROOM], to[PATH_ROOM];
    to_path(from, "%s/notes", w->home);
    to_path(to, "%s/notes", w->project);
    CHECK(rename(from, to) == 0); /* one file system, as without a sandbox */
    reads(w->project, "notes", "notes");
}

static void nested(struct world *w)
{
    struct sandbox box = box_of(w);
    inside_traceless(&box, move_between, w);
    box.cow[0] = w->project;
    box.cow[1] = w->home;
    inside_traceless(&box, move_between, w);
    inside_traceless(&box, change_everything, w);
    box.cow[1] = w->project; /* twice the same */
    inside_traceless(&box, ids_stay, w);
    outside_leaves_traces(move_between, w);
}

TEST(a_folder_in_another_is_served_by_the_outer_one)
{
    as_both(nested);
}

static void passed_over(struct world *w)
{
    struct sandbox box = {
        .mounts = true, .cow = {"/", "/no/such/folder", NULL, "/dev/null", w->home, ""}, .cows = 6};
    inside_traceless(&box, change_everything, w);
}

TEST(what_cannot_be_copied_on_write_is_passed_over)
{
    as_both(passed_over);
}

/* ---- names ------------------------------------------------------------------------------------
 */

static const char *const odd_names[] = {
    "a:b",   "a,b",          "a b", "back\\slash", "new\nline", "lowerdir=x,upperdir=y",
    "\\040", "\303\244\377", "=",   "'\""};

static void odd(struct world *w)
{
    for (size_t i = 0; i < sizeof odd_names / sizeof *odd_names; i++) {
        struct world o = *w;
        world_fill(&o, odd_names[i]);
        char keep[PATH_ROOM], upper[PATH_ROOM], seed[PATH_ROOM];
        to_path(keep, "%s/keep%s", o.home, odd_names[i]);
        to_path(upper, "%s/upper%s", w->root, odd_names[i]);
        to_path(seed, "%s/seed%s", w->root, odd_names[i]);
        make_dir(keep);
        make_dir(upper);
        make_dir(seed);
        struct sandbox box = box_of(&o);
        box.keep[box.keeps++] = keep;
        inside_traceless(&box, change_everything, &o);
        box.upper = upper;
        box.seed = seed;
        inside(&box, change_everything, &o);
        strcat(upper, "/0/project");
        reads(upper, "old", "new");
        reads(o.project, "old", "old");
    }
}

TEST(any_character_may_stand_in_a_path)
{
    as_both(odd);
}

static void change_through_link(struct world *w)
{
    struct world link = *w;
    to_path(link.home, "%s/link", w->root);
    to_path(link.project, "%s/link/project", w->root);
    change_everything(&link);
    reads(w->project, "old", "new"); /* the same by its other name */
}

static void linked_home(struct world *w)
{
    char link[PATH_ROOM];
    to_path(link, "%s/link", w->root);
    CHECK(symlink(w->home, link) == 0);
    struct sandbox box = {.mounts = true, .tmp = SANDBOX_TMP_PRIVATE, .cow = {link}, .cows = 1};
    inside_traceless(&box, change_through_link, w);
}

static void change_through_links(struct world *w)
{
    struct world link = *w;
    to_path(link.home, "/tmp/fr-box-%d-a", (int)getppid());
    to_path(link.project, "/tmp/fr-box-%d-a/project", (int)getppid());
    change_everything(&link);
    reads(w->project, "old", "new");
}

/* /tmp/…-a -> …-b, /tmp/…-b -> /var/tmp/…-c/home, /var/tmp/…-c -> the world */
static void links_in_tmp(struct world *w)
{
    int me = (int)getpid();
    char at[3][PATH_ROOM], to[3][PATH_ROOM];
    to_path(at[0], "/tmp/fr-box-%d-a", me);
    to_path(to[0], "fr-box-%d-b", me);
    to_path(at[1], "/tmp/fr-box-%d-b", me);
    to_path(to[1], "/var/tmp/fr-box-%d-c/home", me);
    to_path(at[2], "/var/tmp/fr-box-%d-c", me);
    to_path(to[2], "%s", w->root);
    for (int i = 0; i < 3; i++)
        CHECK(symlink(to[i], at[i]) == 0);
    struct sandbox box = {.mounts = true, .cow = {at[0]}, .cows = 1};
    for (int tmp = SANDBOX_TMP_REAL; tmp <= SANDBOX_TMP_PRIVATE; tmp++) {
        box.tmp = (enum sandbox_tmp)tmp;
        inside_traceless(&box, change_through_links, w);
    }
    for (int i = 0; i < 3; i++)
        unlink(at[i]);
}

TEST(home_may_be_a_link)
{
    as_both(linked_home);
    as_both(links_in_tmp);
}

static void change_by_cwd(struct world *w)
{
    char now[PATH_ROOM];
    CHECK(getcwd(now, sizeof now) != NULL);
    CHECK_STR(now, w->project);
    put(".", "old", "new");
    reads(w->project, "old", "new");
}

static void cwd(struct world *w)
{
    struct sandbox box = box_of(w);
    CHECK(chdir(w->project) == 0);
    inside_traceless(&box, change_by_cwd, w);
    outside_leaves_traces(change_by_cwd, w);
}

TEST(the_working_folder_is_the_one_that_is_shown)
{
    as_both(cwd);
}

/* ---- /tmp -------------------------------------------------------------------------------------
 */

static const char *const tmps[] = {"/tmp", "/var/tmp", "/dev/shm"};
static char mark[40];

static void use_private_tmp(struct world *w)
{
    (void)w;
    struct stat st;
    for (size_t i = 0; i < 3; i++) {
        CHECK(!is_there(tmps[i], mark));
        CHECK(stat(tmps[i], &st) == 0);
        CHECK_EQ(st.st_mode & 07777, 01777);
        put(tmps[i], mark, "inside");
    }
    sem_t *s = sem_open(mark, O_CREAT | O_EXCL, 0600, 1);
    CHECK(s != SEM_FAILED);
}

static void private_tmp(struct world *w)
{
    snprintf(mark, sizeof mark, "fr-box-mark-%d", (int)getpid());
    for (size_t i = 0; i < 3; i++)
        put(tmps[i], mark, "outside");
    struct sandbox box = {.mounts = true, .tmp = SANDBOX_TMP_PRIVATE};
    inside_traceless(&box, use_private_tmp, w);
    char path[PATH_ROOM];
    to_path(path, "sem.%s", mark);
    CHECK(!is_there("/dev/shm", path));
    for (size_t i = 0; i < 3; i++) {
        reads(tmps[i], mark, "outside");
        to_path(path, "%s/%s", tmps[i], mark);
        unlink(path);
    }
}

TEST(tmp_is_private)
{
    as_both(private_tmp);
}

static void use_cow_tmp(struct world *w)
{
    (void)w;
    reads("/tmp", mark, "outside");
    put("/tmp", mark, "inside");
    char path[PATH_ROOM];
    to_path(path, "/var/tmp/%s", mark);
    CHECK(unlink(path) == 0);
    put("/var/tmp", "fr-box-made", "made");
    reads("/tmp", mark, "inside");
}

static void cow_tmp(struct world *w)
{
    char path[PATH_ROOM];
    snprintf(mark, sizeof mark, "fr-box-mark-%d", (int)getpid());
    put("/tmp", mark, "outside");
    put("/var/tmp", mark, "outside");
    struct sandbox box = {.mounts = true, .tmp = SANDBOX_TMP_COW};
    inside_traceless(&box, use_cow_tmp, w);
    reads("/tmp", mark, "outside");
    reads("/var/tmp", mark, "outside");
    CHECK(!is_there("/var/tmp", "fr-box-made"));
    inside(NULL, use_cow_tmp, w);
    reads("/tmp", mark, "inside");
    CHECK(is_there("/var/tmp", "fr-box-made"));
    unlink("/var/tmp/fr-box-made");
    to_path(path, "/tmp/%s", mark);
    unlink(path);
}

TEST(tmp_is_shown_copy_on_write)
{
    as_both(cow_tmp);
}

/* ---- what stays -------------------------------------------------------------------------------
 */

static char below_tmp[PATH_ROOM], deep[PATH_ROOM];
static struct timespec deep_time; /* of the folder around it */

static void write_into_kept(struct world *w)
{
    char path[PATH_ROOM];
    struct stat st;
    put(below_tmp, "trial", "told");
    put(deep, "trial", "told");
    to_path(path, "%s/kept", w->project);
    put(path, "trial", "told");
    put(w->project, "old", "new");
    CHECK(stat(below_tmp, &st) == 0);
    CHECK_EQ(st.st_uid, geteuid());
    to_path(path, "%s/..", deep);
    CHECK(stat(path, &st) == 0);
    CHECK_EQ(st.st_mode & 07777, 0711);
    CHECK_EQ(st.st_mtim.tv_sec, deep_time.tv_sec);
    CHECK_EQ(st.st_mtim.tv_nsec, deep_time.tv_nsec);
}

static void kept(struct world *w)
{
    char path[PATH_ROOM];
    to_path(below_tmp, "/tmp/fr-box-%d", (int)getpid());
    to_path(deep, "/var/tmp/fr-box-%d/a/b", (int)getpid());
    make_dir(below_tmp);
    char *end = strrchr(deep, '/'), *mid;
    *end = 0;
    mid = strrchr(deep, '/');
    *mid = 0;
    make_dir(deep);
    *mid = '/';
    make_dir(deep);
    CHECK(chmod(deep, 0711) == 0);
    *end = '/';
    make_dir(deep);
    struct stat st;
    *end = 0;
    CHECK(stat(deep, &st) == 0);
    deep_time = st.st_mtim;
    *end = '/';
    to_path(path, "%s/kept", w->project);
    make_dir(path);
    struct sandbox box = box_of(w);
    box.keep[box.keeps++] = path;
    box.keep[box.keeps++] = deep;
    box.keep[box.keeps++] = below_tmp;
    box.keep[box.keeps++] = "/no/such";
    for (int tmp = SANDBOX_TMP_REAL; tmp <= SANDBOX_TMP_PRIVATE; tmp++) {
        box.tmp = (enum sandbox_tmp)tmp;
        inside(&box, write_into_kept, w);
        const char *const folders[] = {path, below_tmp, deep};
        for (int i = 0; i < 3; i++) {
            char file[PATH_ROOM];
            reads(folders[i], "trial", "told");
            to_path(file, "%s/trial", folders[i]);
            unlink(file);
        }
        reads(w->project, "old", "old");
    }
    fdio_remove_tree(below_tmp);
    to_path(deep, "/var/tmp/fr-box-%d", (int)getpid());
    fdio_remove_tree(deep);
}

TEST(a_kept_folder_is_the_real_one)
{
    as_both(kept);
}

static void change_around(struct world *w)
{
    put(w->home, "notes", "other");
    put(w->project, "old", "new");
    char path[PATH_ROOM];
    to_path(path, "%s/data", w->project);
    put(path, "one", "kept");
}

static void kept_and_again(struct world *w)
{
    char data[PATH_ROOM], deeper[PATH_ROOM];
    to_path(data, "%s/data", w->project);
    to_path(deeper, "%s/three", data);
    make_dir(deeper);
    struct sandbox box = {
        .mounts = true, .cow = {w->home, deeper}, .cows = 2, .keep = {data}, .keeps = 1};
    inside(&box, change_around, w);
    reads(w->home, "notes", "notes");
    reads(w->project, "old", "old");
    reads(data, "one", "kept");
    struct world in; /* what is shown inside a kept one is not the real one again */
    to_path(in.root, "%s/data", deeper);
    make_dir(in.root);
    to_path(in.root, "%s", deeper);
    to_path(in.home, "%s", deeper);
    to_path(in.project, "%s", deeper);
    inside_traceless(&box, change_around, &in);
}

static void change_the_project(struct world *w)
{
    put(w->project, "old", "new");
    put(w->home, "notes", "other");
}

static void write_mark(struct world *w)
{
    (void)w;
    put("/tmp", mark, "marked");
}

static void kept_and_listed(struct world *w)
{
    struct sandbox box = box_of(w);
    box.keep[box.keeps++] = w->project;
    inside(&box, change_the_project, w);
    reads(w->project, "old", "new");
    reads(w->home, "notes", "notes");
    box.keep[0] = "/tmp"; /* as if it were not private */
    snprintf(mark, sizeof mark, "fr-box-mark-%d", (int)getpid());
    inside(&box, write_mark, w);
    reads("/tmp", mark, "marked");
    char path[PATH_ROOM];
    to_path(path, "/tmp/%s", mark);
    unlink(path);
    box = (struct sandbox){.mounts = true, .cow = {w->home, w->home, w->home}, .cows = 3};
    inside_traceless(&box, change_the_project, w);
}

TEST(a_folder_in_several_lists_is_kept)
{
    as_both(kept_and_listed);
}

TEST(copy_on_write_kept_and_copy_on_write_again)
{
    as_both(kept_and_again);
}

static void project_in_tmp(struct world *w)
{
    struct world t = *w;
    to_path(t.root, "/tmp/fr-box-%d", (int)getpid());
    make_dir(t.root);
    world_fill(&t, "home");
    struct sandbox box = box_of(&t);
    box.cow[0] = w->home;
    inside_traceless(&box, ids_stay, &t);
    struct sandbox both = box_of(&t); /* home too */
    inside_traceless(&both, change_everything, &t);
    both.tmp = SANDBOX_TMP_COW;
    inside_traceless(&both, change_everything, &t);
    fdio_remove_tree(t.root);
}

TEST(a_project_below_tmp_is_shown)
{
    as_both(project_in_tmp);
}

/* ---- changes that are kept, files that are shown -----------------------------------------------
 */

static void see_seed(struct world *w)
{
    reads(w->project, "data/compiled", "from the seed");
    reads(w->project, "data/one", "1");
    reads(w->project, "data/two", "seed wins");
    put(w->project, "data/compiled", "changed");
    char path[PATH_ROOM];
    to_path(path, "%s/data/one", w->project);
    CHECK(unlink(path) == 0);
}

static void layers(struct world *w)
{
    char upper[PATH_ROOM], seed[PATH_ROOM], path[PATH_ROOM];
    struct stat st;
    to_path(upper, "%s/upper", w->root);
    to_path(seed, "%s/seed", w->root);
    make_dir(upper);
    make_dir(seed);
    to_path(path, "%s/1", seed);
    make_dir(path);
    make_dir(strcat(path, "/data"));
    put(path, "compiled", "from the seed");
    put(path, "two", "seed wins");
    /* Number 1 is the project: number 0 is not there. */
    struct sandbox box = {.mounts = true,
                          .tmp = SANDBOX_TMP_PRIVATE,
                          .cow = {"/no/such/folder", w->project},
                          .cows = 2,
                          .upper = upper,
                          .seed = seed};
    own_text struct text before = {0}, after = {0};
    describe(seed, &before);
    inside(&box, see_seed, w);
    describe(seed, &after);
    CHECK_STR(text_str(&after), text_str(&before));
    reads(w->project, "data/one", "1");
    CHECK(!is_there(w->project, "data/compiled"));
    to_path(path, "%s/1/data", upper);
    reads(path, "compiled", "changed");
    strcat(path, "/one");
    CHECK(lstat(path, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == 0);
    fdio_remove_tree(upper); /* even as an ordinary user, work folders and all */
    CHECK(!fdio_is_dir(upper));
}

TEST(changes_are_kept_where_asked_and_a_seed_is_shown)
{
    as_both(layers);
}

static void change_in_tmp(struct world *w)
{
    reads(w->project, "seeded", "from the seed");
    put(w->project, "old", "new");
    put("/tmp", mark, "made");
}

/* Those of /tmp are never kept, those of a project in it are. */
static void layers_in_tmp(struct world *w)
{
    struct world t = *w;
    char upper[PATH_ROOM], seed[PATH_ROOM];
    to_path(t.root, "/tmp/fr-box-%d", (int)getpid());
    to_path(upper, "%s/upper", w->root);
    to_path(seed, "%s/seed", w->root);
    snprintf(mark, sizeof mark, "fr-box-mark-%d", (int)getpid());
    make_dir(t.root);
    make_dir(seed);
    world_fill(&t, "home");
    make_dir(strcat(seed, "/0"));
    put(seed, "seeded", "from the seed");
    to_path(seed, "%s/seed", w->root);
    struct sandbox box = {
        .mounts = true, .cow = {t.project}, .cows = 1, .upper = upper, .seed = seed};
    for (int tmp = SANDBOX_TMP_REAL; tmp <= SANDBOX_TMP_PRIVATE; tmp++) {
        make_dir(upper);
        box.tmp = (enum sandbox_tmp)tmp;
        inside(&box, change_in_tmp, &t);
        CHECK_EQ(is_there("/tmp", mark), tmp == SANDBOX_TMP_REAL);
        char path[PATH_ROOM];
        to_path(path, "/tmp/%s", mark);
        unlink(path);
        reads(t.project, "old", "old");
        reads(upper, "0/old", "new");
        fdio_remove_tree(upper);
    }
    fdio_remove_tree(t.root);
}

TEST(changes_of_a_project_below_tmp_are_kept_too)
{
    as_both(layers_in_tmp);
}

/* Where the changes go to a file system that cannot note what a folder hides (as a tmpfs before
 * Linux 6.6 in a user namespace): all seems well until a deleted folder is made again. */
static void mount_ramfs(struct world *w)
{
    char path[PATH_ROOM];
    struct stat st;
    own_mounts();
    to_path(path, "%s/ramfs", w->root);
    make_dir(path);
    CHECK(mount("x", path, "ramfs", 0, NULL) == 0);
    CHECK(stat(w->root, &st) == 0 && chown(path, st.st_uid, st.st_gid) == 0);
}

static void poor_upper(struct world *w)
{
    char upper[PATH_ROOM];
    struct sandbox_can can;
    struct err e;
    struct sandbox box = box_of(w);
    to_path(upper, "%s/ramfs", w->root);
    box.upper = upper;
    CHECK(sandbox_probe(&box, &can, &e) == 0);
    CHECK(can.mounts && can.cow[0] && can.cow[1] && can.tmp && can.network && can.lock);
    CHECK(!can.upper);
    CHECK(strstr(can.why, "changing files through layers over ") &&
          strstr(can.why, "Input/output error"));
    CHECK(strstr(can.hint, "before 6.6"));
}

/* ---- a sandbox in a sandbox --------------------------------------------------------------------
 */

static void change_in_inner(struct world *w)
{
    reads(w->project, "old", "outer");
    put(w->project, "old", "inner");
    put(w->project, "made", "inner");
}

static void go_in_again(struct world *w)
{
    struct sandbox box = box_of(w);
    put(w->project, "old", "outer");
    inside(&box, change_in_inner, w);
    reads(w->project, "old", "outer");
    CHECK(!is_there(w->project, "made"));
}

static void in_sandbox(struct world *w)
{
    struct sandbox box = box_of(w);
    box.lock = false; /* it takes the right to enter another */
    inside_traceless(&box, go_in_again, w);
}

TEST(a_sandbox_may_be_in_a_sandbox)
{
    as_both(in_sandbox);
}

/* ---- what programs do with files ----------------------------------------------------------------
 */

static const char *files_script;

static void use_files(struct world *w)
{
    char *const argv[] = {(char[]){"python3"}, (char[]){"-c"}, str_or_die(files_script), w->project,
                          NULL};
    execvp(argv[0], argv);
    CHECK_SAY("python3: %s", strerror(errno));
}

static void files(struct world *w)
{
    struct sandbox box = box_of(w);
    inside_traceless(&box, use_files, w);
    outside_leaves_traces(use_files, w);
}

TEST(databases_locks_links_and_renames_work)
{
    own_text struct text t = {0};
    struct err e;
    CHECK(fdio_read_file(FR_TEST_DATA "/sandbox_files.py", 1 << 16, &t, &e) == 0);
    files_script = text_str(&t);
    as_both(files);
}

static void use_socket(struct world *w)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const char *const folders[] = {w->project, "/tmp", below_tmp};
    for (int i = 0; i < 3; i++) {
        snprintf(at.sun_path, sizeof at.sun_path, "%.90s/sock", folders[i]);
        own_fd int here = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        own_fd int there = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        CHECK(bind(here, (struct sockaddr *)&at, sizeof at) == 0);
        CHECK(listen(here, 1) == 0);
        CHECK(connect(there, (struct sockaddr *)&at, sizeof at) == 0);
        own_fd int met = accept4(here, NULL, NULL, SOCK_CLOEXEC);
        char c = 0;
        CHECK(write(there, "x", 1) == 1 && read(met, &c, 1) == 1 && c == 'x');
    }
}

static void sockets(struct world *w)
{
    to_path(below_tmp, "/tmp/fr-box-%d", (int)getpid());
    make_dir(below_tmp);
    struct sandbox box = box_of(w);
    box.keep[box.keeps++] = below_tmp;
    inside_traceless(&box, use_socket, w);
    CHECK(is_there(below_tmp, "sock"));
    CHECK(!is_there("/tmp", "sock"));
    fdio_remove_tree(below_tmp);
}

TEST(unix_sockets_work)
{
    as_both(sockets);
}

/* ---- mounts below -------------------------------------------------------------------------------
 */

/* As whoever the world is for. */
static void make_home(const struct world *w, char path[static PATH_ROOM])
{
    struct stat st;
    to_path(path, "%s/home", w->root);
    make_dir(path);
    CHECK(stat(w->root, &st) == 0 && chown(path, st.st_uid, st.st_gid) == 0);
}

/* Root prepares them in mounts of its own; an ordinary user finds them there. */
static void mount_in_home(struct world *w)
{
    char path[PATH_ROOM];
    own_mounts();
    make_home(w, path);
    strcat(path, "/m o:u,n\\t");
    make_dir(path);
    CHECK(mount("x", path, "tmpfs", MS_NOEXEC, "mode=0777") == 0);
    put(path, "file", "mounted");
    strcat(path, "/below");
    make_dir(path);
    CHECK(mount("x", path, "tmpfs", 0, "mode=0777") == 0);
    put(path, "file", "mounted below");
}

static void see_mounts(struct world *w)
{
    reads(w->home, "m o:u,n\\t/file", "mounted");
    reads(w->home, "m o:u,n\\t/below/file", "mounted below");
    put(w->home, "notes", "changed");
    put(w->home, "m o:u,n\\t/below/file", "it is real");
}

static void mounts_in_home(struct world *w)
{
    struct sandbox box = box_of(w);
    struct sandbox_can can;
    struct err e;
    CHECK(sandbox_probe(&box, &can, &e) == 0);
    CHECK(can.mounts && can.cow[1]);
    if (!is_root()) { /* the kernel would show what the mount hides */
        CHECK(!can.cow[0]);
        CHECK(strstr(can.why, "/home, with ") &&
              strstr(can.why, "mounted in it: Invalid argument"));
        box.cow[0] = NULL;
        inside_traceless(&box, ids_stay, w);
        return;
    }
    CHECK(can.cow[0]);
    CHECK_STR(can.why, "");
    inside(&box, see_mounts, w);
    reads(w->home, "notes", "notes");
    reads(w->home, "m o:u,n\\t/below/file", "it is real");
}

static void only_root_mounts(body_fn *before, body_fn *body)
{
    if (is_root())
        as_both_after(before, body);
    else
        puts("# passed over: only root can mount something to look at");
}

TEST(what_is_mounted_below_stays_visible)
{
    only_root_mounts(mount_in_home, mounts_in_home);
}

static void mount_project(struct world *w)
{
    char path[PATH_ROOM];
    own_mounts();
    make_home(w, path);
    strcat(path, "/project");
    make_dir(path);
    CHECK(mount("x", path, "tmpfs", MS_NOEXEC | MS_NOSUID, "mode=0777") == 0);
    CHECK(chown(path, NOBODY, NOBODY) == 0);
}

static void mounted_project(struct world *w)
{
    struct sandbox box = box_of(w);
    if (!is_root())
        box.cow[0] = NULL;
    inside_traceless(&box, is_root() ? change_everything : ids_stay, w);
    own_text struct text t = {0}, line = {0};
    text_addf(&line, "grep -c '%s .*noexec.*overlay' /proc/self/mountinfo", w->project);
    shell(&box, line.at, &t);
    CHECK_STR(text_str(&t), "1\n"); /* noexec stays noexec */
}

TEST(a_project_that_is_a_mount_has_layers_of_its_own)
{
    only_root_mounts(mount_project, mounted_project);
}

static void mount_tmp(struct world *w)
{
    (void)w;
    own_mounts();
    CHECK(mount("x", "/tmp", "tmpfs", MS_NOEXEC, "mode=1777") == 0);
    CHECK(mount("x", "/var/tmp", "tmpfs", 0, "mode=1777") == 0);
    make_dir("/var/tmp/mounted");
    CHECK(mount("x", "/var/tmp/mounted", "tmpfs", 0, "mode=1777") == 0);
}

static void see_tmp(struct world *w)
{
    (void)w;
    own_text struct text names = {0};
    names_in("/var/tmp", &names);
    CHECK_STR(text_str(&names), ".\n..\n");
}

static void mounted_tmp(struct world *w)
{
    struct sandbox box = {.mounts = true, .tmp = SANDBOX_TMP_PRIVATE, .cow = {"/var"}, .cows = 1};
    own_text struct text t = {0};
    if (is_root()) /* else /var is not ours, and there is a mount in it */
        inside(&box, see_tmp, w);
    box.cows = 0;
    inside(&box, see_tmp, w);
    shell(&box, "grep -c ' /tmp .*noexec.* tmpfs flaky-repro ' /proc/self/mountinfo", &t);
    CHECK_STR(text_str(&t), "1\n");
}

TEST(a_private_tmp_allows_no_more_and_shows_no_mounts_of_the_real_one)
{
    only_root_mounts(mount_tmp, mounted_tmp);
}

static void mount_read_only(struct world *w)
{
    char path[PATH_ROOM];
    own_mounts();
    make_home(w, path);
    strcat(path, "/ro");
    make_dir(path);
    CHECK(mount("x", path, "tmpfs", 0, "mode=0777") == 0);
    put(path, "file", "ro");
    CHECK(mount("x", path, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL) == 0);
}

static void see_read_only(struct world *w)
{
    char path[PATH_ROOM];
    to_path(path, "%s/ro/made", w->home);
    CHECK(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0 && errno == EROFS);
    reads(w->home, "ro/file", "ro");
}

static void read_only(struct world *w)
{
    char path[PATH_ROOM];
    to_path(path, "%s/ro", w->home);
    struct sandbox box = {.mounts = true, .cow = {path, w->project}, .cows = 2};
    inside_traceless(&box, see_read_only, w);
}

TEST(what_is_read_only_stays_read_only)
{
    only_root_mounts(mount_read_only, read_only);
}

TEST(a_place_for_changes_that_does_not_serve_is_found_out)
{
    only_root_mounts(mount_ramfs, poor_upper);
}

/* ---- files of others ----------------------------------------------------------------------------
 */

static void owned_by_others(struct world *w)
{
    char path[PATH_ROOM];
    make_dir(strcat(strcpy(path, w->root), "/theirs"));
    put(path, "file", "theirs");
    chmod(path, 0777);
    make_dir(strcat(strcpy(path, w->root), "/ours"));
    CHECK(chown(path, NOBODY, NOBODY) == 0);
    make_dir(strcat(path, "/deep"));
    CHECK(chown(path, NOBODY, NOBODY) == 0);
    put(path, "file", "theirs");
    chmod(strcat(path, "/file"), 0666);
    make_dir(strcat(strcpy(path, w->root), "/group"));
    CHECK(chown(path, NOBODY, NOBODY) == 0);
    put(path, "file", "ours, but of another group");
    CHECK(chown(strcat(path, "/file"), NOBODY, 12) == 0);
}

static void only_root_gives_away(body_fn *body)
{
    if (is_root())
        as_both_after(owned_by_others, body);
    else
        puts("# passed over: only root can give files away");
}

static void foreign(struct world *w)
{
    char path[PATH_ROOM];
    CHECK(!sandbox_foreign(w->home));
    CHECK(!sandbox_foreign("/no/such/folder"));
    static const char *const names[] = {"theirs", "ours", "group"};
    for (int i = 0; i < 3; i++) {
        to_path(path, "%s/%s", w->root, names[i]);
        CHECK_EQ(sandbox_foreign(path), !is_root()); /* root needs no user namespace */
    }
}

TEST(files_of_others_are_found)
{
    only_root_gives_away(foreign);
}

static void write_theirs(struct world *w)
{
    char path[PATH_ROOM];
    to_path(path, "%s/ours/deep/file", w->root);
    own_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
    CHECK(is_root() ? fd >= 0 : fd < 0 && errno == EOVERFLOW);
    to_path(path, "%s/group/file", w->root);
    own_fd int other = open(path, O_WRONLY | O_CLOEXEC);
    CHECK(is_root() ? other >= 0 : other < 0 && errno == EOVERFLOW);
}

static void foreign_writes(struct world *w)
{
    struct sandbox box = {.mounts = true, .cow = {w->root}, .cows = 1};
    inside_traceless(&box, write_theirs, w);
}

TEST(and_they_are_what_layers_in_a_user_namespace_cannot_change)
{
    only_root_gives_away(foreign_writes);
}

/* ---- nothing is left
 * ------------------------------------------------------------------------------ */

static void namespaces_of(pid_t pid, char ids[static 3][64])
{
    static const char *const kinds[] = {"mnt", "net", "user"};
    for (int i = 0; i < 3; i++) {
        char path[PATH_ROOM];
        to_path(path, "/proc/%d/ns/%s", (int)pid, kinds[i]);
        ssize_t n = readlink(path, ids[i], 63);
        ids[i][n > 0 ? n : 0] = 0;
    }
}

/* How many processes that we may look into live in any of these. */
static int living_in(char ids[static 3][64], char ours[static 3][64])
{
    DIR *proc = opendir("/proc");
    int n = 0;
    for (struct dirent *d; (d = readdir(proc));) {
        char its[3][64];
        if (atoi(d->d_name) <= 0)
            continue;
        namespaces_of(atoi(d->d_name), its);
        bool same = false;
        for (int i = 0; i < 3; i++)
            same |= its[i][0] && strcmp(ids[i], ours[i]) && !strcmp(its[i], ids[i]);
        n += same;
    }
    closedir(proc);
    return n;
}

static void traceless(struct world *w)
{
    own_text struct text files_before = {0}, files_after = {0}, mounts_before = {0},
                         mounts_within = {0}, mounts_after = {0}, tmp_before = {0}, tmp_after = {0};
    char ours[3][64], ids_inside[3][64], c;
    snprintf(mark, sizeof mark, "fr-box-left-%d", (int)getpid());
    describe(w->root, &files_before);
    names_in("/tmp", &tmp_before);
    mounts(&mounts_before);
    namespaces_of(getpid(), ours);
    struct sandbox box = box_of(w);
    int ready[2], done[2];
    CHECK(pipe2(ready, O_CLOEXEC) == 0 && pipe2(done, O_CLOEXEC) == 0);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct sandbox_step at;
        close(done[1]);
        check_failed = 0;
        CHECK(sandbox_enter(&box, &at) == 0);
        change_everything(w);
        put("/tmp", mark, "left?");
        (void)!write(ready[1], "x", 1);
        (void)!read(done[0], &c, 1);
        _exit(check_failed ? 1 : 0);
    }
    close(ready[1]);
    close(done[0]);
    CHECK(read(ready[0], &c, 1) == 1);
    namespaces_of(pid, ids_inside);
    mounts(&mounts_within); /* while it lives nothing of it is to be seen outside either */
    CHECK_STR(text_str(&mounts_within), text_str(&mounts_before));
    CHECK_EQ(living_in(ids_inside, ours), 1);
    CHECK(strcmp(ids_inside[0], ours[0]) && strcmp(ids_inside[1], ours[1]));
    CHECK_EQ(strcmp(ids_inside[2], ours[2]) != 0, !is_root());
    close(done[1]);
    CHECK_EQ(status_of(pid), 0);
    close(ready[0]);
    CHECK_EQ(living_in(ids_inside, ours), 0);
    mounts(&mounts_after);
    names_in("/tmp", &tmp_after);
    describe(w->root, &files_after);
    CHECK_STR(text_str(&mounts_after), text_str(&mounts_before));
    CHECK_STR(text_str(&files_after), text_str(&files_before));
    CHECK(!is_there("/tmp", mark));
}

TEST(nothing_is_left_behind)
{
    as_both(traceless);
}

/* As systemd has it: what is mounted in one place appears in all. */
static void share_mounts(struct world *w)
{
    (void)w;
    own_mounts();
    CHECK(mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL) == 0);
}

TEST(nothing_spreads_where_mounts_are_shared)
{
    only_root_mounts(share_mounts, traceless);
}

static void probe_leaves_nothing(struct world *w)
{
    own_text struct text before = {0}, after = {0}, mounts_before = {0}, mounts_after = {0};
    char upper[PATH_ROOM];
    to_path(upper, "%s/upper", w->root);
    make_dir(upper);
    struct sandbox box = box_of(w);
    struct sandbox_can can;
    struct err e;
    box.upper = upper;
    describe(w->home, &before);
    mounts(&mounts_before);
    CHECK(sandbox_probe(&box, &can, &e) == 0);
    CHECK(can.mounts && can.network && can.lock && can.no_aslr && can.tmp && can.cow[0] &&
          can.cow[1] && !can.cow[2]);
    CHECK_EQ(can.upper, true);
    CHECK_EQ(can.user_namespace, !is_root());
    CHECK_STR(can.why, "");
    CHECK_STR(can.hint, "");
    describe(w->home, &after);
    mounts(&mounts_after);
    CHECK_STR(text_str(&after), text_str(&before));
    CHECK_STR(text_str(&mounts_after), text_str(&mounts_before));
    CHECK(rmdir(upper) == 0);
}

TEST(a_probe_finds_all_of_it_and_leaves_nothing)
{
    as_both(probe_leaves_nothing);
}

/* ---- several at once
 * ------------------------------------------------------------------------------ */

static void count_alone(struct world *w)
{
    for (int i = 0; i < 50; i++) {
        char want[16];
        snprintf(want, sizeof want, "%d", (int)getpid());
        put(w->project, "old", want);
        put("/tmp", "counter", want);
        usleep(200);
        reads(w->project, "old", want);
        reads("/tmp", "counter", want);
    }
}

static void at_once(struct world *w)
{
    own_text struct text before = {0}, after = {0};
    pid_t pid[8];
    struct sandbox box = box_of(w);
    describe(w->root, &before);
    fflush(NULL);
    for (int i = 0; i < 8; i++)
        if ((pid[i] = fork()) == 0)
            run_inside(&box, count_alone, w);
    for (int i = 0; i < 8; i++)
        CHECK_EQ(status_of(pid[i]), 0);
    describe(w->root, &after);
    CHECK_STR(text_str(&after), text_str(&before));
}

TEST(several_at_once_do_not_meet)
{
    as_both(at_once);
}
