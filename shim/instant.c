#include "shim/instant.h"
#include "shim/text.h"

#define SECOND 1000000000LL

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads exactly `n` digits. Returns NULL unless they are there. */
static const char *fixed(const char *p, int n, int *ret)
{
    *ret = 0;
    for (; n > 0; n--, p++) {
        if (!digit(*p))
            return NULL;
        *ret = *ret * 10 + (*p - '0');
    }
    return p;
}

/* Reads ".5" as nanoseconds of `unit` (a power of ten or a multiple of it); up to nine digits. */
static const char *fraction(const char *p, int64_t unit, int64_t *ret)
{
    int64_t scale = 1, n = 0;
    *ret = 0;
    if (*p != '.')
        return p;
    if (!digit(*++p))
        return NULL;
    for (; digit(*p); p++) {
        if (scale == SECOND)
            return NULL;
        n = n * 10 + (*p - '0');
        scale *= 10;
    }
    *ret = (int64_t)((__int128)n * unit / scale);
    return p;
}

static const char *number(const char *p, int64_t *ret)
{
    int64_t n = 0;
    if (!digit(*p))
        return NULL;
    for (; digit(*p); p++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *p - '0', &n))
            return NULL;
    *ret = n;
    return p;
}

static bool leap(int y)
{
    return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

/* Days since 1970-01-01 of a date of the proleptic Gregorian calendar; years count from March so
 * that the leap day is the last of a year. */
static int64_t days(int y, int m, int d)
{
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400, yoe = y - era * 400;
    int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static int seconds_to_ns(int64_t s, int64_t ns, int64_t *ret)
{
    return __builtin_mul_overflow(s, SECOND, &s) || __builtin_add_overflow(s, ns, ret) ? -1 : 0;
}

/* "Z" or "+01:00": seconds east of UTC. */
static const char *zone(const char *p, int64_t *ret)
{
    int h, m;
    char sign = *p++;
    *ret = 0;
    if (sign == 'Z' || sign == 'z')
        return p;
    if ((sign != '+' && sign != '-') || !(p = fixed(p, 2, &h)) || *p++ != ':' ||
        !(p = fixed(p, 2, &m)) || h > 23 || m > 59)
        return NULL;
    *ret = (sign == '-' ? -1 : 1) * (h * 3600 + m * 60);
    return p;
}

static const char *rfc3339(const char *p, int64_t *ret)
{
    static const int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int y, mo, d, h, mi, s;
    int64_t part, east;
    if (!(p = fixed(p, 4, &y)) || *p++ != '-' || !(p = fixed(p, 2, &mo)) || *p++ != '-' ||
        !(p = fixed(p, 2, &d)) || (*p != 'T' && *p != 't') || !(p = fixed(p + 1, 2, &h)) ||
        *p++ != ':' || !(p = fixed(p, 2, &mi)) || *p++ != ':' || !(p = fixed(p, 2, &s)) ||
        !(p = fraction(p, SECOND, &part)) || !(p = zone(p, &east)))
        return NULL;
    if (y < 1 || mo < 1 || mo > 12 || d < 1 || d > month_days[mo - 1] + (mo == 2 && leap(y)) ||
        h > 23 || mi > 59 || s > 59)
        return NULL;
    int64_t at = days(y, mo, d) * 86400 + h * 3600 + mi * 60 + s - east;
    return seconds_to_ns(at, part, ret) ? NULL : p;
}

static const char *epoch(const char *p, int64_t *ret)
{
    int64_t s, part;
    bool before = *p == '-';
    if (!(p = number(p + before, &s)) || !(p = fraction(p, SECOND, &part)))
        return NULL;
    return seconds_to_ns(before ? -s : s, before ? -part : part, ret) ? NULL : p;
}

/* "1.5h" in nanoseconds. */
static const char *span(const char *p, int64_t *ret)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"ns", 1},           {"us", 1000},          {"ms", 1000000},
                 {"s", SECOND},       {"m", 60 * SECOND},    {"h", 3600 * SECOND},
                 {"d", 86400 * SECOND}, {"w", 604800 * SECOND}};
    int64_t whole, part;
    const char *number_end = number(p, &whole);
    if (!number_end)
        return NULL;
    const char *unit = number_end;
    while (*unit == '.' || digit(*unit))
        unit++;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t n = fd_text_len(units[i].name);
        char after = 0;
        if (fd_text_starts(unit, units[i].name))
            after = unit[n];
        else
            continue;
        if (after && after != '/')
            continue;
        if (fraction(number_end, units[i].ns, &part) != unit ||
            __builtin_mul_overflow(whole, units[i].ns, &whole) ||
            __builtin_add_overflow(whole, part, ret))
            return NULL;
        return unit + n;
    }
    return NULL;
}

int fd_span_parse(const char *text, int64_t *ret)
{
    int64_t ns;
    const char *end = span(text, &ns);
    if (!end || *end)
        return -1;
    *ret = ns;
    return 0;
}

static const char *when(const char *p, struct fd_settings *s)
{
    if (*p == '@') {
        s->time_mode = FD_TIME_INSTANT;
        return epoch(p + 1, &s->time_ns);
    }
    if (*p == '+' || *p == '-') {
        bool back = *p == '-';
        s->time_mode = FD_TIME_OFFSET;
        p = span(p + 1, &s->time_ns);
        s->time_ns = back ? -s->time_ns : s->time_ns;
        return p;
    }
    if (fd_text_starts(p, "now")) {
        s->time_mode = FD_TIME_NOW;
        s->time_ns = 0;
        return p + 3;
    }
    s->time_mode = FD_TIME_INSTANT;
    return rfc3339(p, &s->time_ns);
}

/* "3" or "3:20ms". */
static int at_parse(const char *text, struct fd_settings *s)
{
    char count[24];
    size_t n = 0;
    while (digit(text[n]) && n < sizeof count - 1) {
        count[n] = text[n];
        n++;
    }
    count[n] = 0;
    s->time_step_ns = FD_AT_LEAD_NS;
    if (!n || fd_text_u64(count, &s->time_at))
        return -1;
    const char *end = text + n;
    if (*end == ':')
        end = span(end + 1, &s->time_step_ns);
    if (!end || *end || s->time_step_ns <= 0 || s->time_step_ns > SECOND)
        return -1;
    s->time_flow = FD_FLOW_AT;
    return 0;
}

int fd_flow_parse(const char *text, struct fd_settings *s)
{
    struct fd_settings new = *s;
    new.time_step_ns = 0;
    new.time_at = 0;
    if (fd_text_equal(text, "run")) {
        new.time_flow = FD_FLOW_RUN;
    } else if (fd_text_equal(text, "freeze")) {
        new.time_flow = FD_FLOW_FREEZE;
    } else if (fd_text_starts(text, "step:")) {
        const char *end = span(text + 5, &new.time_step_ns);
        if (!end || *end || new.time_step_ns <= 0)
            return -1;
        new.time_flow = FD_FLOW_STEP;
    } else if (fd_text_starts(text, "at:")) {
        if (at_parse(text + 3, &new))
            return -1;
    } else {
        return -1;
    }
    *s = new;
    return 0;
}

int fd_time_parse(const char *text, struct fd_settings *s)
{
    struct fd_settings new = *s;
    const char *p = when(text, &new);
    if (!p || (*p && *p != '/') || fd_flow_parse(*p ? p + 1 : "run", &new))
        return -1;
    new.held |= 1u << FD_AXIS_TIME;
    *s = new;
    return 0;
}

static void put(char **p, int64_t n, int digits)
{
    for (int i = digits - 1; i >= 0; i--, n /= 10)
        (*p)[i] = (char)('0' + n % 10);
    *p += digits;
}

size_t fd_instant_format(int64_t ns, char *buf, size_t size)
{
    if (size < FD_INSTANT_MAX)
        return 0;
    int64_t s = ns / SECOND - (ns % SECOND < 0), part = ns - s * SECOND;
    int64_t day = s / 86400 - (s % 86400 < 0), of_day = s - day * 86400;
    /* the inverse of days(): years from March in eras of 400 years */
    int64_t z = day + 719468, era = (z >= 0 ? z : z - 146096) / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    int64_t month = mp < 10 ? mp + 3 : mp - 9;
    char *p = buf;
    put(&p, yoe + era * 400 + (month <= 2), 4);
    *p++ = '-';
    put(&p, month, 2);
    *p++ = '-';
    put(&p, doy - (153 * mp + 2) / 5 + 1, 2);
    *p++ = 'T';
    put(&p, of_day / 3600, 2);
    *p++ = ':';
    put(&p, of_day / 60 % 60, 2);
    *p++ = ':';
    put(&p, of_day % 60, 2);
    if (part) {
        int digits = 9;
        for (; part % 10 == 0; part /= 10)
            digits--;
        *p++ = '.';
        put(&p, part, digits);
    }
    *p++ = 'Z';
    *p = 0;
    return (size_t)(p - buf);
}
