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
    else if (fd_text_u64(text, &seed))
        return -1;
    s->listing = how;
    s->listing_seed = seed;
    s->held |= 1u << FD_AXIS_LISTING;
    return 0;
}

int fd_fs_parse(const char *text, struct fd_settings *s)
{
    const char *folder = "";
    enum fd_fs how = FD_FS_PRIVATE;
    if (fd_text_equal(text, "real"))
        how = FD_FS_REAL;
    else if (fd_text_starts(text, "private:/"))
        folder = text + sizeof "private:" - 1;
    else if (!fd_text_equal(text, "private"))
        return -1;
    if (fd_text_len(folder) >= sizeof s->private_home)
        return -1;
    fd_copy(s->private_home, folder, fd_text_len(folder) + 1);
    s->fs = how;
    s->held |= 1u << FD_AXIS_FS;
    return 0;
}

int fd_net_parse(const char *text, struct fd_settings *s)
{
    if (!fd_text_equal(text, "open") && !fd_text_equal(text, "block"))
        return -1;
    s->net = fd_text_equal(text, "block") ? FD_NET_BLOCK : FD_NET_OPEN;
    s->held |= 1u << FD_AXIS_NETWORK;
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
