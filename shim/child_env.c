#include "shim/child_env.h"
#include "shim/live.h"
#include "shim/page.h"
#include "shim/path_start.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/setting.h"
#include "shim/text.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define PRELOAD "LD_PRELOAD"
#define EXTRA 20       /* entries we may add, and the NULL */
#define TEXTS 192      /* FD_SINCE and FD_ORDINAL as text */

static char own_path[PATH_MAX];

static bool is_ours(const char *item, size_t n)
{
    const char *base = fd_text_base(own_path);
    size_t len = fd_text_len(base);
    return *own_path && n >= len && (n == len || item[n - len - 1] == '/') &&
           fd_text_hash(item + n - len, len) == fd_text_hash(base, len);
}

static void append(struct fd_line *l, const char *item, size_t n, size_t start)
{
    if (l->len > start)
        fd_line_text(l, ":");
    for (size_t i = 0; i < n; i++) {
        const char one[2] = {item[i], 0};
        fd_line_text(l, one);
    }
}

/* "LD_PRELOAD=" with `value`'s items, ours among them (absolute, a child may stand elsewhere) or
 * not (where ld.so could only complain). Returns false if nothing is left. */
static bool preload(struct fd_line *l, const char *value, bool wanted)
{
    bool seen = false;
    fd_line_text(l, PRELOAD "=");
    size_t start = l->len;
    const char *at = value ? value : "";
    bool ours = false;
    for (const char *p = at; *p; p++) { /* is it there already? then it keeps its place */
        size_t n = 0;
        while (p[n] && p[n] != ':' && p[n] != ' ')
            n++;
        ours |= is_ours(p, n);
        p += n - (p[n] == 0 && n > 0);
    }
    if (wanted && !ours && *own_path)
        append(l, own_path, fd_text_len(own_path), start);
    while (*at) {
        size_t n = 0;
        while (at[n] && at[n] != ':' && at[n] != ' ')
            n++;
        bool mine = n && is_ours(at, n);
        if (n && !mine)
            append(l, at, n, start);
        else if (mine && wanted && !seen)
            append(l, own_path, fd_text_len(own_path), start);
        seen |= mine;
        at += n + (at[n] != 0);
    }
    return l->len > start;
}

void fd_child_env_learn(void)
{
    Dl_info info;
    struct fd_line l = {own_path, sizeof own_path, 0};
    if (!dladdr((void *)own_path, &info) || !info.dli_fname)
        return;
    if (info.dli_fname[0] != '/') {
        if (FD_SYS2(SYS_getcwd, own_path, sizeof own_path) < 0)
            return;
        l.len = fd_text_len(own_path);
        fd_line_text(&l, "/");
    }
    fd_line_text(&l, info.dli_fname);
}

void fd_child_env_hashseed(const char *value)
{
    if (value && !fd_text_env(environ, "PYTHONHASHSEED"))
        REAL(setenv)("PYTHONHASHSEED", value, 1);
}

/* Once: a process that continues a window of its parent's has what the parent gave it. */
void fd_child_env_put(const char *const *texts)
{
    bool first = !fd_text_env(environ, FD_ENV_SINCE);
    for (; first && *texts; texts++) {
        char name[64];
        size_t n = 0;
        for (; (*texts)[n] && (*texts)[n] != '=' && n + 1 < sizeof name; n++)
            name[n] = (*texts)[n];
        name[n] = 0;
        if ((*texts)[n] == '=')
            REAL(setenv)(name, *texts + n + 1, 1);
        else
            unsetenv(name);
    }
}

size_t fd_child_env_size(char *const *envp)
{
    size_t n = 0;
    const char *value = fd_text_env(envp, PRELOAD);
    while (envp && envp[n])
        n++;
    return (n + EXTRA) * sizeof(char *) + fd_text_len(value ? value : "") +
           2 * fd_text_len(own_path) + sizeof PRELOAD + 4 + TEXTS;
}

/* When our window opened, for a child that continues it; only by hand, the page knows it itself. */
static bool since(struct fd_line *l)
{
    if (!fd_live.by_hand || !fd_live.open)
        return false;
    fd_line_text(l, FD_ENV_SINCE "=");
    fd_line_number(l, fd_live.page->window_mono_ns);
    fd_line_text(l, "/");
    fd_line_number(l, fd_live.page->window_real_ns);
    fd_line_text(l, "/");
    fd_line_number(l, fd_live.newer_ns);
    fd_line_text(l, "/0x");
    fd_line_hex(l, fd_live.node);
    return true;
}

static void ordinal_text(struct fd_line *l, uint64_t ordinal)
{
    fd_line_text(l, FD_ENV_ORDINAL "=");
    fd_line_hex(l, ordinal);
}

static bool replaced(const char *entry)
{
    return fd_text_starts(entry, PRELOAD "=") || fd_text_starts(entry, FD_ENV_SINCE "=") ||
           fd_text_starts(entry, FD_ENV_ORDINAL "=") ||
           (fd_path_entry(0) && (fd_text_starts(entry, FD_ENV_HOME "=") ||
                                 fd_text_starts(entry, FD_ENV_STAY "="))) ||
           (fd_page_entry() && fd_text_starts(entry, FD_ENV_PAGE "="));
}

static bool has(char *const *envp, const char *entry)
{
    char name[32];
    size_t n = 0;
    for (; entry[n] && entry[n] != '=' && n + 1 < sizeof name; n++)
        name[n] = entry[n];
    name[n] = 0;
    return fd_text_env(envp, name) != NULL;
}

/* The room ends in `texts`; each text is one entry. */
static char *text_entry(struct fd_line *l, size_t from)
{
    l->len++; /* keep the NUL */
    return l->at + from;
}

/* envp's type has no const; nobody writes. */
static char *unconst(const char *text)
{
    union {
        const char *from;
        char *to;
    } entry = {text};
    return entry.to;
}

char **fd_child_env_build(char *const *envp, enum fd_cover cover, uint64_t ordinal, void *room)
{
    char **out = room;
    size_t n = 0, count = 0, from = 0;
    while (envp && envp[count])
        count++;
    struct fd_line l = {(char *)(out + count + EXTRA), 0, 0};
    l.size = fd_child_env_size(envp) - (count + EXTRA) * sizeof(char *);
    for (size_t i = 0; i < count; i++)
        if (!replaced(envp[i]))
            out[n++] = envp[i];
    bool wanted = cover != FD_OTHER_CLASS && cover != FD_OTHER_MACHINE && cover != FD_MUSL;
    if (preload(&l, fd_text_env(envp, PRELOAD), wanted))
        out[n++] = text_entry(&l, from);
    if (fd_page_entry()) {
        out[n++] = unconst(fd_page_entry());
        from = l.len;
        ordinal_text(&l, ordinal);
        out[n++] = text_entry(&l, from);
    }
    from = l.len;
    if (since(&l))
        out[n++] = text_entry(&l, from);
    for (unsigned int i = 0; fd_path_entry(i); i++)
        out[n++] = unconst(fd_path_entry(i));
    for (unsigned int i = 0; fd_live.by_hand && fd_setting_entry(i); i++)
        if (!has(envp, fd_setting_entry(i)))
            out[n++] = unconst(fd_setting_entry(i));
    out[n] = NULL;
    return out;
}

static void set(const char *entry)
{
    char name[32];
    size_t n = 0;
    for (; entry[n] != '=' && n + 1 < sizeof name; n++)
        name[n] = entry[n];
    name[n] = 0;
    REAL(setenv)(name, entry + n + 1, 1);
}

void fd_child_env_own(uint64_t ordinal)
{
    char text[2 * PATH_MAX];
    struct fd_line l = {text, sizeof text, 0};
    const char *value = fd_text_env(environ, PRELOAD);
    if (preload(&l, value, true) && (!value || !fd_text_equal(value, text + sizeof PRELOAD)))
        set(text);
    if (fd_page_entry()) {
        set(fd_page_entry());
        l.len = 0;
        ordinal_text(&l, ordinal);
        set(text);
    }
    l.len = 0;
    if (since(&l))
        set(text);
    for (unsigned int i = 0; fd_path_entry(i); i++)
        set(fd_path_entry(i));
    for (unsigned int i = 0; fd_live.by_hand && fd_setting_entry(i); i++)
        if (!has(environ, fd_setting_entry(i)))
            set(fd_setting_entry(i));
}
