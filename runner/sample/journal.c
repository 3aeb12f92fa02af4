#include "sample/journal.h"

#include "base/fdio.h"
#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDER ".flaky-repro"
#define TRIES  100 /* names, before it is done without */

void journal_done(struct journal *j)
{
    if (j->fd >= 0)
        close(j->fd);
    free(j->path);
    free(j->folder);
    text_done(&j->early);
    *j = (struct journal)JOURNAL_INIT;
}

void journal_prepare(struct journal *j, const char *line, size_t n)
{
    if (j->fd >= 0 && fdio_write_all(j->fd, line, n) < 0)
        j->failed = true;
    else if (j->fd < 0 && !j->failed)
        text_addn(&j->early, line, n);
}

static void make_folder(struct journal *j, const char *root)
{
    own_text struct text folder = {0};
    text_addf(&folder, "%s/" FOLDER, root);
    if (mkdir(text_str(&folder), 0777) < 0)
        return;
    fdio_ignore_folder(text_str(&folder));
    j->folder = text_take(&folder);
}

static void base_path(struct journal *j, const char *json, const char *root, struct text *out)
{
    struct err ignored;
    char stamp[32] = "";
    time_t now = time(NULL);
    struct tm tm;
    if (json) {
        (void)fdio_make_parents(json, &ignored);
        text_addf(out, "%s.journal", json);
        return;
    }
    make_folder(j, root);
    if (localtime_r(&now, &tm))
        strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &tm);
    text_addf(out, "%s/" FOLDER "/sample-%s.journal", root, stamp);
}

static void open_it(struct journal *j, const char *json, const char *root)
{
    own_text struct text base = {0};
    base_path(j, json, root, &base);
    for (int i = 1; i <= TRIES && j->fd < 0; i++) {
        own_text struct text path = {0};
        text_add(&path, text_str(&base));
        if (i > 1)
            text_addf(&path, ".%d", i);
        j->fd = open(text_str(&path), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
        if (j->fd >= 0)
            j->path = text_take(&path);
        else if (errno != EEXIST)
            break;
    }
    j->failed = j->fd < 0 || fdio_write_all(j->fd, text_str(&j->early), j->early.len) < 0;
    text_done(&j->early);
}

void journal_add(struct journal *j, const char *json, const char *root, const char *line, size_t n)
{
    if (j->fd < 0 && !j->failed)
        open_it(j, json, root);
    if (!j->failed && fdio_write_all(j->fd, line, n) < 0)
        j->failed = true;
}

void journal_remove(struct journal *j)
{
    if (j->path)
        unlink(j->path);
    if (j->folder) {
        own_text struct text ignore = {0};
        text_addf(&ignore, "%s/.gitignore", j->folder);
        unlink(text_str(&ignore));
        rmdir(j->folder); /* unless somebody else lives there now */
        if (fdio_is_dir(j->folder))
            fdio_ignore_folder(j->folder);
    }
    journal_done(j);
}

int journal_each(const char *path, const struct journal_reader *r, struct err *e)
{
    own_file FILE *f = fopen(path, "re");
    own_mem char *line = NULL;
    size_t room = 0;
    ssize_t n;
    if (!f)
        return err_sys(e, "opening %s", path);
    errno = 0;
    while ((n = getline(&line, &room, f)) > 0) {
        if (line[n - 1] != '\n')
            break; /* torn: the session was killed while it wrote */
        line[n - 1] = 0;
        if (r->one(r->ctx, line, e) < 0)
            return -1;
    }
    if (ferror(f))
        return err_sys(e, "reading %s", path);
    return 0;
}
