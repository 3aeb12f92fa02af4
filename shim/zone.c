#include "shim/zone.h"
#include "shim/live.h"
#include "shim/text.h"

/* What this process opened so far. Import-time look-ups come before the page that a warm child is
 * handed, so they are remembered here and copied. */
static struct {
    uint32_t used;
    char name[FD_ZONES][sizeof((struct fd_page *)0)->zone[0]];
} mine;

static const char *const not_zones[] = {"posixrules", "tzdata.zi",  "leapseconds", "leap-seconds.list",
                                        "zone.tab",   "zone1970.tab", "iso3166.tab", "zonenow.tab",
                                        "+VERSION",   "tzdata", "posix", "right", "", NULL};

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

void fd_zone_opened(const char *path)
{
    const char *at = path ? fd_text_find(path, "/zoneinfo/") : NULL;
    if (!at)
        return;
    at += sizeof "/zoneinfo/" - 1;
    at += fd_text_starts(at, "posix/") || fd_text_starts(at, "right/") ? 6 : 0;
    for (int i = 0; not_zones[i]; i++)
        if (fd_text_equal(at, not_zones[i]))
            return;
    if (fd_text_len(at) >= sizeof mine.name[0])
        return;
    add(mine.name, &mine.used, at);
    if (fd_live_on())
        add(fd_live.page->zone, &fd_live.page->zones, at);
}

void fd_zone_hand_over(void)
{
    for (uint32_t i = 0; i < mine.used; i++)
        add(fd_live.page->zone, &fd_live.page->zones, mine.name[i]);
}
