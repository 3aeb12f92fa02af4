#include "live/effects.h"

#include "base/argv.h"
#include "base/fdio.h"
#include "base/own.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool among(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* "gcc", "x86_64-linux-gnu-gcc-12", "clang++-14": the tool without its target and its version. */
static bool is_tool(const char *name)
{
    static const char *const tools[] = {"cc",      "c++", "gcc",      "g++",         "clang",
                                        "clang++", "cpp", "cc1",      "cc1plus",     "collect2",
                                        "ld",      "as",  "ar",       "ranlib",      "nm",
                                        "objdump", "ldd", "ldconfig", "lto-wrapper", NULL};
    own_text struct text stem = {0};
    text_add(&stem, name);
    char *dash = stem.at ? strrchr(stem.at, '-') : NULL;
    if (dash && strspn(dash + 1, "0123456789.") == strlen(dash + 1))
        text_cut(&stem, (size_t)(dash - stem.at));
    const char *word = text_str(&stem), *last = strrchr(word, '-');
    return among(word, tools) || (last && strstr(word, "-linux-") && among(last + 1, tools)) ||
           text_starts(word, "ld.");
}

/* Python is watched like the test itself: what it does is noted by itself. */
static bool is_python(const char *path)
{
    char head[128] = "";
    if (text_starts(base_name(path), "python") || text_starts(base_name(path), "pypy"))
        return true;
    own_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof head - 1);
    if (n < 3 || head[0] != '#' || head[1] != '!')
        return false;
    head[strcspn(head, "\n")] = 0;
    return strstr(head, "python") != NULL;
}

/* Questions that git answers without changing anything. */
static bool is_git_question(const struct argv *v)
{
    static const char *const questions[] = {"rev-parse", "describe", "log",      "show",
                                            "status",    "diff",     "ls-files", "rev-list",
                                            "cat-file",  "version",  NULL};
    size_t i = 1;
    while (i < v->n && v->at[i][0] == '-' && strcmp(v->at[i], "--version") != 0)
        i += strcmp(v->at[i], "-C") == 0 || strcmp(v->at[i], "-c") == 0 ? 2 : 1;
    return i < v->n && (among(v->at[i], questions) || strcmp(v->at[i], "--version") == 0);
}

static bool is_harmless(const struct argv *v)
{
    static const char *const idle[] = {"true", "false", ":", "exit", "uname", "lsb_release", NULL};
    const char *name = base_name(v->at[0]);
    if (v->n == 2 && strcmp(v->at[1], "--version") == 0)
        return true;
    return among(name, idle) || is_tool(name) || is_python(v->at[0]) ||
           (strcmp(name, "git") == 0 && is_git_question(v));
}

/* A shell is as harmless as the one simple command it is given. */
static bool is_harmless_shell(const struct argv *v, bool whole)
{
    static const char *const shells[] = {"sh", "dash", "bash", NULL};
    if (v->n != 3 || !whole || !among(base_name(v->at[0]), shells) || strcmp(v->at[1], "-c") != 0 ||
        strpbrk(v->at[2], ";|&<>$`(){}[]*?~\\\"'\n#!="))
        return false;
    own_argv struct argv words = {0};
    for (const char *at = v->at[2]; *at;) {
        size_t n = strcspn(at, " \t");
        own_text struct text word = {0};
        text_addn(&word, at, n);
        if (n)
            argv_add(&words, text_str(&word));
        at += n + (at[n] != 0);
    }
    return words.n > 0 && is_harmless(&words);
}

static void split(const char *text, struct argv *out)
{
    for (;; text++) {
        size_t n = strcspn(text, "\x1f");
        own_text struct text word = {0};
        text_addn(&word, text, n);
        argv_add(out, text_str(&word));
        text += n;
        if (!*text)
            return;
    }
}

static void show(const struct argv *v, char *buf, size_t size)
{
    own_text struct text t = {0};
    for (size_t i = 0; i < v->n; i++) {
        const char *word = v->at[i];
        const char *quote = *word && !strpbrk(word, " \t\n;|&<>$`(){}*?\"'") ? "" : "'";
        text_addf(&t, "%s%s%s%s", i ? " " : "", quote, word, quote);
    }
    text_copy(buf, size, text_str(&t));
}

static bool program(const struct fd_act *a, struct effect *e)
{
    own_argv struct argv v = {0};
    split(a->text, &v);
    bool whole = strlen(a->text) + 1 < sizeof a->text;
    if (!*v.at[0] || is_harmless(&v) || is_harmless_shell(&v, whole))
        return false;
    show(&v, e->what, sizeof e->what);
    return true;
}

size_t effects_find(const struct fd_seen *seen, bool command, struct effect *ret)
{
    static const char *const kinds[] = {[FD_ACT_OUTSIDE] = "outside",
                                        [FD_ACT_PROGRAM] = "program",
                                        [FD_ACT_WRITES] = "written",
                                        [FD_ACT_REMOVES] = "removed"};
    size_t n = 0;
    for (uint32_t i = 0; seen && i < seen->acts && i < FD_ACTS && n < EFFECTS_MAX; i++) {
        const struct fd_act *a = &seen->act[i];
        struct effect e = {0};
        if (a->kind > FD_ACT_REMOVES || (a->kind == FD_ACT_PROGRAM && command))
            continue;
        text_copy(e.kind, sizeof e.kind, kinds[a->kind]);
        text_copy(e.what, sizeof e.what, a->text);
        if (a->kind != FD_ACT_PROGRAM || program(a, &e))
            ret[n++] = e;
    }
    if (n == 0 && seen && seen->acts > FD_ACTS && !command) { /* which they were nobody knows */
        ret[n] = (struct effect){.kind = "program"};
        snprintf(ret[n++].what, sizeof ret->what, "more than %d programs and files", FD_ACTS);
    }
    return n;
}

bool effects_python(const struct fd_seen *seen, const char *program)
{
    bool python = is_python(program);
    for (uint32_t i = 0; seen && i < seen->acts && i < FD_ACTS && !python; i++) {
        own_argv struct argv v = {0};
        if (seen->act[i].kind == FD_ACT_PROGRAM) {
            split(seen->act[i].text, &v);
            python = is_python(v.at[0]);
        }
    }
    return python;
}
