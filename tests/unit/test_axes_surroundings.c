/* The values of zone, env, locale, gc and limits: what stands around the test and differs from machine to machine. */
#include "check.h"

#include "axes/axis.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const struct outcome seen;
static const struct axis_view view = {.seen = &seen};

/* A folder of zone files: only their names are looked at. */
static void zone_files(void)
{
    static char folder[] = "/tmp/fr-zones-XXXXXX";
    static const char *const names[] = {"America",          "Asia",
                                        "Pacific",          "America/New_York",
                                        "Asia/Tokyo",       "Pacific/Kiritimati",
                                        "Pacific/Pago_Pago", "UTC"};
    if (folder[sizeof folder - 2] != 'X' || !mkdtemp(folder))
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (i < 3)
            mkdir(path, 0700);
        else
            fclose(fopen(path, "w"));
    }
    setenv("TZDIR", folder, 1);
}

static bool offered(enum fd_axis a, const struct axis_view *v, const char *want)
{
    char value[SETTING_VALUE_MAX];
    for (size_t n = 0; axes[a]->provoke(v, n, value); n++)
        if (strcmp(value, want) == 0)
            return true;
    return false;
}

TEST(zones_west_and_east_are_offered_but_not_the_one_in_force)
{
    char value[SETTING_VALUE_MAX];
    zone_files();
    setenv("TZ", "Asia/Tokyo", 1);
    CHECK(offered(FD_AXIS_ZONE, &view, "America/New_York"));
    CHECK(offered(FD_AXIS_ZONE, &view, "Pacific/Kiritimati"));
    CHECK(offered(FD_AXIS_ZONE, &view, "Pacific/Pago_Pago"));
    CHECK(offered(FD_AXIS_ZONE, &view, "UTC"));
    CHECK(!offered(FD_AXIS_ZONE, &view, "Asia/Tokyo"));
    CHECK(axes[FD_AXIS_ZONE]->benign(&view, "UTC", 0, value));
    CHECK_STR(value, "Asia/Tokyo");
    CHECK(!axes[FD_AXIS_ZONE]->benign(&view, "UTC", 1, value));
    CHECK(axes[FD_AXIS_ZONE]->recorded(&seen, value));
    CHECK_STR(value, "Asia/Tokyo");
}

TEST(an_empty_TZ_is_UTC)
{
    char value[SETTING_VALUE_MAX];
    setenv("TZ", "", 1);
    CHECK(!offered(FD_AXIS_ZONE, &view, "UTC"));
    CHECK(axes[FD_AXIS_ZONE]->benign(&view, "Asia/Tokyo", 0, value));
    CHECK_STR(value, "UTC");
    CHECK(!axes[FD_AXIS_ZONE]->benign(&view, "Asia/Tokyo", 1, value));
}

TEST(without_zone_files_offsets_do)
{
    setenv("TZDIR", "/nowhere", 1);
    CHECK(offered(FD_AXIS_ZONE, &view, "EST5"));
    CHECK(offered(FD_AXIS_ZONE, &view, "LINT-14"));
    CHECK(!offered(FD_AXIS_ZONE, &view, "America/New_York"));
    unsetenv("TZDIR");
}

static struct fd_seen reads(const char *const *entries)
{
    struct fd_seen s = {0};
    for (; *entries; entries++)
        text_copy(s.env[s.envs++], FD_ENV_MAX, *entries);
    return s;
}

TEST(variables_that_were_read_are_offered_otherwise)
{
    static const char *const names[] = {"oCOLUMNS", "oSHOP_MODE", "dSHOP_MODE", "oPATH", "oHOME",
                                        NULL};
    const struct fd_seen s = reads(names);
    const struct axis_view v = {.seen = &seen, .watched = &s};
    char value[SETTING_VALUE_MAX];
    unsetenv("COLUMNS");
    setenv("HOME", "/", 1);
    setenv("SHOP_MODE", "1", 1);
    CHECK(axes[FD_AXIS_ENV]->provoke(&v, 0, value));
    CHECK_STR(value, "COLUMNS=40");
    CHECK(axes[FD_AXIS_ENV]->provoke(&v, 1, value));
    CHECK_STR(value, "-SHOP_MODE");
    CHECK(offered(FD_AXIS_ENV, &v, "COLUMNS=200"));
    CHECK(offered(FD_AXIS_ENV, &v, "COLUMNS="));
    CHECK(offered(FD_AXIS_ENV, &v, "SHOP_MODE=0"));
    CHECK(!offered(FD_AXIS_ENV, &v, "SHOP_MODE=1")); /* it has that */
    CHECK(!offered(FD_AXIS_ENV, &v, "HOME=/"));
    CHECK(offered(FD_AXIS_ENV, &v, "HOME=/nonexistent"));
    CHECK(!offered(FD_AXIS_ENV, &v, "-COLUMNS"));
    CHECK(!offered(FD_AXIS_ENV, &v, "-PATH"));
    CHECK(!axes[FD_AXIS_ENV]->provoke(&view, 0, value)); /* nothing was watched */
}

TEST(the_users_own_value_is_the_benign_one)
{
    char value[SETTING_VALUE_MAX];
    setenv("COLUMNS", "100", 1);
    CHECK(axes[FD_AXIS_ENV]->benign(&view, "COLUMNS=40", 0, value));
    CHECK_STR(value, "COLUMNS=100");
    CHECK(axes[FD_AXIS_ENV]->benign(&view, "COLUMNS=40", 1, value));
    CHECK_STR(value, "COLUMNS=80");
    CHECK(axes[FD_AXIS_ENV]->benign(&view, "COLUMNS=40", 2, value));
    CHECK_STR(value, "-COLUMNS");
    CHECK(!axes[FD_AXIS_ENV]->benign(&view, "COLUMNS=40", 3, value));
    unsetenv("COLUMNS");
    CHECK(axes[FD_AXIS_ENV]->benign(&view, "COLUMNS=80", 0, value));
    CHECK_STR(value, "-COLUMNS");
    CHECK(!axes[FD_AXIS_ENV]->benign(&view, "COLUMNS=80", 1, value));
}

TEST(what_is_set_and_demanded_is_a_requirement)
{
    static const char *const names[] = {"dSHOP_MODE", "dSHOP_DB_URL", "oSHOP_COLOR", "dSHOP_NEW",
                                        NULL};
    const struct fd_seen s = reads(names);
    const struct axis_view v = {.seen = &seen, .watched = &s};
    setenv("SHOP_MODE", "fast", 1);
    setenv("SHOP_COLOR", "red", 1);
    setenv("SHOP_DB_URL", "db", 1);
    unsetenv("SHOP_NEW");
    CHECK(axes[FD_AXIS_ENV]->requirement(&v, "-SHOP_MODE"));
    CHECK(!axes[FD_AXIS_ENV]->requirement(&v, "SHOP_MODE=1"));
    CHECK(axes[FD_AXIS_ENV]->requirement(&v, "SHOP_DB_URL=1"));
    CHECK(!axes[FD_AXIS_ENV]->requirement(&v, "-SHOP_COLOR"));
    CHECK(!axes[FD_AXIS_ENV]->requirement(&v, "SHOP_NEW=1"));
    CHECK(axes[FD_AXIS_ENV]->requirement(&v, "HOME=/nonexistent"));
}

TEST(variables_are_typed_as_a_shell_wants_them)
{
    static const struct {
        const char *value, *want;
    } rows[] = {{"COLUMNS=40", "COLUMNS=40 "},
                {"-CI", "env -u CI "},
                {"CI=", "CI=\"\" "},
                {"A=b c", "A=\"b c\" "},
                {"A=$x=y", "A='$x=y' "}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        own_text struct text t = {0};
        axes[FD_AXIS_ENV]->command(rows[i].value, &t);
        CHECK_STR(text_str(&t), rows[i].want);
    }
}

TEST(the_collector_is_first_switched_off)
{
    char value[SETTING_VALUE_MAX];
    CHECK(axes[FD_AXIS_GC]->provoke(&view, 0, value));
    CHECK_STR(value, "off");
    CHECK(offered(FD_AXIS_GC, &view, "every:1"));
    CHECK(offered(FD_AXIS_GC, &view, "seed:1"));
    CHECK(axes[FD_AXIS_GC]->benign(&view, "off", 0, value));
    CHECK_STR(value, "on");
    CHECK(axes[FD_AXIS_GC]->benign(&view, "off", 1, value));
    CHECK_STR(value, "every:1");
}

static void own_files(rlim_t n)
{
    struct rlimit r;
    getrlimit(RLIMIT_NOFILE, &r);
    r.rlim_cur = n < r.rlim_max ? n : r.rlim_max;
    setrlimit(RLIMIT_NOFILE, &r);
}

TEST(fewer_files_than_here_but_no_fewer_than_some_systems_grant)
{
    char value[SETTING_VALUE_MAX];
    own_files(2000);
    CHECK(axes[FD_AXIS_LIMITS]->provoke(&view, 0, value));
    CHECK_STR(value, "nofile:256");
    CHECK(!axes[FD_AXIS_LIMITS]->requirement(&view, value));
    CHECK(axes[FD_AXIS_LIMITS]->requirement(&view, "nofile:64"));
    CHECK(axes[FD_AXIS_LIMITS]->requirement(&view, "memory:512M"));
    CHECK(axes[FD_AXIS_LIMITS]->requirement(&view, "stack:1M"));
    CHECK(axes[FD_AXIS_LIMITS]->benign(&view, "nofile:256", 0, value));
    CHECK_STR(value, "nofile:512");
    CHECK(axes[FD_AXIS_LIMITS]->benign(&view, "nofile:256", 2, value));
    CHECK_STR(value, "nofile:2000");
    CHECK(!axes[FD_AXIS_LIMITS]->benign(&view, "nofile:256", 3, value));
    CHECK(axes[FD_AXIS_LIMITS]->plainer(&view, "nofile:256", 0, value));
    CHECK_STR(value, "nofile:1024");
    own_files(200);
    CHECK(!offered(FD_AXIS_LIMITS, &view, "nofile:256")); /* there are fewer by themselves */
}

TEST(processors_are_offered_where_they_are_counted)
{
    const struct outcome counted = {.touched[FD_AXIS_LIMITS] = 1};
    const struct axis_view v = {.seen = &counted};
    CHECK(!offered(FD_AXIS_LIMITS, &view, "cpus:64") && !offered(FD_AXIS_LIMITS, &view, "cpus:2"));
    CHECK(offered(FD_AXIS_LIMITS, &v, "cpus:64") || offered(FD_AXIS_LIMITS, &v, "cpus:2"));
    CHECK(!axes[FD_AXIS_LIMITS]->requirement(&v, "cpus:1"));
}

TEST(a_shell_can_limit_open_files_by_itself)
{
    own_text struct text t = {0};
    CHECK(axes[FD_AXIS_LIMITS]->shell("nofile:256", &t));
    CHECK_STR(text_str(&t), "ulimit -Sn 256; ");
    CHECK(!axes[FD_AXIS_LIMITS]->shell("cpus:1", &t));
}

TEST(locales_that_are_here_are_offered)
{
    char value[SETTING_VALUE_MAX];
    unsetenv("LC_ALL");
    unsetenv("LC_CTYPE");
    setenv("LANG", "C", 1);
    CHECK(!offered(FD_AXIS_LOCALE, &view, "C"));
    CHECK(offered(FD_AXIS_LOCALE, &view, "POSIX"));
    CHECK(offered(FD_AXIS_LOCALE, &view, "C:ascii"));
    CHECK(!offered(FD_AXIS_LOCALE, &view, "xx_YY"));
    CHECK(axes[FD_AXIS_LOCALE]->benign(&view, "POSIX", 0, value));
    CHECK_STR(value, "C");
    unsetenv("LANG");
    CHECK(offered(FD_AXIS_LOCALE, &view, "C"));
    CHECK(!axes[FD_AXIS_LOCALE]->recorded(&seen, value));
}

TEST(ascii_is_a_locale_in_which_python_does_not_guess)
{
    own_recipe struct recipe r = {0};
    struct err e = {0};
    own_text struct text t = {0};
    CHECK_EQ(axes[FD_AXIS_LOCALE]->apply("C:ascii", &r, &e), 0);
    CHECK_EQ(r.env.n, 2);
    CHECK_STR(r.env.at[0], "LC_ALL=C");
    CHECK_STR(r.env.at[1], "PYTHONUTF8=0");
    axes[FD_AXIS_LOCALE]->command("C:ascii", &t);
    CHECK_STR(text_str(&t), "LC_ALL=C PYTHONUTF8=0 ");
}
