#include "shim/setting.h"
#include "shim/allow.h"
#include "shim/instant.h"
#include "shim/stop.h"
#include "shim/text.h"
#include "shim/timing.h"
#include "shim/value.h"

#define TIME_HINT "; write it like 2024-02-29T23:59:59Z, @1709251199.5, now, +3d or -90s"
#define FLOW_HINT "; write run, freeze, step:1ms or at:3"
#define RNG_HINT "; write a number from 0 to 18446744073709551615"
#define LISTING_HINT "; write sorted, reverse, oldest, newest or a number"
#define FS_HINT                                                                     \
    "; write private:/absolute/folder, mtime:2s, plant:empty:PATH, "                \
    "plant:unreadable:PATH, plant:malformed:PATH, ro, full:1M or real"
#define NET_HINT                                                                    \
    "; write block, refuse, nxdomain, nohost, delay:200ms, chunk:1, segment, "      \
    "whole, reset, busy:8080 or open"
#define TIMING_HINT "; write real, speed:x20, delay:threads:60ms, coarse:16ms or onecore"
#define SPEED_HINT "; write a factor from x0.01 to x1000"
#define SLEEP_HINT "; write real or skip"
#define DELAY_HINT "; write threads:60ms, thread2:60ms, wakes:20ms, loop:6ms, io:20ms or 7:200ms"
#define COARSE_HINT "; write a span up to 1s, such as 16ms"
#define LIMITS_HINT "; write nofile:256, cpus:1, memory:512M or stack:1M"
#define GC_HINT "; write off, every:1, seed:7 or on"
#define ALLOW_HINT "; write db.example.com, *.example.com, 10.1.2.3:5432, 10.0.0.0/8, [fd00::1]:80"
#define ENV_HINT "; write env=NAME=value, env=NAME= for an empty one, env=-NAME to remove it"
#define HASH_HINT "; write a number from 0 to 4294967295"

static const char *const axis_words[] = {
#define AXIS(ID, word) [FD_AXIS_##ID] = word,
#include "axes.def"
#undef AXIS
};

static const char known[] =
#define AXIS(ID, word) " " word
#include "axes.def"
#undef AXIS
    ;

/* Names of the design that this version does not serve: ignoring them would be a lie. */
static const char *const reserved[] = {"FD_INTERLEAVE", NULL};

static const char *const passed_on[] = {
#define VARIABLE(name, holds, values) name,
#define FOREIGN(name, holds, values)
#include "variables.def"
#undef VARIABLE
#undef FOREIGN
    NULL};

/* Axes whose whole value is one word, and the variables that hold a part of one: one row each. The
 * first of an axis takes its whole value; without a name it is an entry of FD_SETTING alone. */
static const struct word {
    enum fd_axis axis;
    const char *name;
    int (*parse)(const char *text, struct fd_settings *s);
    const char *wrong, *hint;
} words[] = {
    {FD_AXIS_ADDRESS, FD_ENV_ADDRESS, fd_address_parse, " is not a seed", RNG_HINT},
    {FD_AXIS_LISTING, FD_ENV_LISTING, fd_listing_parse, " is not an order", LISTING_HINT},
    {FD_AXIS_GC, FD_ENV_GC, fd_gc_parse, " is not a way to collect", GC_HINT},
    {FD_AXIS_LIMITS, FD_ENV_LIMITS, fd_limits_parse, " is not a limit", LIMITS_HINT},
    {FD_AXIS_FS, FD_ENV_FS, fd_fs_parse, " is not a way to hold files", FS_HINT},
    {FD_AXIS_NETWORK, FD_ENV_NET, fd_net_parse, " is not a state of the network", NET_HINT},
    {FD_AXIS_TIMING, NULL, fd_timing_parse, " is not a timing", TIMING_HINT},
    {FD_AXIS_TIMING, FD_ENV_SPEED, fd_speed_parse, " is not a speed", SPEED_HINT},
    {FD_AXIS_TIMING, FD_ENV_SLEEP, fd_sleep_parse, " is not a way to sleep", SLEEP_HINT},
    {FD_AXIS_TIMING, FD_ENV_DELAY, fd_delay_parse, " is not a delay", DELAY_HINT},
    {FD_AXIS_TIMING, FD_ENV_COARSE, fd_coarse_parse, " is not a step of the clock", COARSE_HINT},
};
#define WORDS (sizeof words / sizeof words[0])
static char kept[6144]; /* the environment's own block may be overwritten by setproctitle */
static const char *entries[sizeof passed_on / sizeof passed_on[0]];
static char hashseed[24];

const char *fd_setting_entry(unsigned int i)
{
    return i < sizeof entries / sizeof entries[0] ? entries[i] : NULL;
}

static void keep(char *const *envp)
{
    struct fd_line l = {kept, sizeof kept, 0};
    unsigned int n = 0;
    for (unsigned int i = 0; passed_on[i]; i++) {
        const char *value = fd_text_env(envp, passed_on[i]);
        if (!value)
            continue;
        size_t need = fd_text_len(passed_on[i]) + fd_text_len(value) + 2;
        if (need > sizeof kept - l.len)
            fd_stop(passed_on[i], " is too long; shorten it");
        entries[n++] = kept + l.len;
        fd_line_text(&l, passed_on[i]);
        fd_line_text(&l, "=");
        fd_line_text(&l, value);
        l.len++; /* the next entry starts after the NUL */
    }
    entries[n] = NULL;
}

static void use_time(const char *who, const char *value, struct fd_settings *s)
{
    if (fd_time_parse(value, s))
        fd_stop(who, value, " is not a time", TIME_HINT);
}

static void use_rng(const char *who, const char *value, struct fd_settings *s)
{
    if (fd_text_u64(value, &s->rng_seed))
        fd_stop(who, value, " is not a seed", RNG_HINT);
    s->held |= 1u << FD_AXIS_RNG;
}

static void use_hashseed(const char *value, struct fd_settings *s, struct fd_by_hand *more)
{
    uint64_t n;
    if (fd_text_u64(value, &n) || n > UINT32_MAX)
        fd_stop(FD_ENV_SETTING ": hashseed=", value, " is not a hash seed", HASH_HINT);
    struct fd_line l = {hashseed, sizeof hashseed, 0};
    fd_line_number(&l, (int64_t)n);
    more->hashseed = hashseed;
    s->hash_seed = n;
    s->held |= 1u << FD_AXIS_HASHSEED;
}

/* "NAME=value" as it is, and the NAME of "-NAME". */
static const char *variable(const char *value)
{
    const char *text = value + (*value == '-');
    bool right = fd_env_is_name(text) && (text > value) == !fd_text_find(text, "=");
    if (!right)
        fd_stop(FD_ENV_SETTING ": env=", value, " is not a variable", ENV_HINT);
    return text;
}

static void put(struct fd_by_hand *more, const char *text)
{
    for (size_t n = 0; n + 1 < sizeof more->put / sizeof more->put[0]; n++)
        if (!more->put[n] || more->put[n] == text) {
            more->put[n] = text;
            return;
        }
}

/* Axes that are variables of the environment: put there before anybody looks. */
static bool use_variable(int axis, const char *value, struct fd_by_hand *more)
{
    static const struct {
        int axis;
        const char *name; /* with its "=" */
    } of[] = {{FD_AXIS_ENV, ""}, {FD_AXIS_LOCALE, "LC_ALL="}, {FD_AXIS_ZONE, "TZ="}};
    static char texts[sizeof of / sizeof of[0]][128];
    _Static_assert(sizeof of / sizeof of[0] + 1 < sizeof more->put / sizeof more->put[0], "room");
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        if (of[i].axis != axis)
            continue;
        struct fd_line l = {texts[i], sizeof texts[i], 0};
        if (axis == FD_AXIS_ENV)
            value = variable(value);
        if (axis == FD_AXIS_LOCALE && fd_text_equal(value, "C:ascii")) {
            put(more, "PYTHONUTF8=0");
            value = "C";
        }
        fd_line_text(&l, of[i].name);
        fd_line_text(&l, value);
        put(more, texts[i]);
        return true;
    }
    return false;
}

static void use_word(int axis, const char *word, const char *value, struct fd_settings *s)
{
    for (size_t i = 0; i < WORDS; i++) {
        if ((int)words[i].axis != axis)
            continue;
        if (words[i].parse(value, s))
            fd_stop(FD_ENV_SETTING ": ", word, "=", value, words[i].wrong, words[i].hint);
        return;
    }
    fd_stop(FD_ENV_SETTING ": unknown axis \"", word, "\"; known are:", known);
}

/* The variables of those axes; true: at least one was there. */
static bool use_words(char *const *envp, struct fd_settings *s)
{
    bool any = false;
    for (size_t i = 0; i < WORDS; i++) {
        const char *value = words[i].name ? fd_text_env(envp, words[i].name) : NULL;
        if (value && words[i].parse(value, s))
            fd_stop(words[i].name, "=", value, words[i].wrong, words[i].hint);
        any |= value != NULL;
    }
    return any;
}

static void use_allowed(const char *value)
{
    const char *bad = value ? fd_allow_read(value) : NULL;
    if (bad)
        fd_stop(FD_ENV_NET_ALLOW ": \"", bad, "\" is not a host", ALLOW_HINT);
}

static void use_entry(const char *word, const char *value, struct fd_settings *s,
                      struct fd_by_hand *more)
{
    int axis = 0;
    while (axis < FD_AXIS_COUNT && !fd_text_equal(word, axis_words[axis]))
        axis++;
    if (axis == FD_AXIS_TIME)
        use_time(FD_ENV_SETTING ": time=", value, s);
    else if (axis == FD_AXIS_RNG)
        use_rng(FD_ENV_SETTING ": rng=", value, s);
    else if (axis == FD_AXIS_HASHSEED)
        use_hashseed(value, s, more);
    else if (axis == FD_AXIS_WORKERS)
        fd_stop(FD_ENV_SETTING ": workers=", value,
                " is several processes at once; start it with flaky-repro replay");
    else if (axis == FD_AXIS_ORDER)
        fd_stop(FD_ENV_SETTING ": order=", value,
                " is which tests run, and when; name them to pytest in that order");
    else if (!use_variable(axis, value, more))
        use_word(axis, word, value, s);
}

static void use_setting(const char *text, struct fd_settings *s, struct fd_by_hand *more)
{
    while (*text) {
        char part[128];
        size_t n = 0, equals = 0;
        for (; text[n] && text[n] != ','; n++) {
            if (n + 1 == sizeof part)
                fd_stop(FD_ENV_SETTING "=", text, " has an entry that is too long; shorten it");
            if (text[n] == '=' && !equals)
                equals = n;
            part[n] = text[n];
        }
        part[n] = 0;
        if (!equals)
            fd_stop(FD_ENV_SETTING ": \"", part, "\" is not axis=value; write time=...,rng=...");
        part[equals] = 0;
        use_entry(part, part + equals + 1, s, more);
        text += n;
        if (*text == ',' && !*++text)
            fd_stop(FD_ENV_SETTING " ends in a comma; remove it");
    }
}

bool fd_setting_read(char *const *envp, struct fd_settings *s, struct fd_by_hand *more)
{
    const char *setting = fd_text_env(envp, FD_ENV_SETTING);
    const char *time = fd_text_env(envp, FD_ENV_TIME);
    const char *flow = fd_text_env(envp, FD_ENV_TIME_FLOW);
    const char *rng = fd_text_env(envp, FD_ENV_RNG);
    *more = (struct fd_by_hand){.log = fd_text_env(envp, FD_ENV_LOG),
                                .map = fd_text_env(envp, FD_ENV_FS_MAP)};
    for (int i = 0; reserved[i]; i++)
        if (fd_text_env(envp, reserved[i]))
            fd_stop(reserved[i], " is not served by this version of libfd.so; unset ", reserved[i]);
    use_allowed(fd_text_env(envp, FD_ENV_NET_ALLOW));
    struct fd_settings none = {.held = 0};
    if (!setting && !time && !flow && !rng && !more->log && !more->map && !use_words(envp, &none))
        return false;
    if (setting)
        use_setting(setting, s, more);
    (void)use_words(envp, s);
    if (time)
        use_time(FD_ENV_TIME "=", time, s);
    if (flow) {
        if (fd_flow_parse(flow, s))
            fd_stop(FD_ENV_TIME_FLOW "=", flow, " is not a flow", FLOW_HINT);
        if (s->time_mode == FD_TIME_REAL)
            s->time_mode = FD_TIME_NOW;
        s->held |= 1u << FD_AXIS_TIME;
    }
    if (rng)
        use_rng(FD_ENV_RNG "=", rng, s);
    if (s->fs == FD_FS_LEFTOVERS)
        fd_stop(FD_ENV_FS "=leftovers is not held by libfd.so; run the command twice instead");
    if (more->map)
        s->held |= 1u << FD_AXIS_FS;
    s->witness = more->log != NULL;
    keep(envp);
    if (more->log && !*more->log)
        fd_stop(FD_ENV_LOG " is empty; name a file");
    return true;
}
