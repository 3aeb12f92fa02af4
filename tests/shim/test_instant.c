/* The grammar of time values: what is accepted, what it means, what is refused. */
#include "shim/instant.h"
#include "tests/check.h"

static struct fd_settings parsed(const char *text)
{
    struct fd_settings s = {.held = 0};
    CHECK_EQ(fd_time_parse(text, &s), 0);
    return s;
}

static void refused(const char *text)
{
    struct fd_settings s = {.held = 4, .time_ns = 77};
    if (fd_time_parse(text, &s) != -1) {
        check_failed++;
        fprintf(stderr, "accepted: %s\n", text);
    }
    CHECK_EQ(s.held, 4);
    CHECK_EQ(s.time_ns, 77);
}

TEST(instants)
{
    static const struct {
        const char *text;
        int64_t ns;
    } rows[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2024-02-29T23:59:59.5Z", 1709251199500000000},
        {"2024-02-29t23:59:59.5z", 1709251199500000000},
        {"2024-03-01T00:59:59+01:00", 1709251199000000000},
        {"2024-02-29T18:29:59-05:30", 1709251199000000000},
        {"1969-12-31T23:59:59.75Z", -250000000},
        {"2000-02-29T00:00:00.123456789Z", 951782400123456789},
        {"2262-04-11T23:47:16.854775807Z", INT64_MAX},
        {"1900-03-01T00:00:00Z", -2203891200000000000},
        {"@0", 0},
        {"@1709251199.5", 1709251199500000000},
        {"@-1.5", -1500000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fd_settings s = parsed(rows[i].text);
        CHECK_EQ(s.time_mode, FD_TIME_INSTANT);
        CHECK_EQ(s.time_flow, FD_FLOW_RUN);
        CHECK_EQ(s.time_ns, rows[i].ns);
        CHECK_EQ(s.held, 1u << FD_AXIS_TIME);
    }
}

TEST(offsets)
{
    static const struct {
        const char *text;
        int64_t ns;
    } rows[] = {
        {"+3d", 259200000000000}, {"-90s", -90000000000}, {"+1ns", 1},
        {"+5us", 5000},           {"+2ms", 2000000},      {"-1m", -60000000000},
        {"+1.5h", 5400000000000}, {"+1w", 604800000000000}, {"-0.25s", -250000000},
        {"+86400s", 86400000000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fd_settings s = parsed(rows[i].text);
        CHECK_EQ(s.time_mode, FD_TIME_OFFSET);
        CHECK_EQ(s.time_ns, rows[i].ns);
    }
}

TEST(flows)
{
    struct fd_settings s = parsed("2024-02-29T23:59:59Z/freeze");
    CHECK_EQ(s.time_flow, FD_FLOW_FREEZE);
    s = parsed("now/step:1.5ms");
    CHECK_EQ(s.time_mode, FD_TIME_NOW);
    CHECK_EQ(s.time_flow, FD_FLOW_STEP);
    CHECK_EQ(s.time_step_ns, 1500000);
    s = parsed("+1d/at:3");
    CHECK_EQ(s.time_flow, FD_FLOW_AT);
    CHECK_EQ((int64_t)s.time_at, 3);
    CHECK_EQ(s.time_step_ns, 100000000);
    s = parsed("2024-02-29T23:59:59Z/at:12:7.5ms");
    CHECK_EQ((int64_t)s.time_at, 12);
    CHECK_EQ(s.time_step_ns, 7500000);
    s = parsed("now/run");
    CHECK_EQ(s.time_flow, FD_FLOW_RUN);
    CHECK_EQ(fd_flow_parse("freeze", &s), 0);
    CHECK_EQ(s.time_flow, FD_FLOW_FREEZE);
    CHECK_EQ(fd_flow_parse("stop", &s), -1);
    CHECK_EQ(s.time_flow, FD_FLOW_FREEZE);
}

TEST(malformed)
{
    static const char *const rows[] = {
        "", " ", "0", "1709251199", "tomorrow", "nowish", "now/", "now/x", "now/freeze ",
        "2024-02-29", "2024-02-29T23:59:59", "2024-02-29 23:59:59Z", "2023-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z",
        "2024-01-32T00:00:00Z", "2024-01-00T00:00:00Z", "2024-01-01T24:00:00Z",
        "2024-01-01T00:60:00Z", "2024-01-01T00:00:60Z", "2024-01-01T00:00:00.Z",
        "2024-01-01T00:00:00.1234567890Z", "2024-01-01T00:00:00+1:00", "2024-01-01T00:00:00+24:00",
        "2024-01-01T00:00:00+01:60", "2024-1-01T00:00:00Z", "24-01-01T00:00:00Z",
        "2024-01-01T00:00:00ZZ", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "1600-01-01T00:00:00Z",
        "2262-04-11T23:47:16.854775808Z", "@", "@x", "@1.", "@1s", "@9223372036854775808",
        "@9223372037", "@--1", "+", "-", "+3", "+d", "+3days", "+3 d", "++3d", "+3d3h", "+1.s",
        "+1.2.3s", "+99999999999999d", "+3d/step:", "+3d/step:0s", "+3d/step:-1ms", "+3d/step:1",
        "+3d/at:", "+3d/at:-1", "+3d/at:x", "+3d/at:99999999999999999999", "+3d/at:3:", "+3d/at:3:5", "+3d/at:3:0ms",
        "+3d/at:3:2s", "+3d/at:3x", "+3d/at:3:1ms:", "+3d/run/run", "/freeze",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        refused(rows[i]);
}

TEST(format)
{
    char buf[FD_INSTANT_MAX];
    static const int64_t rows[] = {0, 1709251199500000000, -1, INT64_MAX, INT64_MIN + 1000000000,
                                   951782400123456789, -2203891200000000000};
    CHECK_EQ((int64_t)fd_instant_format(1709251199500000000, buf, sizeof buf), 22);
    CHECK_STR(buf, "2024-02-29T23:59:59.5Z");
    fd_instant_format(0, buf, sizeof buf);
    CHECK_STR(buf, "1970-01-01T00:00:00Z");
    fd_instant_format(-1, buf, sizeof buf);
    CHECK_STR(buf, "1969-12-31T23:59:59.999999999Z");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fd_instant_format(rows[i], buf, sizeof buf);
        CHECK_EQ(parsed(buf).time_ns, rows[i]);
    }
}

TEST(every_day_round_trips)
{
    for (int64_t day = -106751; day < 106751; day++) {
        char buf[FD_INSTANT_MAX];
        struct fd_settings s = {.held = 0};
        fd_instant_format(day * 86400000000000, buf, sizeof buf);
        if (fd_time_parse(buf, &s) || s.time_ns != day * 86400000000000) {
            CHECK_STR(buf, "a day that reads back");
            return;
        }
    }
}
