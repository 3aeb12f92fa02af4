#include "shim/setting.h"
#include "shim/allow.h"
#include "shim/instant.h"
#include "shim/stop.h"
#include "shim/text.h"
#include "shim/value.h"

#define TIME_HINT "; write it like 2024-02-29T23:59:59Z, @1709251199.5, now, +3d or -90s"
#define FLOW_HINT "; write run, freeze, step:1ms or at:3"
#define RNG_HINT "; write a number from 0 to 18446744073709551615"
#define LISTING_HINT "; write sorted, reverse or a number"
#define FS_HINT "; write private:/absolute/folder or real"
#define NET_HINT "; write block or open"
#define ALLOW_HINT "; write db.example.com, *.example.com, 10.1.2.3:5432, 10.0.0.0/8, [fd00::1]:80"
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
static const char *const reserved[] = {"FD_SPEED", "FD_SLEEP",
                                       "FD_DELAY", "FD_INTERLEAVE", "FD_GC", NULL};

static const char *const passed_on[] = {
#define VARIABLE(name, holds, values) name,
#define FOREIGN(name, holds, values)
#include "variables.def"
#undef VARIABLE
#undef FOREIGN
    NULL};

/* Axes whose whole value is one word: one row each. */
static const struct word {
    enum fd_axis axis;
    const char *name;
    int (*parse)(const char *text, struct fd_settings *s);
    const char *wrong, *hint;
} words[] = {
    {FD_AXIS_ADDRESS, FD_ENV_ADDRESS, fd_address_parse, " is not a seed", RNG_HINT},
    {FD_AXIS_LISTING, FD_ENV_LISTING, fd_listing_parse, " is not an order", LISTING_HINT},
    {FD_AXIS_FS, FD_ENV_FS, fd_fs_parse, " is not a way to hold files", FS_HINT},
    {FD_AXIS_NETWORK, FD_ENV_NET, fd_net_parse, " is not a state of the network", NET_HINT},
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
        const char *value = fd_text_env(envp, words[i].name);
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
    else
        use_word(axis, word, value, s);
}

static void use_setting(const char *text, struct fd_settings *s, struct fd_by_hand *more)
{
    while (*text) {
        char part[96];
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
    *more = (struct fd_by_hand){NULL, fd_text_env(envp, FD_ENV_LOG),
                                fd_text_env(envp, FD_ENV_FS_MAP)};
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
    if (more->map)
        s->held |= 1u << FD_AXIS_FS;
    s->witness = more->log != NULL;
    keep(envp);
    if (more->log && !*more->log)
        fd_stop(FD_ENV_LOG " is empty; name a file");
    return true;
}
