#include "triage/failure.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void failure_done(struct failure *f)
{
    free(f->nodeid);
    free(f->phase);
    free(f->outcome);
    free(f->exc_type);
    free(f->exc_message);
    free(f->traceback);
    free(f->out);
    free(f->err);
    free(f->log);
    argv_done(&f->select);
    opinion_done(&f->verdict);
    rerun_done(&f->rerun);
    *f = (struct failure){0};
}

void failures_done(struct failures *f)
{
    for (size_t i = 0; i < f->n; i++)
        failure_done(&f->at[i]);
    free(f->at);
    *f = (struct failures){0};
}

struct failure *failures_add(struct failures *f)
{
    if (f->n == f->room) {
        f->room = f->room ? 2 * f->room : 16;
        f->at = mem_grow_or_die(f->at, f->room * sizeof *f->at);
    }
    struct failure *new = &f->at[f->n++];
    *new = (struct failure){.count = 1};
    return new;
}

static bool inside(const char *s, size_t at) /* of a character */
{
    return ((unsigned char)s[at] & 0xc0) == 0x80;
}

void failure_clip(const char *s, const struct clip *how, struct text *out)
{
    size_t n = strlen(s), from = 0, keep = n;
    if (n > how->max) {
        keep = how->max;
        from = how->tail ? n - keep : 0;
        for (; how->tail && keep > 0 && inside(s, from); keep--)
            from++;
        while (!how->tail && keep > 0 && inside(s, keep))
            keep--;
    }
    size_t gone = how->gone + n - keep;
    if (gone && how->tail)
        text_addf(out, "...[truncated %zu bytes]...\n", gone);
    text_addn(out, s + from, keep);
    if (gone && !how->tail)
        text_addf(out, "...[truncated %zu bytes]...", gone);
}

static size_t address_length(const char *s)
{
    if (s[0] != '0' || (s[1] != 'x' && s[1] != 'X') || !isxdigit((unsigned char)s[2]))
        return 0;
    return 2 + strspn(s + 2, "0123456789abcdefABCDEF");
}

static void add_even(const char *s, struct text *out)
{
    bool gap = false;
    for (size_t n; *s; s += n) {
        n = 1;
        if (isspace((unsigned char)*s)) {
            gap = true;
            continue;
        }
        if (gap)
            text_addc(out, ' ');
        gap = false;
        size_t address = address_length(s);
        if (address) {
            text_add(out, "0x");
            n = address;
        } else {
            text_addc(out, *s);
        }
    }
}

void failure_key(const struct failure *f, struct text *out)
{
    text_add(out, f->exc_type ? f->exc_type : "");
    text_addc(out, '\n');
    if (f->traceback && *f->traceback) {
        add_even(f->traceback, out);
        return;
    }
    text_addf(out, "%s\n", f->nodeid ? f->nodeid : "");
    add_even(f->exc_message ? f->exc_message : "", out);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A key with its place behind it, so that equal ones stand together in the order of the run. */
static char *placed_key(const struct failure *f, size_t i)
{
    own_text struct text key = {0};
    failure_key(f, &key);
    if (f->judged) /* what is taken for a flake must not hide what is none */
        text_addf(&key, "\n\x02%d%d", (int)f->verdict.category, f->by_evidence);
    text_addf(&key, "\n\x01%012zu", i);
    return text_take(&key);
}

static size_t key_place(const char *key)
{
    return strtoul(strrchr(key, '\x01') + 1, NULL, 10);
}

static bool same_key(const char *a, const char *b)
{
    size_t n = (size_t)(strrchr(a, '\x01') - a), m = (size_t)(strrchr(b, '\x01') - b);
    return n == m && memcmp(a, b, n) == 0;
}

static void take_in(struct failure *first, struct failure *other)
{
    first->count += other->count;
    argv_copy(&first->select, &other->select);
    failure_done(other);
}

void failures_merge(struct failures *f)
{
    char **key = mem_or_die((f->n + 1) * sizeof *key);
    size_t n = f->n, kept = 0;
    for (size_t i = 0; i < n; i++)
        key[i] = placed_key(&f->at[i], i);
    qsort(key, n, sizeof *key, by_key);
    for (size_t i = 0, first = 0; i < n; i++) {
        if (same_key(key[first], key[i]) && i > first)
            take_in(&f->at[key_place(key[first])], &f->at[key_place(key[i])]);
        else
            first = i;
    }
    for (size_t i = 0; i < n; i++) {
        free(key[i]);
        if (f->at[i].count)
            f->at[kept++] = f->at[i];
    }
    free(key);
    f->n = kept;
}

struct weighted {
    struct failure_place is; /* first */
    char *key;
};

static int by_group(const void *a, const void *b)
{
    const struct weighted *p = a, *q = b;
    int order = strcmp(p->key, q->key);
    return order ? order : (p->is.at > q->is.at) - (p->is.at < q->is.at);
}

static int by_weight(const void *a, const void *b)
{
    const struct failure_place *p = a, *q = b;
    if (p->shared != q->shared)
        return p->shared < q->shared ? 1 : -1;
    if (p->first != q->first)
        return p->first > q->first ? 1 : -1;
    return (p->at > q->at) - (p->at < q->at);
}

struct failure_place *failures_by_weight(const struct failures *f)
{
    struct weighted *w = mem_or_die((f->n + 1) * sizeof *w);
    struct failure_place *p = mem_or_die((f->n + 1) * sizeof *p);
    for (size_t i = 0; i < f->n; i++) {
        own_text struct text key = {0};
        failure_key(&f->at[i], &key);
        w[i] = (struct weighted){.key = text_take(&key), .is.at = i};
    }
    qsort(w, f->n, sizeof *w, by_group);
    for (size_t i = 0, end; i < f->n; i = end) {
        size_t shared = 0;
        for (end = i; end < f->n && strcmp(w[end].key, w[i].key) == 0; end++)
            shared += f->at[w[end].is.at].count;
        for (size_t k = i; k < end; k++)
            p[k] = (struct failure_place){w[k].is.at, w[i].is.at, shared};
    }
    for (size_t i = 0; i < f->n; i++)
        free(w[i].key);
    free(w);
    qsort(p, f->n, sizeof *p, by_weight);
    return p;
}

/* As a word of its own: "f" is not in "if". */
static bool has_word(const char *s, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = s; (at = strstr(at, word)); at += n) {
        unsigned char before = at > s ? (unsigned char)at[-1] : ' ', after = (unsigned char)at[n];
        if (!isalnum(before) && !isalnum(after) && !strchr("_-.", before) &&
            (!after || !strchr("_-", after)))
            return true;
    }
    return false;
}

bool failure_names(const struct failure *f, const char *file)
{
    const char *const told[] = {f->exc_message, f->traceback, f->out, f->err};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (told[i] && has_word(told[i], file))
            return true;
    return false;
}
