#include "cli/ci_words.h"

#include "base/fdio.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_WORD ((size_t) - 1)

void ci_words_done(struct ci_words *w)
{
    argv_done(&w->all);
}

static bool is_pytest(const char *word)
{
    static const char *const names[] = {"pytest", "py.test", "pytest-3"}; /* the last is Debian's */
    const char *slash = strrchr(word, '/');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(slash ? slash + 1 : word, names[i]) == 0)
            return !slash || !fdio_is_dir(word);
    return false;
}

static bool can_run(const char *word)
{
    own_text struct text found = {0};
    if (strchr(word, '/'))
        return fdio_is_file(word) && access(word, X_OK) == 0;
    return fdio_on_path(word, &found);
}

/* An interpreter is one although it may not be there: then that is what is wrong. */
static bool is_python(const char *word)
{
    const char *slash = strrchr(word, '/');
    const char *name = slash ? slash + 1 : word;
    return (text_starts(name, "python") || text_starts(name, "pypy")) && !strchr(name, ':') &&
           !text_ends(name, ".py") && !fdio_is_dir(word);
}

/* A program, and no file or folder of tests. */
static bool is_command(const char *word)
{
    if (is_pytest(word) || is_python(word))
        return true;
    if (word[0] == '-' || !can_run(word))
        return false;
    return strchr(word, '/') ? !text_ends(word, ".py") : access(word, F_OK) < 0;
}

static size_t pytest_in(const struct argv *words)
{
    for (size_t i = 0; i < words->n && strcmp(words->at[i], "--") != 0; i++)
        if (is_pytest(words->at[i]))
            return i;
    return NO_WORD;
}

/* The last value given wins, as in pytest. */
static void note_own(struct ci_words *w)
{
    static const char *const names[] = {"--junitxml", "--junit-xml", "--ai-report"};
    for (size_t i = w->pytest + 1; i < w->all.n && strcmp(w->all.at[i], "--") != 0; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const char *word = w->all.at[i];
            size_t n = strlen(names[k]);
            if (strncmp(word, names[k], n) != 0 || (word[n] && word[n] != '='))
                continue;
            const char *value = word[n] ? word + n + 1 : w->all.at[i + 1];
            *(k < 2 ? &w->junit : &w->report) = value;
        }
}

static int take_command(const struct argv *given, const char *python, struct ci_words *ret,
                        struct err *e)
{
    ret->pytest = pytest_in(given);
    if (ret->pytest == NO_WORD) {
        err_set(e, ERR_USAGE, "the command after \"--\" does not say where pytest begins: %s",
                given->at[0]);
        return err_hint(e, "flaky-ci -- pytest -q tests; of arguments alone the first is an "
                           "option, a file or a folder of tests");
    }
    if (python) {
        err_set(e, ERR_USAGE, "--python is for arguments of pytest alone; the command after \"--\" "
                              "names its own");
        return err_hint(e, "write \"%s -m pytest\" after \"--\"", python);
    }
    argv_copy(&ret->all, given);
    return 0;
}

int ci_words_read(const struct argv *given, const char *python, struct ci_words *ret,
                  struct err *e)
{
    struct ci_words w = {0};
    if (given->n > 0 && is_command(given->at[0])) {
        if (take_command(given, python, &w, e) < 0)
            return -1;
    } else {
        if (python) {
            argv_add(&w.all, python);
            argv_add(&w.all, "-m");
        } else if (!can_run("pytest")) {
            err_set(e, ERR_SETUP, "there is no pytest on PATH");
            return err_hint(e, "activate the environment of your tests, name its interpreter with "
                               "--python PATH, or write the whole command after \"--\"");
        }
        argv_add(&w.all, "pytest");
        w.pytest = w.all.n - 1;
        argv_copy(&w.all, given);
    }
    note_own(&w);
    *ret = w;
    return 0;
}

void ci_words_insert(struct ci_words *w, const struct argv *options)
{
    struct argv all = {0};
    for (size_t i = 0; i < w->all.n; i++) {
        argv_add(&all, w->all.at[i]);
        if (i == w->pytest)
            argv_copy(&all, options);
    }
    argv_done(&w->all);
    w->all = all;
    w->junit = w->report = NULL;
    note_own(w);
}
