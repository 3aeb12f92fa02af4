#include "cli/triage_outputs.h"

#include "base/fdio.h"
#include "base/own.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/triage_words.h"
#include "triage/github.h"
#include "triage/junit_rewrite.h"
#include "triage/quality.h"
#include "triage/spot.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#define XML_MOST (256 << 20) /* bytes */

/* It is appended to, which needs no right to its folder. */
static int check_summary(const char *path, struct err *e)
{
    if (path && fdio_is_file(path) && access(path, W_OK) == 0)
        return 0;
    return path ? output_fit(path, "the summary", "--summary FILE", e) : 0;
}

int outputs_check(const struct outputs *o, struct err *e)
{
    if (o->junit && output_fit(o->junit, "JUnit's XML", "--junit FILE", e) < 0)
        return -1;
    if (o->quality && output_fit(o->quality, "the report for GitLab", "--code-quality FILE", e) < 0)
        return -1;
    return check_summary(o->summary, e);
}

static int read_junit(const struct outputs *o, struct text *xml, struct err *e)
{
    if (fdio_read_file(o->junit_from, XML_MOST, xml, e) < 0)
        return -1;
    if (xml->len >= XML_MOST)
        return err_set(e, ERR_STALE, "%s: more than %d MiB", o->junit_from, XML_MOST >> 20);
    return 0;
}

/* What cannot be read as such a report goes on as it is: nothing is lost. */
static int write_junit(const struct outputs *o, const struct failures *each, struct err *e)
{
    own_text struct text xml = {0}, out = {0};
    if (read_junit(o, &xml, e) < 0)
        return -1;
    struct err odd = {0};
    int bad = junit_rewrite(&xml, o->junit_from, each, &out, &odd);
    if (output_replace(o->junit, bad < 0 ? &xml : &out, e) < 0)
        return -1;
    if (bad < 0) {
        *e = odd;
        err_while(e, "%s is as the run wrote it", o->junit);
    }
    return bad;
}

static int append(const char *path, const struct text *more, struct err *e)
{
    own_text struct text page = {0};
    struct stat st;
    own_fd int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_sys(e, "writing %s", path);
    if (fstat(fd, &st) == 0 && st.st_size > 0)
        text_addc(&page, '\n'); /* a table begins behind an empty line */
    text_addn(&page, text_str(more), more->len);
    if (fdio_write_all(fd, text_str(&page), page.len) < 0)
        return err_sys(e, "writing %s", path);
    return 0;
}

static int append_summary(const char *path, const struct triage *merged, struct err *e)
{
    own_text struct text page = {0};
    triage_markdown(merged, &page);
    return append(path, &page, e);
}

/* The root of the repository is what the service says it is, where the tests ran below that. */
static void find_below(const char *variable, const char *cwd, struct text *out)
{
    const char *root = getenv(variable);
    own_mem char *real = root && *root ? realpath(root, NULL) : NULL;
    if (real)
        folder_below(real, cwd, out);
}

static int write_quality(const char *path, const struct failures *each, const char *cwd,
                         struct err *e)
{
    own_text struct text below = {0}, out = {0};
    find_below("CI_PROJECT_DIR", cwd, &below);
    quality_json(each, &(struct folder){cwd, text_str(&below)}, &out);
    return output_replace(path, &out, e);
}

static int annotate(const struct triage *merged, const char *cwd, struct err *e)
{
    own_text struct text below = {0}, out = {0};
    find_below("GITHUB_WORKSPACE", cwd, &below);
    github_annotations(&merged->failures, &(struct folder){cwd, text_str(&below)}, &out);
    return say_result(&out, e);
}

static unsigned told(int done, const struct err *e)
{
    if (done == 0)
        return 0;
    (void)say_error(e);
    return 1;
}

unsigned outputs_write(const struct outputs *o, const struct failures *each,
                       const struct triage *merged)
{
    struct err e = {0};
    unsigned bad = 0;
    char cwd[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd))
        text_copy(cwd, sizeof cwd, "/");
    if (o->github)
        bad += told(annotate(merged, cwd, &e), &e);
    if (o->junit)
        bad += told(write_junit(o, each, &e), &e);
    if (o->summary)
        bad += told(append_summary(o->summary, merged, &e), &e);
    if (o->quality)
        bad += told(write_quality(o->quality, each, cwd, &e), &e);
    return bad;
}

void outputs_unjudged(const struct outputs *o, const char *why)
{
    struct err e = {0};
    own_text struct text xml = {0}, page = {0};
    if (o->junit && fdio_is_file(o->junit_from))
        (void)told(read_junit(o, &xml, &e) < 0 ? -1 : output_replace(o->junit, &xml, &e), &e);
    text_addf(&page, "### nothing was judged: %s\n", why);
    if (o->summary)
        (void)told(append(o->summary, &page, &e), &e);
}
