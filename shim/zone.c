#include "shim/zone.h"
#include "shim/text.h"

/* What this process opened so far. Import-time look-ups come before the page that a warm child is
 * handed, so they are remembered here and copied. */
static struct {
    uint32_t used;
    char name[FD_ZONES][sizeof((struct fd_page *)0)->zone[0]];
} mine;

/* Zones begin with a capital and have no dot; tables (zone.tab), modules and caches do not. */
static bool is_zone(const char *name)
{
    return *name >= 'A' && *name <= 'Z' && !fd_text_find(name, ".") && !fd_text_find(name, "__") &&
           fd_text_len(name) < sizeof mine.name[0];
}

/* Appends without a lock: a name twice or a lost ninth name harms nobody. */
static void add(char (*names)[sizeof mine.name[0]], uint32_t *used, const char *name)
{
    uint32_t n = __atomic_load_n(used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n && i < FD_ZONES; i++)
        if (fd_text_equal(names[i], name))
            return;
    if (n >= FD_ZONES)
        return;
    struct fd_line l = {names[n], sizeof mine.name[0], 0};
    fd_line_text(&l, name);
    __atomic_store_n(used, n + 1, __ATOMIC_RELEASE);
}

static void note(const char *name, struct fd_page *page)
{
    if (!is_zone(name))
        return;
    add(mine.name, &mine.used, name);
    if (page)
        add(page->zone, &page->zones, name);
}

void fd_zone_opened(const char *path, struct fd_page *page)
{
    const char *at = path ? fd_text_find(path, "/zoneinfo/") : NULL;
    if (!at)
        return;
    at += sizeof "/zoneinfo/" - 1;
    at += fd_text_starts(at, "posix/") || fd_text_starts(at, "right/") ? 6 : 0;
    note(at, page);
}

bool fd_zone_is_own(const char *path)
{
    return path && fd_text_starts(path, "/etc/") &&
           (fd_text_equal(path, "/etc/localtime") || fd_text_equal(path, "/etc/timezone"));
}

/* The C library opens the file itself, unseen; what TZ is set to tells which. */
void fd_zone_set(const char *tz, struct fd_page *page)
{
    tz += *tz == ':';
    if (*tz == '/')
        fd_zone_opened(tz, page);
    else
        note(tz, page);
}

void fd_zone_hand_over(struct fd_page *page)
{
    for (uint32_t i = 0; i < mine.used; i++)
        add(page->zone, &page->zones, mine.name[i]);
}
