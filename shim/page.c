#include "shim/page.h"
#include "shim/raw.h"
#include "shim/stop.h"
#include "shim/text.h"
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The runner reads it in the file, before anything loads that. */
__attribute__((used)) static const char release[] = FD_RELEASE_MARK FR_VERSION;
#define RELEASE (release + sizeof FD_RELEASE_MARK - 1)
_Static_assert(sizeof FR_VERSION <= FD_RELEASE_MAX, "the page holds it whole");

static char entry[PATH_MAX + sizeof FD_ENV_PAGE + 1];

static bool failed(long answer)
{
    return answer < 0 && answer > -4096;
}

static const char *decimal(int64_t n, char *buf, size_t size)
{
    struct fd_line l = {buf, size, 0};
    fd_line_number(&l, n);
    return buf;
}

static void check_release(const struct fd_page *p, const char *path)
{
    char theirs[FD_RELEASE_MAX + 1] = "";
    for (size_t i = 0; i < FD_RELEASE_MAX && p->release[i]; i++)
        theirs[i] = p->release[i];
    if (!fd_text_equal(theirs, RELEASE))
        fd_stop(path, " was written by flaky-repro ", *theirs ? theirs : "(no release)",
                ", this libfd.so is of ", RELEASE, "; install both from one release");
}

static void check(const struct fd_page *p, const char *path, const char *who)
{
    char have[24], want[24];
    if (p->magic != FD_MAGIC)
        fd_stop(who, " names ", path, ", which is not a page of flaky-repro; unset ", who);
    if (p->version != FD_VERSION)
        fd_stop(path, " is a page of version ", decimal(p->version, have, sizeof have),
                ", this libfd.so speaks ", decimal(FD_VERSION, want, sizeof want),
                "; install both from one flaky-repro");
    check_release(p, path);
    if (p->size != sizeof *p || p->axes != FD_AXIS_COUNT)
        fd_stop(path, " has ", decimal(p->axes, have, sizeof have), " axes, this libfd.so has ",
                decimal(FD_AXIS_COUNT, want, sizeof want), "; install both from one flaky-repro");
    const struct fd_settings *s = &p->settings;
    if (s->time_mode > FD_TIME_NOW || s->time_flow > FD_FLOW_AT || s->held >> FD_AXIS_COUNT ||
        s->listing > FD_LISTING_NEWEST || s->fs >= FD_FS_COUNT || s->net >= FD_NET_COUNT ||
        s->plant >= FD_PLANT_COUNT || s->stalls > FD_STALLS_ALL)
        fd_stop(path, " holds settings that this libfd.so does not know",
                "; install both from one flaky-repro");
}

struct fd_page *fd_page_map(const char *path, const char *who)
{
    char number[24];
    if (fd_text_len(path) >= PATH_MAX)
        fd_stop(who, " names a path longer than the kernel takes; unset ", who);
    long fd = FD_SYS4(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (failed(fd))
        fd_stop(who, " names ", path, ", which cannot be opened (errno ",
                decimal(-fd, number, sizeof number), "); unset ", who, " or start the run again");
    long end = FD_SYS3(SYS_lseek, fd, 0, SEEK_END);
    if (end < (long)sizeof(struct fd_page))
        fd_stop(path, " is too short to be a page (", decimal(end, number, sizeof number),
                " bytes); unset ", who, " or start the run again");
    long at = FD_SYS6(SYS_mmap, 0, sizeof(struct fd_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                      0);
    (void)FD_SYS1(SYS_close, fd);
    if (failed(at))
        fd_stop(path, " cannot be mapped (errno ", decimal(-at, number, sizeof number),
                "); keep pages on a file system that can");
    struct fd_page *page = (struct fd_page *)at; /* the kernel's address */
    check(page, path, who);
    struct fd_line l = {entry, sizeof entry, 0};
    fd_line_text(&l, FD_ENV_PAGE "=");
    fd_line_text(&l, path);
    return page;
}

struct fd_page *fd_page_own(void)
{
    static struct fd_page last_resort; /* without memory: not shared with children, still right */
    long at = FD_SYS6(SYS_mmap, 0, sizeof(struct fd_page), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct fd_page *page = failed(at) ? &last_resort : (struct fd_page *)at;
    page->magic = FD_MAGIC;
    page->version = FD_VERSION;
    page->size = sizeof *page;
    page->axes = FD_AXIS_COUNT;
    entry[0] = 0;
    return page;
}

const char *fd_page_entry(void)
{
    return entry[0] ? entry : NULL;
}
