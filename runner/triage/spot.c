#include "triage/spot.h"

#include "triage/gate.h"

#include <ctype.h>
#include <string.h>

#define LINE_MOST 100000000ul

void spot_done(struct spot *s)
{
    text_done(&s->file);
}

void folder_below(const char *root, const char *cwd, struct text *out)
{
    size_t n = strlen(root);
    while (n > 1 && root[n - 1] == '/')
        n--;
    if (n > 0 && strncmp(cwd, root, n) == 0 && cwd[n] == '/' && cwd[n + 1])
        text_addf(out, "%s/", cwd + n + 1);
}

/* Takes each "../" at the beginning for a folder less of *below. What remains of s. */
static const char *go_up(const char *s, struct text *below)
{
    while (text_starts(s, "../") && below->len > 1) {
        size_t n = below->len - 1;
        while (n > 0 && below->at[n - 1] != '/')
            n--;
        text_cut(below, n);
        s += 3;
    }
    return s;
}

/* Takes the file if it is the project's own: below where the tests ran or the root of the
 * repository, and nothing installed. */
static bool take(const char *file, size_t n, unsigned line, const struct folder *at,
                 struct spot *ret)
{
    own_text struct text path = {0}, below = {0};
    size_t cwd = strlen(at->cwd);
    if (n > cwd && strncmp(file, at->cwd, cwd) == 0 && file[cwd] == '/') {
        file += cwd + 1;
        n -= cwd + 1;
    }
    while (n > 2 && file[0] == '.' && file[1] == '/') {
        file += 2;
        n -= 2;
    }
    text_addn(&path, file, n);
    text_add(&below, at->below);
    const char *s = go_up(text_str(&path), &below);
    if (n == 0 || *s == '/' || *s == '<' || text_starts(s, "../") || !strchr(s, '.') ||
        strstr(s, "site-packages/") || strstr(s, "dist-packages/"))
        return false;
    text_clear(&ret->file);
    text_addf(&ret->file, "%s%s", text_str(&below), s);
    ret->line = line;
    return true;
}

static unsigned number(const char *s, const char **end)
{
    unsigned long n = 0;
    for (*end = s; isdigit((unsigned char)**end) && n < LINE_MOST; (*end)++)
        n = 10 * n + (unsigned long)(**end - '0');
    return *end == s || n >= LINE_MOST ? 0 : (unsigned)n;
}

/* "path:12", and what follows is none of a path any more. */
static bool take_colon(const char *s, const struct folder *at, struct spot *ret)
{
    size_t n = strcspn(s, ":\n");
    const char *end;
    if (s[n] != ':' || isspace((unsigned char)*s))
        return false;
    unsigned line = number(s + n + 1, &end);
    bool ends = *end == 0 || *end == ':' || isspace((unsigned char)*end);
    return line && ends && take(s, n, line, at, ret);
}

/* `File "path", line 12`, as Python itself writes tracebacks. */
static bool take_native(const char *s, const struct folder *at, struct spot *ret)
{
    const char *end;
    s += strspn(s, " ");
    if (!text_starts(s, "File \""))
        return false;
    s += 6;
    size_t n = strcspn(s, "\"\n");
    if (!text_starts(s + n, "\", line "))
        return false;
    unsigned line = number(s + n + 8, &end);
    return line && take(s, n, line, at, ret);
}

static bool of_traceback(const char *s, const struct folder *at, struct spot *ret)
{
    bool found = false;
    while (*s) {
        found |= take_colon(s, at, ret) || take_native(s, at, ret);
        s += strcspn(s, "\n");
        s += *s == '\n';
    }
    return found;
}

static bool of_test(const char *id, const struct folder *at, struct spot *ret)
{
    const char *colons = strstr(id, "::");
    size_t n = colons ? (size_t)(colons - id) : strlen(id);
    bool is_file = memchr(id, '/', n) || (n > 3 && strncmp(id + n - 3, ".py", 3) == 0);
    return is_file && take(id, n, 0, at, ret);
}

void spot_of(const struct failure *f, const struct folder *at, struct spot *ret)
{
    *ret = (struct spot){0};
    if (failure_is_flake(f) && f->rerun.look_at && take_colon(f->rerun.look_at, at, ret))
        return;
    if (f->traceback && of_traceback(f->traceback, at, ret))
        return;
    for (size_t i = 0; i < f->rerun.kinds; i++)
        if (f->rerun.kind[i].site && take_colon(f->rerun.kind[i].site, at, ret))
            return;
    if (f->select.n && of_test(f->select.at[0], at, ret))
        return;
    if (f->nodeid)
        (void)of_test(f->nodeid, at, ret);
}
