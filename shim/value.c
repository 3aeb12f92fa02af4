#include "shim/value.h"
#include "shim/text.h"

int fd_address_parse(const char *text, struct fd_settings *s)
{
    if (fd_text_u64(text, &s->address_seed))
        return -1;
    s->held |= 1u << FD_AXIS_ADDRESS;
    return 0;
}

int fd_listing_parse(const char *text, struct fd_settings *s)
{
    uint64_t seed = 0;
    enum fd_listing how = FD_LISTING_SEEDED;
    if (fd_text_equal(text, "sorted"))
        how = FD_LISTING_SORTED;
    else if (fd_text_equal(text, "reverse"))
        how = FD_LISTING_REVERSE;
    else if (fd_text_equal(text, "oldest"))
        how = FD_LISTING_OLDEST;
    else if (fd_text_equal(text, "newest"))
        how = FD_LISTING_NEWEST;
    else if (fd_text_u64(text, &seed))
        return -1;
    s->listing = how;
    s->listing_seed = seed;
    s->held |= 1u << FD_AXIS_LISTING;
    return 0;
}

/* A number from 1 on and one of the units. */
struct unit {
    const char *word;
    uint64_t times;
};

static int with_unit(const char *text, const struct unit *units, uint64_t most, uint64_t *ret)
{
    char digits[24];
    size_t n = 0;
    uint64_t value;
    while (text[n] >= '0' && text[n] <= '9' && n + 1 < sizeof digits) {
        digits[n] = text[n];
        n++;
    }
    digits[n] = 0;
    while (units->word && !fd_text_equal(text + n, units->word))
        units++;
    if (!units->word || fd_text_u64(digits, &value) || !value || value > most / units->times)
        return -1;
    *ret = value * units->times;
    return 0;
}

static const struct unit spans[] = {{"ms", 1000000}, {"s", 1000000000}, {NULL, 0}};
static const struct unit sizes[] = {{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30},
                                    {NULL, 0}};
#define SPAN_MOST UINT64_C(3600000000000)
#define SIZE_MOST (UINT64_C(1) << 50)

static int private_parse(const char *text, struct fd_settings *s)
{
    if (*text && *text != '/')
        return -1;
    if (fd_text_len(text) >= sizeof s->private_home)
        return -1;
    fd_copy(s->private_home, text, fd_text_len(text) + 1);
    return 0;
}

static int mtime_parse(const char *text, struct fd_settings *s)
{
    uint64_t ns;
    if (with_unit(text, spans, SPAN_MOST, &ns))
        return -1;
    s->mtime_ns = (int64_t)ns;
    return 0;
}

static int full_parse(const char *text, struct fd_settings *s)
{
    return with_unit(text, sizes, SIZE_MOST, &s->full_bytes);
}

static int plant_parse(const char *text, struct fd_settings *s)
{
    static const char *const kinds[FD_PLANT_COUNT] = {
        [FD_PLANT_EMPTY] = "empty:",
        [FD_PLANT_UNREADABLE] = "unreadable:",
        [FD_PLANT_MALFORMED] = "malformed:",
    };
    for (uint32_t i = 0; i < FD_PLANT_COUNT; i++) {
        const char *path = text + fd_text_len(kinds[i]);
        if (!fd_text_starts(text, kinds[i]))
            continue;
        size_t n = fd_text_len(path);
        if (!n || n >= sizeof s->plant_path || path[n - 1] == '/')
            return -1;
        fd_copy(s->plant_path, path, n + 1);
        s->plant = i;
        return 0;
    }
    return -1;
}

/* One row for each word; a parser for what stands behind its colon, NULL: nothing does. */
struct form {
    const char *word;
    uint32_t value;
    bool alone; /* may stand without the colon */
    int (*parse)(const char *text, struct fd_settings *s);
};

static const struct form files[] = {
    {"real", FD_FS_REAL, true, NULL},
    {"private", FD_FS_PRIVATE, true, private_parse},
    {"mtime", FD_FS_MTIME, false, mtime_parse},
    {"plant", FD_FS_PLANT, false, plant_parse},
    {"leftovers", FD_FS_LEFTOVERS, true, NULL},
    {"ro", FD_FS_READONLY, true, NULL},
    {"full", FD_FS_FULL, false, full_parse},
    {NULL, 0, false, NULL},
};

/* Of *s only what the form's own parser fills in; the others leave it alone. */
static int form_parse(const struct form *f, const char *text, struct fd_settings *s, uint32_t *ret)
{
    for (; f->word; f++) {
        size_t n = fd_text_len(f->word);
        if (!fd_text_starts(text, f->word) || (text[n] && text[n] != ':'))
            continue;
        bool more = text[n] == ':';
        if (more ? !f->parse || !text[n + 1] : !f->alone)
            return -1;
        if (more && f->parse(text + n + 1, s))
            return -1;
        *ret = f->value;
        return 0;
    }
    return -1;
}

int fd_fs_parse(const char *text, struct fd_settings *s)
{
    struct fd_settings to = *s;
    to.private_home[0] = 0;
    if (form_parse(files, text, &to, &to.fs))
        return -1;
    to.held |= 1u << FD_AXIS_FS;
    *s = to;
    return 0;
}

static int delay_parse(const char *text, struct fd_settings *s)
{
    uint64_t ns;
    if (with_unit(text, spans, SPAN_MOST, &ns))
        return -1;
    s->net_delay_ns = (int64_t)ns;
    return 0;
}

static int number_parse(const char *text, struct fd_settings *s, uint64_t most)
{
    uint64_t n;
    if (with_unit(text, sizes, most, &n))
        return -1;
    s->net_number = (uint32_t)n;
    return 0;
}

static int chunk_parse(const char *text, struct fd_settings *s)
{
    return number_parse(text, s, 1 << 30);
}

static int port_parse(const char *text, struct fd_settings *s)
{
    return number_parse(text, s, 65535);
}

static const struct form networks[] = {
    {"open", FD_NET_OPEN, true, NULL},
    {"block", FD_NET_BLOCK, true, NULL},
    {"refuse", FD_NET_REFUSE, true, NULL},
    {"nxdomain", FD_NET_NXDOMAIN, true, NULL},
    {"nohost", FD_NET_NOHOST, true, NULL},
    {"delay", FD_NET_DELAY, false, delay_parse},
    {"chunk", FD_NET_CHUNK, false, chunk_parse},
    {"segment", FD_NET_SEGMENT, true, NULL},
    {"whole", FD_NET_WHOLE, true, NULL},
    {"reset", FD_NET_RESET, true, NULL},
    {"busy", FD_NET_BUSY, false, port_parse},
    {NULL, 0, false, NULL},
};

int fd_net_parse(const char *text, struct fd_settings *s)
{
    struct fd_settings to = *s;
    if (form_parse(networks, text, &to, &to.net))
        return -1;
    to.held |= 1u << FD_AXIS_NETWORK;
    *s = to;
    return 0;
}

bool fd_env_is_plumbing(const char *name)
{
    static const char *const starts[] = {"FD_", "FR_", "FLAKY_REPRO", "LD_", "LC_", "PYTEST_",
                                         "PYTHON", "MALLOC_", "GLIBC_", "COVERAGE_", "COV_", NULL};
    static const char *const whole[] = {"PATH", "TZ", "TZDIR", "LANG", "LANGUAGE", "PWD", "OLDPWD",
                                        "SHLVL", "_", "GCONV_PATH", "LOCPATH", NULL};
    for (int i = 0; starts[i]; i++)
        if (fd_text_starts(name, starts[i]))
            return true;
    for (int i = 0; whole[i]; i++)
        if (fd_text_equal(name, whole[i]))
            return true;
    return false;
}

bool fd_env_is_name(const char *text)
{
    size_t n = 0;
    for (; text[n] && text[n] != '='; n++) {
        char c = text[n];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(n && c >= '0' && c <= '9'))
            return false;
    }
    return n > 0;
}

int fd_gc_parse(const char *text, struct fd_settings *s)
{
    uint64_t n = 0;
    enum fd_gc how = FD_GC_ON;
    if (fd_text_equal(text, "off"))
        how = FD_GC_OFF;
    else if (fd_text_starts(text, "every:"))
        how = FD_GC_EVERY;
    else if (fd_text_starts(text, "seed:"))
        how = FD_GC_SEEDED;
    else if (!fd_text_equal(text, "on"))
        return -1;
    if (how == FD_GC_EVERY && (fd_text_u64(text + 6, &n) || n < 1 || n > INT32_MAX))
        return -1;
    if (how == FD_GC_SEEDED && fd_text_u64(text + 5, &n))
        return -1;
    s->gc = how;
    s->gc_every = how == FD_GC_EVERY ? (uint32_t)n : 0;
    s->gc_seed = how == FD_GC_SEEDED ? n : 0;
    s->held |= 1u << FD_AXIS_GC;
    return 0;
}

/* "64", or bytes with a letter: "64K", "1M", "2G". */
static int amount(const char *text, bool bytes, uint64_t *ret)
{
    static const char letters[] = "KMG";
    char number[24];
    size_t len = fd_text_len(text), shift = 0;
    for (size_t i = 0; bytes && len && letters[i]; i++)
        if (text[len - 1] == letters[i])
            shift = 10 * (i + 1);
    len -= shift ? 1 : 0;
    if (len >= sizeof number)
        return -1;
    fd_copy(number, text, len);
    number[len] = 0;
    uint64_t n;
    if (fd_text_u64(number, &n) || n == 0 || n > UINT64_MAX >> (shift + 1))
        return -1;
    *ret = n << shift;
    return 0;
}

int fd_limits_parse(const char *text, struct fd_settings *s)
{
    static const struct {
        const char *name;
        bool bytes;
    } of[] = {{"nofile:", false}, {"cpus:", false}, {"memory:", true}, {"stack:", true}};
    uint64_t n = 0, got[4] = {0};
    for (size_t i = 0; i < 4; i++)
        if (fd_text_starts(text, of[i].name)) {
            if (amount(text + fd_text_len(of[i].name), of[i].bytes, &n) ||
                (!of[i].bytes && n > INT32_MAX))
                return -1;
            got[i] = n;
        }
    if (n == 0)
        return -1;
    s->limit_files = (uint32_t)got[0];
    s->limit_cpus = (uint32_t)got[1];
    s->limit_memory = got[2];
    s->limit_stack = got[3];
    s->held |= 1u << FD_AXIS_LIMITS;
    return 0;
}
