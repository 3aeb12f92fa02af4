#include "report/json_out.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void quoted(struct text *out, const char *s)
{
    size_t n = strlen(s);
    text_addc(out, '"');
    while (n > 0) {
        uint32_t point = 0;
        size_t bytes = utf8_next(s, n, &point);
        unsigned char c = (unsigned char)*s;
        if (bytes == 0)
            text_add(out, "\xEF\xBF\xBD");
        else if (c == '"' || c == '\\')
            text_addf(out, "\\%c", c);
        else if (c == '\n')
            text_add(out, "\\n");
        else if (c < 0x20 || c == 0x7f)
            text_addf(out, "\\u%04x", c);
        else
            text_addn(out, s, bytes);
        bytes += bytes == 0;
        s += bytes;
        n -= bytes;
    }
    text_addc(out, '"');
}

static void begin(struct json_out *j, const char *key)
{
    if (j->more)
        text_add(j->to, ", ");
    j->more = true;
    if (key) {
        quoted(j->to, key);
        text_add(j->to, ": ");
    }
}

void json_open(struct json_out *j, const char *key, char bracket)
{
    begin(j, key);
    text_addc(j->to, bracket);
    j->more = false;
}

void json_close(struct json_out *j, char bracket)
{
    text_addc(j->to, bracket);
    j->more = true;
}

void json_line(struct json_out *j)
{
    text_add(j->to, j->more ? ",\n" : "\n");
    j->more = false;
}

void json_text(struct json_out *j, const char *key, const char *s)
{
    begin(j, key);
    if (s)
        quoted(j->to, s);
    else
        text_add(j->to, "null");
}

void json_double(struct json_out *j, const char *key, double x)
{
    char buf[40];
    begin(j, key);
    if (!isfinite(x)) {
        text_add(j->to, "null");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buf, sizeof buf, "%.*g", digits, x);
        if (strtod(buf, NULL) == x)
            break;
    }
    text_add(j->to, buf);
    if (!buf[strcspn(buf, ".e")])
        text_add(j->to, ".0");
}

void json_count(struct json_out *j, const char *key, int64_t n)
{
    begin(j, key);
    text_addf(j->to, "%lld", (long long)n);
}

void json_flag(struct json_out *j, const char *key, bool yes)
{
    begin(j, key);
    text_add(j->to, yes ? "true" : "false");
}

void json_null(struct json_out *j, const char *key)
{
    begin(j, key);
    text_add(j->to, "null");
}

void json_raw(struct json_out *j, const char *key, const char *value)
{
    begin(j, key);
    text_add(j->to, value);
}
