/* The wall clock. Values are instants and flows in the grammar of shim/instant.h. */
#include "axes/axis.h"

#include "axes/calendar.h"
#include "base/clock.h"
#include "shim/instant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MAX 400
#define READS_MAX  24 /* places for a boundary between two reads; more are sampled evenly */
#define DAY_NS     (86400 * NS_PER_S)
#define FAR_NS     (5 * 366 * DAY_NS)
#define ROLLOVER_S INT64_C(2147483648) /* 2038-01-19T03:14:08Z: the end of a signed 32-bit time */

struct series {
    int64_t now_ns; /* what the list was made for */
    uint64_t reads;
    int lead_ms;
    char zones[FD_ZONES][48];
    size_t n;
    char value[VALUES_MAX][SETTING_VALUE_MAX];
};

static void add(struct series *s, int64_t ns, const char *flow)
{
    /* Never back in time: files that are there already would come from the future. */
    if (s->n == VALUES_MAX || ns < s->now_ns)
        return;
    char *to = s->value[s->n];
    size_t len = fd_instant_format(ns, to, SETTING_VALUE_MAX);
    if (flow)
        snprintf(to + len, SETTING_VALUE_MAX - len, "/%s", flow);
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->value[i], to) == 0)
            return;
    s->n++;
}

/* How far below a boundary the clock starts that shall pass it between two reads: further than the
 * test takes, so that until then it runs as it should, and no further than that needs. */
static int lead_ms(const struct outcome *seen)
{
    static const int leads[] = {20, 50, 100, 200, 500};
    int64_t need = 2 * seen->took_ns + 10 * NS_PER_MS;
    if (seen->tier == TIER_FRESH) /* mostly the interpreter's start */
        need = seen->took_ns < NS_PER_S ? 100 * NS_PER_MS : NS_PER_S;
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++)
        if (need <= leads[i] * NS_PER_MS)
            return leads[i];
    return 1000;
}

/* A change of the calendar: the change itself, half a day before it, the last second before. */
static void add_change(struct series *s, int64_t t)
{
    add(s, t * NS_PER_S, NULL);
    add(s, (t - 43200) * NS_PER_S, NULL);
    add(s, (t - 1) * NS_PER_S, NULL);
}

/* The boundary between read j and j+1, for each j there is: the first read on the near side, … */
static void add_straddles(struct series *s, int64_t boundary_ns)
{
    uint64_t n = s->reads, places = n > READS_MAX ? READS_MAX : n;
    for (uint64_t i = 0; i < places; i++) {
        char flow[64];
        snprintf(flow, sizeof flow, "at:%" PRIu64 ":%dms", 1 + i * n / places, s->lead_ms);
        add(s, boundary_ns, flow);
    }
}

static void add_kind(struct series *s, enum calendar_kind kind, const char *zone)
{
    int64_t t;
    if (calendar_next(kind, zone, s->now_ns / NS_PER_S, &t))
        add_change(s, t);
}

static void add_shifts(struct series *s, const char *zone)
{
    int64_t t = s->now_ns / NS_PER_S;
    bool forward;
    for (int i = 0; i < 2 && calendar_shift(zone, t, &t, &forward); i++)
        add_change(s, t);
}

/* A clock that stands still at a telling fraction of a second: none, leading zeros, trailing zeros,
 * odd and even, and the last microsecond before a whole one. */
static void add_fractions(struct series *s)
{
    static const int64_t us[] = {0, 500000, 1, 50000, 100000, 123456, 123450, 987651, 999999};
    int64_t second = (s->now_ns / NS_PER_S + 1) * NS_PER_S;
    for (size_t i = 0; i < sizeof us / sizeof *us; i++)
        add(s, second + us[i] * 1000, "freeze");
}

static void make(struct series *s, const struct axis_view *v)
{
    static const enum calendar_kind kinds[] = {
        CALENDAR_LEAP_DAY, CALENDAR_MONTH,  CALENDAR_YEAR,      CALENDAR_MIDNIGHT, CALENDAR_FEB_28,
        CALENDAR_MARCH,    CALENDAR_OCT_31, CALENDAR_ISO_EARLY, CALENDAR_ISO_LATE, CALENDAR_MINUTE};
    *s = (struct series){
        .now_ns = v->now_ns, .reads = v->seen->clock_reads, .lead_ms = lead_ms(v->seen)};
    memcpy(s->zones, v->seen->zone, sizeof s->zones);
    add_straddles(s, (v->now_ns / NS_PER_S + 1) * NS_PER_S);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        add_kind(s, kinds[i], NULL);
    add_shifts(s, NULL);
    for (size_t i = 0; i < FD_ZONES && s->zones[i][0]; i++)
        add_shifts(s, s->zones[i]);
    int64_t year;
    if (calendar_next(CALENDAR_YEAR, NULL, v->now_ns / NS_PER_S, &year))
        add_straddles(s, year * NS_PER_S);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        add_kind(s, kinds[i], "UTC0");
    for (size_t i = 0; i < FD_ZONES && s->zones[i][0]; i++)
        add_kind(s, CALENDAR_MIDNIGHT, s->zones[i]);
    for (int64_t d = 1; d <= 31; d++) /* every day of the week and of the month */
        add(s, (v->now_ns / DAY_NS + d) * DAY_NS + DAY_NS / 2, NULL);
    for (int64_t h = 0; h < 24; h++) /* and every hour */
        add(s, (v->now_ns / DAY_NS + 1) * DAY_NS + h * (DAY_NS / 24) + DAY_NS / 48, NULL);
    add_change(s, ROLLOVER_S);
    add_fractions(s);
}

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    static struct series s; /* the list of the last question: it is asked for one by one */
    if (s.n == 0 || s.now_ns != v->now_ns || s.reads != v->seen->clock_reads ||
        s.lead_ms != lead_ms(v->seen) || memcmp(s.zones, v->seen->zone, sizeof s.zones) != 0)
        make(&s, v);
    if (nth >= s.n)
        return false;
    text_copy(ret_value, SETTING_VALUE_MAX, s.value[nth]);
    return true;
}

static bool recorded(const struct outcome *o, char *ret_value)
{
    if (o->instant_ns == 0)
        return false;
    fd_instant_format(o->instant_ns, ret_value, SETTING_VALUE_MAX);
    return true;
}

/* Frozen too, so that standing still is not what is blamed; at other fractions of the second. */
static bool benign_frozen(int64_t ns, size_t nth, char *ret_value)
{
    static const int64_t us[] = {123456, 250000, 481516, 700007, 999998};
    int64_t second = ns / NS_PER_S * NS_PER_S;
    if (nth < sizeof us / sizeof *us && second + us[nth] * 1000 == ns)
        nth++;
    if (nth >= sizeof us / sizeof *us)
        return false;
    size_t len = fd_instant_format(second + us[nth] * 1000, ret_value, SETTING_VALUE_MAX);
    snprintf(ret_value + len, SETTING_VALUE_MAX - len, "/freeze");
    return true;
}

/* Nearest first: the boundary before all reads instead of between two, or some days away. */
static bool benign_near(const char *failing, size_t nth, char *ret_value)
{
    static const int hours[] = {-24, 24,      -48,    48,       -12,     12,       -1,
                                1,   -7 * 24, 7 * 24, -30 * 24, 30 * 24, -180 * 24};
    struct fd_settings s = {0};
    if (fd_time_parse(failing, &s) < 0 || s.time_mode != FD_TIME_INSTANT)
        return false;
    if (s.time_flow == FD_FLOW_AT && nth-- == 0) {
        fd_instant_format(s.time_ns, ret_value, SETTING_VALUE_MAX);
        return true;
    }
    if (s.time_flow == FD_FLOW_FREEZE)
        return benign_frozen(s.time_ns, nth, ret_value);
    if (nth >= sizeof hours / sizeof *hours)
        return false;
    fd_instant_format(s.time_ns + hours[nth] * (DAY_NS / 24), ret_value, SETTING_VALUE_MAX);
    return true;
}

/* A test that always fails may do so since a date, or at this time of the day. */
static bool benign_now(int64_t now_ns, size_t nth, char *ret_value)
{
    static const int days[] = {-1, -30, -180, -365, -730, 1, 30};
    static const int hours[] = {12, 3, 21};
    const size_t n = sizeof hours / sizeof *hours;
    int64_t ns = now_ns;
    if (nth < n)
        ns = now_ns / DAY_NS * DAY_NS + hours[nth] * (DAY_NS / 24);
    else if (nth - n < sizeof days / sizeof *days)
        ns += days[nth - n] * DAY_NS;
    else
        return false;
    fd_instant_format(ns, ret_value, SETTING_VALUE_MAX);
    return true;
}

static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    return failing ? benign_near(failing, nth, ret_value) : benign_now(v->now_ns, nth, ret_value);
}

/* Noon of the day, or a whole hour, minute, second, instead of an odd instant. Where none of these
 * fails, the reads may have straddled a second: the boundary itself, placed between two of them,
 * does not depend on how fast the test gets there. */
static bool plainer(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    static const int64_t units[] = {DAY_NS, 3600 * NS_PER_S, 60 * NS_PER_S, NS_PER_S};
    const size_t n = sizeof units / sizeof *units;
    struct fd_settings s = {0};
    if (fd_time_parse(failing, &s) < 0 || s.time_mode != FD_TIME_INSTANT ||
        s.time_flow != FD_FLOW_RUN)
        return false;
    if (nth <= n) {
        int64_t plain = nth == 0 ? s.time_ns / DAY_NS * DAY_NS + DAY_NS / 2
                                 : s.time_ns / units[nth - 1] * units[nth - 1];
        fd_instant_format(plain, ret_value, SETTING_VALUE_MAX);
        return true;
    }
    uint64_t read = nth - n;
    if (s.time_ns % NS_PER_S == 0 || read > v->seen->clock_reads || read > READS_MAX)
        return false;
    int64_t boundary = (s.time_ns / NS_PER_S + 1) * NS_PER_S;
    size_t len = fd_instant_format(boundary, ret_value, SETTING_VALUE_MAX);
    snprintf(ret_value + len, SETTING_VALUE_MAX - len, "/at:%" PRIu64 ":%dms", read,
             lead_ms(v->seen));
    return true;
}

/* More than five years away: what the test needs of its date, not a flake of today's. */
static bool requirement(const struct axis_view *v, const char *value)
{
    struct fd_settings s = {0};
    if (fd_time_parse(value, &s) < 0 || s.time_mode != FD_TIME_INSTANT)
        return false;
    int64_t away = s.time_ns - v->now_ns;
    return away > FAR_NS || away < -FAR_NS;
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    if (fd_time_parse(value, &r->page) < 0) {
        err_set(e, ERR_USAGE, "time=\"%s\" is not an instant", value);
        return err_hint(e, "for instance time=2024-02-29T23:59:59.5Z or time=+3d");
    }
    return 0;
}

static void command(const char *value, struct text *out)
{
    const char *slash = strchr(value, '/');
    text_add(out, "FD_TIME=");
    text_addn(out, value, slash ? (size_t)(slash - value) : strlen(value));
    if (slash)
        text_addf(out, " FD_TIME_FLOW=%s", slash + 1);
    text_addc(out, ' ');
}

const struct axis axis_TIME = {
    .catches = "days, months, leap days, clock changes, two reads on both sides of a second",
    .held_by = "the wall clock of the test's process and its children",
    .by_hand = "FD_TIME, FD_TIME_FLOW",
    .has_hook = true,
    .recorded = recorded,
    .provoke = provoke,
    .benign = benign,
    .plainer = plainer,
    .requirement = requirement,
    .apply = apply,
    .command = command,
    .needs_shim = true,
};
