#ifndef FR_CLI_CI_WORDS_H
#define FR_CLI_CI_WORDS_H
/* The command line of a suite, as the user wrote it after "--", and what we add to it. */
#include <stdbool.h>

#include "base/argv.h"
#include "base/err.h"

struct ci_words {
    struct argv all;   /* the command */
    size_t pytest;     /* which of them is pytest itself: what follows are its arguments */
    const char *junit; /* the user's own --junitxml, NULL: none; borrowed from `all` */
    const char *report; /* his own --ai-report */
};
void ci_words_done(struct ci_words *w);
#define own_ci_words __attribute__((cleanup(ci_words_done)))

/* `given`: a whole command ("pytest -q", "python -m pytest -q", "uv run pytest -q") or arguments of
 * pytest alone, which `python` runs as a module or, where that is NULL, the pytest on PATH. */
int ci_words_read(const struct argv *given, const char *python, struct ci_words *ret,
                  struct err *e);

/* Adds options of ours, before those of the user: what he writes himself wins. */
void ci_words_insert(struct ci_words *w, const struct argv *options);

#endif
