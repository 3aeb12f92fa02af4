#ifndef FR_SAMPLE_JOURNAL_H
#define FR_SAMPLE_JOURNAL_H
/* What a sampling session was told, line by line as it came, in a file: whole records of runs live
 * only there, so that memory stays bounded, and a session that is killed leaves what it knew.
 * `flaky-repro report JOURNAL` makes the report of it. Append-only; a last line that was torn is no
 * line. At a normal end the file is removed.
 *
 * Nothing is lost but the report's records where it cannot be written: no function here fails. One
 * thread at a time. */
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/text.h"

struct journal {
    int fd;              /* -1: not open */
    char *path, *folder; /* folder: the one that was made for it, or NULL. Owned */
    struct text early;   /* what came before anything had to be kept */
    bool failed;         /* it cannot be written */
};
#define JOURNAL_INIT                                                                               \
    {                                                                                              \
        .fd = -1                                                                                   \
    }
void journal_done(struct journal *j); /* keeps the file */

/* Lines that only prepare are held back until the first that matters: a session that ran nothing
 * leaves no file. `line` ends in a newline. */
void journal_prepare(struct journal *j, const char *line, size_t n);

/* Beside `json` if it is not NULL, as JSON.journal; else in .flaky-repro of `root`. Where one of
 * that name lies there already it may be all that is left of a session: another name is taken. */
void journal_add(struct journal *j, const char *json, const char *root, const char *line, size_t n);

/* Ends it: the file, and a folder that was made for it alone, are removed. */
void journal_remove(struct journal *j);

/* Calls `one` for each whole line of the file, without its newline; what it returns below 0 ends
 * that. -1 also where the file cannot be read. */
struct journal_reader {
    int (*one)(void *ctx, char *line, struct err *e);
    void *ctx;
};
int journal_each(const char *path, const struct journal_reader *r, struct err *e);

#endif
