/* The mapping of paths: what is below a folder, what takes its place, what stays. */
#include "shim/path.h"
#include "shim/text.h"
#include "tests/check.h"

static struct fd_paths p;

static struct fd_folder folder(const char *name)
{
    struct fd_folder f = {"", 0};
    CHECK(fd_folder_keep(&p, name, &f));
    return f;
}

static void start(void)
{
    p.maps = p.backs = p.stays = 0;
    p.used = 0;
}

static void map(const char *from, const char *to, bool home)
{
    struct fd_map m = {.from = folder(from), .to = folder(to), .home = home};
    CHECK(fd_paths_add(&p, m));
    CHECK(fd_paths_add_back(&p, m));
}

static const char *forth(const char *path)
{
    static char to[300];
    struct fd_place pl;
    if (!fd_paths_find(&p, path, &pl))
        return path;
    snprintf(to, sizeof to, "%s%s", pl.map->to.at, path + pl.rest);
    return to;
}

static const char *back(const char *path)
{
    static char to[300];
    struct fd_place pl;
    if (!fd_paths_find_back(&p, path, strlen(path), &pl))
        return path;
    snprintf(to, sizeof to, "%s%s", pl.map->to.at, path + pl.rest);
    return to;
}

TEST(a_folder_is_kept_in_its_shortest_form)
{
    start();
    CHECK_STR(folder("/home/u").at, "/home/u");
    CHECK_STR(folder("/home/u/").at, "/home/u");
    CHECK_STR(folder("//home/./x/../u//").at, "/home/u");
    CHECK_STR(folder("/../../home/u/.").at, "/home/u");
    CHECK_EQ(folder("/home/u/").len, 7);
    struct fd_folder f;
    CHECK(!fd_folder_keep(&p, "/", &f));
    CHECK(!fd_folder_keep(&p, "/home/..", &f));
    CHECK(!fd_folder_keep(&p, "home/u", &f));
    CHECK(!fd_folder_keep(&p, "", &f));
}

TEST(what_follows_a_folder_is_kept_as_it_is)
{
    start();
    map("/home/u", "/private", true);
    CHECK_STR(forth("/home/u/x"), "/private/x");
    CHECK_STR(forth("/home/u"), "/private");
    CHECK_STR(forth("/home/u/"), "/private/");
    CHECK_STR(forth("/home/u/a/../b//c/."), "/private/a/../b//c/.");
    CHECK_STR(forth("//home//u/x"), "/private/x");
    CHECK_STR(forth("/home/./u/x"), "/private/x");
    CHECK_STR(forth("/tmp/../home/u/x"), "/private/x");
    CHECK_STR(forth("/home/other/../u/x"), "/private/x");
    CHECK_STR(forth("/home/u/../u/x"), "/private/x");
    CHECK_STR(forth("/home/u/a/b/../../../u/x"), "/private/x");
}

TEST(what_is_not_below_is_left_alone)
{
    start();
    map("/home/u", "/private", true);
    static const char *const paths[] = {
        "/",          "/home",         "/home/",          "/home/user/x",      "/home/u2",
        "/private/x", "/x/home/u/y",   "/home/u/..",      "/home/u/../v/x",    "/home/u/../../etc",
        "/home/.u/x", "/home/u/../u2", "/home/u/a/../..", "/../home/u/../../", "/home/v/../u/../w"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        CHECK_STR(forth(paths[i]), paths[i]);
}

TEST(the_longest_prefix_wins_and_nothing_is_translated_twice)
{
    start();
    CHECK_EQ(fd_paths_parse(&p, "/a=/b,/b=/c,/a/deep=/d,/e=/e/in/it"), 0);
    CHECK_STR(forth("/a/x"), "/b/x");
    CHECK_STR(forth("/b/x"), "/c/x");
    CHECK_STR(forth("/a/deep/x"), "/d/x");
    CHECK_STR(forth("/a/deeper/x"), "/b/deeper/x");
    CHECK_STR(forth("/e/x"), "/e/in/it/x");
    CHECK_STR(forth("/e/in/it/x"), "/e/in/it/x"); /* its own `to` */
    CHECK_STR(back("/b/x"), "/a/x");
    CHECK_STR(back("/d"), "/a/deep");
    CHECK_STR(back("/e/in/it/x"), "/e/x");
    CHECK(fd_paths_below_to(&p, "/c/x") && !fd_paths_below_to(&p, "/a/x"));
}

TEST(maps_that_are_none)
{
    static const char *const texts[] = {"",       "/a",        "/a=",      "=/b",      "a=/b",
                                        "/a=b",   "/a=/b,",    ",/a=/b",   "/=/b",     "/a=/",
                                        "/a=/b,x", "/a=/b,/c", "/a=/b,/c="};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        start();
        CHECK_EQ(fd_paths_parse(&p, texts[i]), -1);
    }
    char many[400] = "/x0=/y";
    for (int i = 1; i < 17; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), ",/x%d=/y", i);
    start();
    CHECK_EQ(fd_paths_parse(&p, many), -2);
    start();
    *strrchr(many, ',') = 0;
    CHECK_EQ(fd_paths_parse(&p, many), 0);
}

static const char *around(const char *path)
{
    static char to[300];
    return fd_paths_around(&p, path, to, sizeof to) ? to : path;
}

TEST(a_way_through_and_out_again_goes_around)
{
    start();
    map("/home/u", "/h", true);
    CHECK(fd_paths_stay(&p, folder("/home/u/project")));
    CHECK_STR(around("/home/u/new/../../v/link/../x"), "/home/v/link/../x");
    CHECK_STR(around("/home/u/../../etc"), "/home/../etc");
    CHECK_STR(around("/home/u/a/../../../"), "/home/../");
    CHECK_STR(around("/home/u/../.."), "/home/..");
    CHECK_STR(around("/home/u/new/../project/./x"), "/home/u/project/./x");
    CHECK_STR(around("/home/../etc/./x"), "/home/../etc/./x"); /* never in it */
    CHECK_STR(around("/home/v"), "/home/v");
}

TEST(folders_that_stay)
{
    start();
    map("/home/u", "/home/u/.h", true);
    CHECK(fd_paths_stay(&p, folder("/home/u/project")));
    CHECK(fd_paths_stay(&p, folder("/home/u/project/tests"))); /* does already */
    CHECK_EQ(p.stays, 1);
    CHECK_STR(forth("/home/u/project"), "/home/u/project");
    CHECK_STR(forth("/home/u/project/x"), "/home/u/project/x");
    CHECK_STR(forth("/home/u/./project/x"), "/home/u/./project/x");
    CHECK_STR(forth("/home/u/project/../x"), "/home/u/.h/project/../x");
    CHECK_STR(forth("/home/u/projects"), "/home/u/.h/projects");
    CHECK_STR(forth("/home/u/.h/x"), "/home/u/.h/x");
    CHECK_STR(forth("/home/u/.hidden"), "/home/u/.h/.hidden");
}

TEST(a_home_in_a_folder_that_stays_does_not_stay)
{
    start();
    map("/tmp/run/home", "/h", true);
    CHECK(fd_paths_stay(&p, folder("/tmp/run")));
    CHECK(fd_paths_stay(&p, folder("/tmp/run/home/project")));
    CHECK_STR(forth("/tmp/run/home/x"), "/h/x");
    CHECK_STR(forth("/tmp/run/home/project/x"), "/tmp/run/home/project/x");
    CHECK(!fd_paths_in_tmp(&p, "/tmp/run/x"));
}

TEST(folders_of_packages_are_told)
{
    struct fd_place pl;
    start();
    map("/home/u", "/h", true);
    static const struct {
        const char *path;
        size_t end;
    } cases[] = {{"/home/u/v/lib/python3.11/os.py", 24},
                 {"/home/u/v/lib64/python3/x", 23},
                 {"/home/u/site-packages", 21},
                 {"/home/u/a/dist-packages/b/site-packages", 23},
                 {"/home/u/lib/pythonic/x", 0},
                 {"/home/u/lib/x/python3.11", 0},
                 {"/home/u/my-site-packages/x", 0},
                 {"/home/u/lib", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(fd_paths_find(&p, cases[i].path, &pl));
        CHECK_EQ(pl.packages, cases[i].end);
    }
    start();
    map("/home/u", "/h", false); /* by hand: what is written is done */
    CHECK(fd_paths_find(&p, cases[0].path, &pl) && !pl.packages);
}

TEST(temporary_folders)
{
    start();
    CHECK(fd_paths_stay(&p, folder("/tmp/run")));
    CHECK(fd_paths_in_tmp(&p, "/tmp/x") && fd_paths_in_tmp(&p, "/var/tmp/x"));
    CHECK(fd_paths_in_tmp(&p, "/tmp/runs") && fd_paths_in_tmp(&p, "/x/../tmp/y"));
    CHECK(!fd_paths_in_tmp(&p, "/tmp") && !fd_paths_in_tmp(&p, "/tmp/") &&
          !fd_paths_in_tmp(&p, "/tmp/run/x") && !fd_paths_in_tmp(&p, "/tmp/../x") &&
          !fd_paths_in_tmp(&p, "/var/x") && !fd_paths_in_tmp(&p, "/tmpx"));
}

/* A second, slower opinion: the path in its shortest form. */
static void shortest(const char *path, char *ret)
{
    char copy[300], *names[100], *save = NULL;
    int n = 0;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *s = strtok_r(copy, "/", &save); s; s = strtok_r(NULL, "/", &save)) {
        if (!strcmp(s, ".."))
            n -= n > 0;
        else if (strcmp(s, "."))
            names[n++] = s;
    }
    *ret = 0;
    for (int i = 0; i < n; i++)
        strcat(strcat(ret, "/"), names[i]);
}

TEST(any_path_is_below_if_its_shortest_form_is)
{
    static const char *const names[] = {"a", "b", "ab", "..", ".", "", "h"};
    uint32_t seed = 1;
    int below = 0;
    start();
    map("/a/b", "/h", false);
    for (int round = 0; round < 200000; round++) {
        char path[300] = "", want[300], have[300];
        seed = seed * 1664525 + 1013904223;
        for (uint32_t n = seed >> 29, s = seed; n < 8; n++, s = s * 1664525 + 1013904223)
            strcat(strcat(path, "/"), names[(s >> 20) % 7]);
        shortest(path, want);
        if (!strcmp(want, "/a/b") || !strncmp(want, "/a/b/", 5)) {
            below++;
            memmove(want + 1, want + 3, strlen(want + 3) + 1);
            want[1] = 'h';
            shortest(forth(path), have);
            if (strcmp(have, want))
                CHECK_STR(path, have);
        } else if (strcmp(forth(path), path)) {
            CHECK_STR(path, forth(path));
        }
    }
    CHECK(below > 2000);
}
