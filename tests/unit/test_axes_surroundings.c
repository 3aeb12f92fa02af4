/* The values of zone: what stands around the test and differs from machine to machine. */
#include "check.h"

#include "axes/axis.h"

#include <stdlib.h>
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
