#include "triage/xml_edit.h"

#include "base/utf8.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void edits_done(struct edits *d)
{
    for (size_t i = 0; i < d->n; i++)
        free(d->at[i].put);
    free(d->at);
    *d = (struct edits){0};
}

void edits_add(struct edits *d, size_t at, size_t gone, const char *put)
{
    if (d->n == d->room) {
        d->room = d->room ? 2 * d->room : 16;
        d->at = mem_grow_or_die(d->at, d->room * sizeof *d->at);
    }
    size_t i = d->n++;
    for (; i > 0 && d->at[i - 1].at > at; i--) /* nearly always the last */
        d->at[i] = d->at[i - 1];
    d->at[i] = (struct edit){at, gone, str_or_die(put)};
}

void edits_apply(struct edits *d, const char *text, size_t n, struct text *out)
{
    size_t from = 0;
    for (size_t i = 0; i < d->n; i++) {
        text_addn(out, text + from, d->at[i].at - from);
        text_add(out, d->at[i].put);
        from = d->at[i].at + d->at[i].gone;
    }
    text_addn(out, text + from, n - from);
}

/* Char of XML 1.0, §2.2; surrogates are no UTF-8 and do not come here. */
static bool allowed(uint32_t point)
{
    return point >= 0x20 ? point != 0xfffe && point != 0xffff
                         : point == '\t' || point == '\n' || point == '\r';
}

static void escape(bool value_of, const char *s, size_t n, struct text *out)
{
    static const char signs[] = "<>&\"", *const words[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    const char *sign = strchr(signs, *s);
    if (sign && (*s != '"' || value_of))
        text_add(out, words[sign - signs]);
    else if ((unsigned char)*s < 0x20 && (value_of || *s == '\r'))
        text_addf(out, "&#%d;", *s);
    else
        text_addn(out, s, n);
}

void xml_escape(const char *s, struct xml_form form, struct text *out)
{
    size_t left = strlen(s);
    for (size_t n; left > 0; s += n, left -= n) {
        uint32_t point = 0xfffd;
        n = utf8_next(s, left, &point);
        bool odd = n == 0 || !allowed(point);
        n = n ? n : 1;
        if (odd)
            point = 0xfffd;
        if (form.ascii && point > 0x7e)
            text_addf(out, "&#%u;", (unsigned)point);
        else if (odd)
            text_add(out, "\xef\xbf\xbd");
        else
            escape(form.value, s, n, out);
    }
}

bool tag_is_empty(const char *tag, size_t n)
{
    return n > 2 && tag[n - 2] == '/';
}

static size_t name_length(const char *s)
{
    return strcspn(s, " \t\r\n/>=");
}

void tag_attributes(const char *tag, size_t n, struct text *out)
{
    size_t from = 1 + name_length(tag + 1), end = n - (tag_is_empty(tag, n) ? 2 : 1);
    while (end > from && isspace((unsigned char)tag[end - 1]))
        end--;
    if (end > from)
        text_addn(out, tag + from, end - from);
}

/* Where the value of the attribute at `at` begins, behind its quote; 0: no attribute stands there.
 */
static size_t value_start(const char *tag, size_t n, size_t at)
{
    while (at < n && tag[at] != '=')
        at++;
    while (at < n && tag[at] != '"' && tag[at] != '\'')
        at++;
    return at < n ? at + 1 : 0;
}

static bool all_digits(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)s[i]))
            return false;
    return n > 0 && n < 10;
}

static void value(const char *s, size_t n, unsigned fewer, struct text *out)
{
    if (!fewer || !all_digits(s, n)) {
        text_addn(out, s, n);
        return;
    }
    unsigned long had = strtoul(s, NULL, 10);
    text_addf(out, "%lu", had > fewer ? had - fewer : 0);
}

void tag_count_down(const char *tag, size_t n, const struct fewer *by, struct text *out)
{
    size_t at = 1 + name_length(tag + 1), done = 0;
    while (at < n) {
        while (at < n && isspace((unsigned char)tag[at]))
            at++;
        size_t name = name_length(tag + at), from = name ? value_start(tag, n, at + name) : 0;
        if (!from)
            break;
        size_t end = from;
        while (end < n && tag[end] != tag[from - 1])
            end++;
        unsigned fewer = name == 8 && strncmp(tag + at, "failures", 8) == 0 ? by->failures
                         : name == 6 && strncmp(tag + at, "errors", 6) == 0 ? by->errors
                                                                            : 0;
        text_addn(out, tag + done, from - done);
        value(tag + from, end - from, fewer, out);
        done = end;
        at = end + 1;
    }
    text_addn(out, tag + done, n - done);
}
