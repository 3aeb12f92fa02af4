#include "triage/opinion.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

const char *const category_words[CATEGORY_COUNT] = {
    [CATEGORY_REGRESSION] = "regression", [CATEGORY_FLAKY] = "flaky",     [CATEGORY_ENV] = "env",
    [CATEGORY_TEST_BUG] = "test_bug",     [CATEGORY_UNKNOWN] = "unknown",
};
const char *const confidence_words[CONFIDENCE_COUNT] = {
    [CONFIDENCE_LOW] = "low",
    [CONFIDENCE_MEDIUM] = "medium",
    [CONFIDENCE_HIGH] = "high",
};

void opinion_done(struct opinion *v)
{
    free(v->hypothesis);
    free(v->fix);
    *v = (struct opinion){.category = CATEGORY_UNKNOWN};
}

enum category category_of(const char *word)
{
    for (int i = 0; word && i < CATEGORY_COUNT; i++)
        if (strcmp(word, category_words[i]) == 0)
            return (enum category)i;
    return CATEGORY_UNKNOWN;
}

enum confidence confidence_of(const char *word)
{
    for (int i = 0; word && i < CONFIDENCE_COUNT; i++)
        if (strcmp(word, confidence_words[i]) == 0)
            return (enum confidence)i;
    return CONFIDENCE_LOW;
}

/* C0 and C1 controls, and marks that turn the direction of text around or cannot be seen. */
static bool is_hidden(uint32_t point)
{
    static const struct {
        uint32_t from, to;
    } hidden[] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xe0000, 0xe007f},
    };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (point >= hidden[i].from && point <= hidden[i].to)
            return true;
    return false;
}

/* The bytes of the escape sequence at s (ECMA-48 §5.4, §5.6): CSI up to its final byte; OSC, DCS,
 * APC, PM and SOS up to BEL or ST; else two. */
static size_t escape_length(const char *s)
{
    size_t n = 1;
    if (s[1] == '[') {
        n = 2;
        while (s[n] && !(s[n] >= '@' && s[n] <= '~'))
            n++;
        return n + (s[n] != 0);
    }
    if (s[1] && strchr("]PX^_", s[1])) {
        n = 2;
        while (s[n] && s[n] != '\a' && s[n] != '\033')
            n++;
        return n + (s[n] == '\a' ? 1 : s[n] == '\033' && s[n + 1] == '\\' ? 2 : 0);
    }
    return n + (s[1] != 0);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void add_blank(struct text *out)
{
    if (out->len && out->at[out->len - 1] != ' ')
        text_addc(out, ' ');
}

void opinion_clean(const char *s, size_t max, struct text *out)
{
    own_text struct text t = {0};
    size_t left = strlen(s);
    /* One character more shows that it is too long. */
    for (size_t n; left > 0 && t.len <= max; s += n, left -= n) {
        uint32_t point;
        n = utf8_next(s, left, &point);
        if (*s == '\033') {
            n = escape_length(s);
        } else if (is_blank(*s)) {
            add_blank(&t);
        } else if (n == 0) {
            text_add(&t, "\xef\xbf\xbd");
            n = 1;
        } else if (!is_hidden(point)) {
            text_addn(&t, s, n);
        }
    }
    bool cut = t.len > max;
    if (cut) {
        size_t keep = max > 3 ? max - 3 : 0;
        while (keep > 0 && ((unsigned char)t.at[keep] & 0xc0) == 0x80)
            keep--;
        text_cut(&t, keep);
    }
    while (t.len && t.at[t.len - 1] == ' ')
        text_cut(&t, t.len - 1);
    text_add(out, text_str(&t));
    if (cut)
        text_add(out, "...");
}

static char *said(const char *s, size_t max)
{
    own_text struct text t = {0};
    opinion_clean(s, max, &t);
    return str_or_die(text_str(&t));
}

void opinion_say(struct opinion *v, const char *hypothesis, const char *fix)
{
    char *first = said(hypothesis, OPINION_HYPOTHESIS_MAX);
    char *second = fix && *fix ? said(fix, OPINION_FIX_MAX) : NULL;
    free(v->hypothesis);
    free(v->fix);
    v->hypothesis = first;
    v->fix = second;
}

void opinion_unknown(struct opinion *v, const char *reason)
{
    v->category = CATEGORY_UNKNOWN;
    v->confidence = CONFIDENCE_LOW;
    opinion_say(v, reason, NULL);
}

void opinion_copy(struct opinion *to, const struct opinion *from)
{
    to->category = from->category;
    to->confidence = from->confidence;
    opinion_say(to, from->hypothesis ? from->hypothesis : "", from->fix);
}
