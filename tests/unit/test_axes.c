/* The values of the axes: what a calendar offers, and that every value can be put into force. */
#include "check.h"

#include "axes/axis.h"
#include "axes/calendar.h"
#include "base/clock.h"
#include "shim/instant.h"
#include "shim/timing.h"

#include <string.h>
#include <time.h>

#define NOW INT64_C(1796000000) /* 2026-11-30T00:53:20Z, a Monday */

static void next_is(enum calendar_kind kind, const char *zone, int64_t after, const char *want)
{
    int64_t t = 0;
    char got[FD_INSTANT_MAX] = "none";
    if (calendar_next(kind, zone, after, &t))
        fd_instant_format(t * NS_PER_S, got, sizeof got);
    CHECK_STR(got, want);
}

/* Expected values by hand from the Gregorian calendar and ISO 8601's week rule. */
TEST(the_calendar_finds_its_days)
{
    next_is(CALENDAR_MIDNIGHT, "UTC0", NOW, "2026-12-01T00:00:00Z");
    next_is(CALENDAR_MONTH, "UTC0", NOW, "2026-12-01T00:00:00Z");
    next_is(CALENDAR_YEAR, "UTC0", NOW, "2027-01-01T00:00:00Z");
    next_is(CALENDAR_FEB_28, "UTC0", NOW, "2027-02-28T00:00:00Z");
    next_is(CALENDAR_LEAP_DAY, "UTC0", NOW, "2028-02-29T00:00:00Z");
    next_is(CALENDAR_MARCH, "UTC0", NOW, "2027-03-01T00:00:00Z");
    next_is(CALENDAR_OCT_31, "UTC0", NOW, "2027-10-31T00:00:00Z");
    next_is(CALENDAR_MINUTE, "UTC0", NOW, "2026-11-30T00:54:00Z");
    next_is(CALENDAR_ISO_LATE, "UTC0", NOW, "2027-01-01T00:00:00Z");  /* week 53 of 2026 */
    next_is(CALENDAR_ISO_EARLY, "UTC0", NOW, "2029-12-31T00:00:00Z"); /* week 1 of 2030 */
    next_is(CALENDAR_LEAP_DAY, "UTC0", INT64_C(4102444800), "2104-02-29T00:00:00Z"); /* not 2100 */
}

TEST(days_begin_on_the_clock_of_their_zone)
{
    next_is(CALENDAR_MIDNIGHT, "Asia/Kolkata", NOW, "2026-11-30T18:30:00Z");
    next_is(CALENDAR_YEAR, "America/New_York", NOW, "2027-01-01T05:00:00Z");
}

TEST(clock_changes_are_found_to_the_second)
{
    int64_t t;
    bool forward;
    char got[FD_INSTANT_MAX];
    CHECK(calendar_shift("Europe/Paris", NOW, &t, &forward));
    fd_instant_format(t * NS_PER_S, got, sizeof got);
    CHECK_STR(got, "2027-03-28T01:00:00Z");
    CHECK(forward);
    CHECK(calendar_shift("Europe/Paris", t, &t, &forward));
    fd_instant_format(t * NS_PER_S, got, sizeof got);
    CHECK_STR(got, "2027-10-31T01:00:00Z");
    CHECK(!forward);
    CHECK(!calendar_shift("UTC0", NOW, &t, &forward));
    CHECK(!calendar_shift("Asia/Tokyo", NOW, &t, &forward));
}

TEST(looking_up_a_zone_leaves_the_zone_in_force)
{
    int64_t t;
    bool forward;
    time_t when = NOW;
    struct tm before, after;
    setenv("TZ", "Asia/Kolkata", 1);
    tzset();
    localtime_r(&when, &before);
    calendar_shift("Europe/Paris", NOW, &t, &forward);
    calendar_next(CALENDAR_YEAR, "America/New_York", NOW, &t);
    localtime_r(&when, &after);
    CHECK_EQ(before.tm_gmtoff, after.tm_gmtoff);
    CHECK_STR(getenv("TZ"), "Asia/Kolkata");
    unsetenv("TZ");
    tzset();
}

static bool offers(const struct axis_view *v, const char *want)
{
    char value[SETTING_VALUE_MAX];
    for (size_t n = 0; axes[FD_AXIS_TIME]->provoke(v, n, value); n++)
        if (strcmp(value, want) == 0)
            return true;
    return false;
}

TEST(the_clock_offers_every_change_three_times_and_each_gap_between_reads)
{
    struct outcome seen = {.clock_reads = 3, .took_ns = 6 * NS_PER_MS, .zone = {"Europe/Paris"}};
    struct axis_view v = {.seen = &seen, .now_ns = NOW * NS_PER_S};
    static const char *const wanted[] = {
        "2028-02-29T00:00:00Z", "2028-02-28T12:00:00Z", "2028-02-28T23:59:59Z", /* leap day */
        "2026-12-01T00:00:00Z", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z",
        "2027-02-28T00:00:00Z", "2027-10-31T00:00:00Z", "2026-11-30T00:54:00Z",
        "2027-03-28T01:00:00Z", "2027-03-27T13:00:00Z", "2027-03-28T00:59:59Z", /* Paris */
        "2027-10-31T01:00:00Z", "2038-01-19T03:14:08Z", "2038-01-19T03:14:07Z",
        "2026-11-30T00:53:21Z/at:1:50ms", "2026-11-30T00:53:21Z/at:2:50ms", "2026-11-30T00:53:21Z/at:3:50ms"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!offers(&v, wanted[i]))
            CHECK_STR("not offered", wanted[i]);
    CHECK(!offers(&v, "2026-11-30T00:53:21Z/at:4:50ms"));
    seen.zone[0][0] = 0; /* a zone that was not opened is not asked about */
    CHECK(!offers(&v, "2027-03-28T01:00:00Z"));
}

TEST(many_reads_are_sampled_not_all_tried)
{
    struct outcome seen = {.clock_reads = 100000};
    struct axis_view v = {.seen = &seen, .now_ns = NOW * NS_PER_S};
    char value[SETTING_VALUE_MAX];
    size_t n = 0;
    while (axes[FD_AXIS_TIME]->provoke(&v, n, value))
        n++;
    CHECK(n < 200);
}

TEST(only_far_dates_are_requirements)
{
    struct outcome seen = {0};
    struct axis_view v = {.seen = &seen, .now_ns = NOW * NS_PER_S};
    CHECK(axes[FD_AXIS_TIME]->requirement(&v, "2038-01-19T03:14:08Z"));
    CHECK(!axes[FD_AXIS_TIME]->requirement(&v, "2028-02-29T00:00:00Z"));
    CHECK(axes[FD_AXIS_TIME]->requirement(&v, "2015-01-01T00:00:00Z"));
}

/* Whatever an axis offers, it can put into force, and the value fits the canonical text. */
static void applies(enum fd_axis a, const char *value)
{
    own_recipe struct recipe r = {0};
    struct setting s = {0};
    struct err e = {0};
    setting_hold(&s, a, value);
    CHECK_EQ(axes_apply(&s, &r, &e), 0);
    bool plain = a == FD_AXIS_ORDER; /* held by what runs: pytest's arguments */
    CHECK(r.env.n > 0 || (r.page.held & axis_bit(a)) || (plain && r.order[0]));
    CHECK(strchr(value, ',') == NULL);
    own_text struct text words = {0};
    if (!axes[a]->command)
        return;
    axes[a]->command(value, &words);
    /* nothing that stands in front of a command puts load on a machine */
    CHECK(plain || text_ends(text_str(&words), " ") || (words.len == 0 && r.load > 0) ||
          (axes[a]->by_second_run && axes[a]->by_second_run(value)));
}

TEST(every_value_offered_can_be_held)
{
    struct outcome seen = {.clock_reads = 5, .zone = {"America/New_York"}, .instant_ns = NOW * 10};
    struct axis_view v = {.seen = &seen, .now_ns = NOW * NS_PER_S};
    char value[SETTING_VALUE_MAX], other[SETTING_VALUE_MAX];
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        for (uint64_t seed = 0; axes[a]->draw && seed < 50; seed++) {
            axes[a]->draw(seed, value);
            applies(a, value);
        }
        if (axes[a]->recorded && axes[a]->recorded(&seen, value))
            applies(a, value);
        for (size_t n = 0; axes[a]->provoke(&v, n, value); n++) {
            applies(a, value);
            for (size_t k = 0; axes[a]->benign(&v, value, k, other); k++) {
                CHECK(strcmp(value, other) != 0);
                applies(a, other);
            }
            for (size_t k = 0; axes[a]->plainer && axes[a]->plainer(&v, value, k, other); k++)
                applies(a, other);
        }
        for (size_t k = 0; axes[a]->benign(&v, NULL, k, other); k++)
            applies(a, other);
    }
}

/* All values that an axis offers, each followed by a blank. */
static const char *offered(enum fd_axis a, const struct fd_seen *w)
{
    static char all[2048];
    struct outcome seen = {0};
    struct axis_view v = {.seen = &seen, .now_ns = NOW * NS_PER_S, .watched = w};
    char value[SETTING_VALUE_MAX];
    size_t len = 0;
    all[0] = 0;
    for (size_t n = 0; axes[a]->provoke(&v, n, value) && len < sizeof all; n++) {
        applies(a, value);
        len += (size_t)snprintf(all + len, sizeof all - len, "%s ", value);
    }
    return all;
}

TEST(what_the_watched_run_did_chooses_the_values)
{
    struct fd_seen w = {0};
    CHECK_STR(offered(FD_AXIS_NETWORK, &w), "");
    CHECK_STR(offered(FD_AXIS_FS, &w), "private ");
    w.fixed_ports = 2;
    w.fixed[0] = 8080;
    w.fixed[1] = 9090;
    CHECK_STR(offered(FD_AXIS_NETWORK, &w), "busy:8080 busy:9090 ");
    w.needs = 1u << FD_NEED_OUTSIDE;
    w.deeds = 1u << FD_DEED_OWN_NAME;
    w.fixed_ports = 0;
    CHECK_STR(offered(FD_AXIS_NETWORK, &w), "block refuse nxdomain nohost ");
    w.needs = 0;
    w.deeds = 1u << FD_DEED_STREAM;
    CHECK_STR(offered(FD_AXIS_NETWORK, &w),
              "segment chunk:1000 chunk:20 chunk:1 delay:200ms reset ");
    w.deeds = 1u << FD_DEED_STAMP;
    CHECK_STR(offered(FD_AXIS_FS, &w), "mtime:1s mtime:2s private ");
    w.deeds = 1u << FD_DEED_WRITE;
    CHECK_STR(offered(FD_AXIS_FS, &w), "leftovers private full:1M ");
    w.deeds = 1u << FD_DEED_SOURCE;
    CHECK_STR(offered(FD_AXIS_FS, &w), "leftovers private ro ");
}

TEST(a_file_is_planted_only_where_the_test_has_no_part_in_it)
{
    static const char *const missed[] = {"~/.rc", "made.json", "conf", "conf/a.ini", "a,b.ini"};
    struct fd_seen w = {.misses = 5, .found = 1u << 1};
    for (size_t i = 0; i < 5; i++)
        snprintf(w.missed[i], FD_PATH_MAX, "%s", missed[i]);
    CHECK_STR(offered(FD_AXIS_FS, &w),
              "plant:empty:~/.rc plant:malformed:~/.rc plant:unreadable:~/.rc "
              "plant:empty:conf/a.ini plant:malformed:conf/a.ini plant:unreadable:conf/a.ini "
              "private ");
    w.makes = FD_MADE + 1; /* some are lost: any of them may be its own */
    CHECK_STR(offered(FD_AXIS_FS, &w), "private ");
    memset(w.missed[0], 'x', FD_PATH_MAX - 1); /* longer than a value */
    w.makes = 0;
    w.misses = 1;
    CHECK_STR(offered(FD_AXIS_FS, &w), "private ");
}

TEST(nonsense_values_are_refused)
{
    static const struct {
        enum fd_axis axis;
        const char *value;
    } bad[] = {{FD_AXIS_HASHSEED, "-1"},  {FD_AXIS_HASHSEED, "4294967296"},
               {FD_AXIS_HASHSEED, "x"},   {FD_AXIS_RNG, "-3"},
               {FD_AXIS_RNG, "1.5"},      {FD_AXIS_RNG, "99999999999999999999"},
               {FD_AXIS_TIME, "noon"},    {FD_AXIS_TIME, "2026-13-01T00:00:00Z"},
               {FD_AXIS_TIME, "2026-02-30T00:00:00Z"},
               {FD_AXIS_ADDRESS, "0xg"},  {FD_AXIS_ADDRESS, ""},
               {FD_AXIS_LISTING, "up"},   {FD_AXIS_LISTING, "-1"},
               {FD_AXIS_FS, "private:x"}, {FD_AXIS_FS, "gone"},
               {FD_AXIS_NETWORK, "shut"}, {FD_AXIS_NETWORK, ""},
               {FD_AXIS_NETWORK, "chunk"}, {FD_AXIS_NETWORK, "chunk:0"},
               {FD_AXIS_NETWORK, "busy:65536"}, {FD_AXIS_NETWORK, "busy:x"},
               {FD_AXIS_NETWORK, "delay:5"}, {FD_AXIS_NETWORK, "segment:1"},
               {FD_AXIS_FS, "mtime"}, {FD_AXIS_FS, "mtime:2"}, {FD_AXIS_FS, "mtime:-1s"},
               {FD_AXIS_FS, "plant:empty:"}, {FD_AXIS_FS, "plant:gone:x"},
               {FD_AXIS_FS, "plant:empty:x/"}, {FD_AXIS_FS, "full:"}, {FD_AXIS_FS, "ro:x"},
               {FD_AXIS_ENV, "COLUMNS"},   {FD_AXIS_ENV, "-A=1"},
               {FD_AXIS_ENV, "9A=1"},      {FD_AXIS_ENV, "LD_PRELOAD=x"},
               {FD_AXIS_GC, "every:0"},     {FD_AXIS_GC, "seed:"},
               {FD_AXIS_LIMITS, "nofile:0"}, {FD_AXIS_LIMITS, "cores:3"},
               {FD_AXIS_LOCALE, "xx_YY"},   {FD_AXIS_LOCALE, ""},
               {FD_AXIS_ZONE, "Mars/Base"}, {FD_AXIS_ZONE, ""},
               {FD_AXIS_ZONE, "../../../etc/passwd"}, {FD_AXIS_ZONE, "UTC X=1"},
               {FD_AXIS_WORKERS, "4"},    {FD_AXIS_WORKERS, "copies:0"},
               {FD_AXIS_WORKERS, "copies:17"}, {FD_AXIS_WORKERS, "copies:2:20"},
               {FD_AXIS_WORKERS, "xdist:2:20ms"}, {FD_AXIS_WORKERS, "copies:-1"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        own_recipe struct recipe r = {0};
        struct setting s = {0};
        struct err e = {0};
        setting_hold(&s, bad[i].axis, bad[i].value);
        CHECK_EQ(axes_apply(&s, &r, &e), -1);
        CHECK_EQ(e.kind, ERR_USAGE);
    }
}

static size_t plainer_than(enum fd_axis a, const char *value)
{
    struct outcome seen = {0};
    struct axis_view v = {.seen = &seen, .now_ns = NOW * NS_PER_S};
    char other[SETTING_VALUE_MAX];
    size_t n = 0;
    while (axes[a]->plainer(&v, value, n, other))
        n++;
    return n;
}

TEST(a_seeded_order_has_plainer_ones)
{
    CHECK_EQ(plainer_than(FD_AXIS_LISTING, "17"), 2); /* by name and backwards */
    CHECK_EQ(plainer_than(FD_AXIS_LISTING, "reverse"), 0);
}

TEST(a_private_home_is_a_requirement_not_a_flake)
{
    CHECK(axes[FD_AXIS_FS]->requirement(NULL, "private"));
    CHECK(!axes[FD_AXIS_FS]->requirement(NULL, "real"));
    CHECK(axes[FD_AXIS_FS]->requirement(NULL, "plant:unreadable:x"));
    CHECK(axes[FD_AXIS_FS]->requirement(NULL, "ro"));
    CHECK(axes[FD_AXIS_FS]->requirement(NULL, "full:1M"));
    CHECK(!axes[FD_AXIS_FS]->requirement(NULL, "plant:empty:x"));
    CHECK(!axes[FD_AXIS_FS]->requirement(NULL, "mtime:2s"));
    CHECK(!axes[FD_AXIS_FS]->requirement(NULL, "leftovers"));
    CHECK(axes[FD_AXIS_NETWORK]->requirement(NULL, "reset"));
    CHECK(!axes[FD_AXIS_NETWORK]->requirement(NULL, "block"));
    CHECK(!axes[FD_AXIS_NETWORK]->requirement(NULL, "busy:80"));
}

TEST(a_layout_is_held_in_every_part)
{
    own_recipe struct recipe r = {0};
    struct setting s = {0};
    struct err e = {0};
    setting_hold(&s, FD_AXIS_ADDRESS, "7");
    CHECK_EQ(axes_apply(&s, &r, &e), 0);
    CHECK(r.no_aslr);
    CHECK_EQ(r.page.address_seed, 7);
    CHECK_EQ(r.env.n, 1); /* what pads the stack */
    CHECK(axes[FD_AXIS_ADDRESS]->replay_tries == 64);
}

TEST(an_odd_instant_has_plainer_ones)
{
    struct outcome seen = {.clock_reads = 2, .took_ns = 20 * NS_PER_MS};
    struct axis_view v = {.seen = &seen, .now_ns = NOW * NS_PER_S};
    static const char *const want[] = {"2026-11-30T12:00:00Z",      "2026-11-30T00:00:00Z",
                                       "2026-11-30T00:00:00Z",      "2026-11-30T00:53:00Z",
                                       "2026-11-30T00:53:20Z",      "2026-11-30T00:53:21Z/at:1:50ms",
                                       "2026-11-30T00:53:21Z/at:2:50ms"};
    char value[SETTING_VALUE_MAX];
    size_t n = 0;
    for (; axes[FD_AXIS_TIME]->plainer(&v, "2026-11-30T00:53:20.998Z", n, value); n++)
        CHECK_STR(value, n < 7 ? want[n] : "nothing more");
    CHECK_EQ(n, 7);
}

static const char *nth_timing(const struct fd_seen *watched, size_t nth, char *buf)
{
    struct outcome seen = {0};
    struct axis_view v = {.seen = &seen, .now_ns = NOW * NS_PER_S, .watched = watched};
    return axes[FD_AXIS_TIMING]->provoke(&v, nth, buf) ? buf : NULL;
}

static bool timing_offers(const struct fd_seen *watched, const char *value)
{
    char buf[SETTING_VALUE_MAX];
    for (size_t i = 0; nth_timing(watched, i, buf); i++)
        if (strcmp(buf, value) == 0)
            return true;
    return false;
}

TEST(timing_is_tried_where_the_test_was_seen)
{
    char first[SETTING_VALUE_MAX];
    struct fd_seen threads = {.stalled = {[FD_STALL_THREAD] = 3}};
    struct fd_seen loop = {.stalled = {[FD_STALL_LOOP] = 9}}, clock = {.clock_reads = 2};
    CHECK_STR(nth_timing(&threads, 0, first), "delay:threads:100ms");
    CHECK(timing_offers(&threads, "delay:thread3:100ms"));
    CHECK(!timing_offers(&threads, "delay:thread4:100ms"));
    CHECK(!timing_offers(&threads, "delay:loop:6ms") && !timing_offers(&threads, "coarse:16ms"));
    CHECK_STR(nth_timing(&loop, 0, first), "delay:loop:6ms");
    CHECK(timing_offers(&clock, "coarse:16ms") && !timing_offers(&clock, "delay:threads:100ms"));
    CHECK(timing_offers(NULL, "coarse:16ms") && timing_offers(NULL, "delay:threads:100ms"));
}

TEST(timing_is_never_slower_than_a_loaded_machine)
{
    char value[SETTING_VALUE_MAX];
    size_t n = 0;
    for (; nth_timing(NULL, n, value); n++) {
        struct fd_settings s = {0};
        if (fd_timing_parse(value, &s) < 0)
            continue;
        CHECK(s.speed <= 20 * FD_SPEED_AS_EVER);
        CHECK(s.stall_ns <= 200000000);
    }
    CHECK(n > 10 && n <= 40);
}

TEST(timing_values_that_mean_nothing_are_refused)
{
    static const char *const wrong[] = {"", "fast", "speed:20", "speed:x0", "speed:x1001",
                                        "speed:x1.", "speed:x.5", "speed:x0.001", "speed:x1e1",
                                        "delay:60ms", "delay:thread0:60ms", "delay:threads:60",
                                        "delay:threads:11s", "coarse:2s", "load:0", "load:65",
                                        "load:4x", "load:", "onecores", "delay:loop:-1ms"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        own_recipe struct recipe r = {0};
        struct err e = {0};
        CHECK(axes[FD_AXIS_TIMING]->apply(wrong[i], &r, &e) < 0);
        CHECK(r.load == 0 && r.page.held == 0);
    }
}

TEST(timing_values_are_put_into_words)
{
    own_text struct text said = {0};
    axes[FD_AXIS_TIMING]->meaning("delay:thread2:60ms", &said);
    CHECK(strstr(text_str(&said), "thread number 2 of those started begins its work 60 ms late"));
    text_clear(&said);
    axes[FD_AXIS_TIMING]->meaning("speed:x10", &said);
    CHECK(strstr(text_str(&said), "all work takes 10 times as long"));
    CHECK(strstr(text_str(&said), "on a machine with much else to do"));
    text_clear(&said);
    axes[FD_AXIS_TIMING]->meaning("coarse:16ms", &said);
    CHECK_STR(text_str(&said), "With coarse:16ms clocks move in steps of 16 ms: so it is on a machine "
                               "with a coarse timer.");
    text_clear(&said);
    axes[FD_AXIS_TIMING]->meaning("real", &said);
    CHECK_EQ(said.len, 0);
}

static void workers_offered(const char *nodeid, const char *plugin, const char *const *want)
{
    struct outcome seen = {0};
    own_target struct target t = {.nodeid = str_or_die(nodeid)};
    struct axis_view v = {.seen = &seen, .target = &t};
    char value[SETTING_VALUE_MAX];
    size_t n = 0;
    argv_add(&t.plugins, plugin);
    for (; axes[FD_AXIS_WORKERS]->provoke(&v, n, value); n++)
        CHECK_STR(value, want[n] ? want[n] : "nothing more");
    CHECK(!want[n]);
}

/* Its siblings run beside a case of several first of all; without pytest-xdist, copies alone. */
TEST(xdist_is_used_where_it_is_installed)
{
    static const char *const both[] = {"copies:4", "copies:8", "copies:4:20ms", "copies:2",
                                       "xdist:2",  "xdist:4",  NULL};
    static const char *const cases[] = {"xdist:2",       "xdist:4",  "copies:4", "copies:8",
                                        "copies:4:20ms", "copies:2", NULL};
    static const char *const alone[] = {"copies:4", "copies:8", "copies:4:20ms", "copies:2", NULL};
    workers_offered("t.py::test_a", "pytest-xdist 3.8.0", both);
    workers_offered("t.py::test_a[1]", "pytest-xdist 3.8.0", cases);
    workers_offered("t.py::test_a[1]", "pytest-cov 4.0.0", alone);
}

TEST(workers_are_held_as_processes)
{
    own_recipe struct recipe r = {0};
    struct err e = {0};
    CHECK_EQ(axes[FD_AXIS_WORKERS]->apply("copies:4:20ms", &r, &e), 0);
    CHECK_EQ(r.copies, 4);
    CHECK_EQ(r.stagger_ns, 20 * NS_PER_MS);
    CHECK_EQ(axes[FD_AXIS_WORKERS]->apply("xdist:2", &r, &e), 0);
    CHECK(r.copies == 0 && r.spread == 2 && r.stagger_ns == 0);
}
