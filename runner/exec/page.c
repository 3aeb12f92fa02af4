#include "exec/page.h"

#include "base/own.h"
#include "base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

int page_create(const char *folder, const struct fd_settings *s, struct page *ret, struct err *e)
{
    char path[128];
    snprintf(path, sizeof path, "%s/p", folder);
    own_fd int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(struct fd_page)) < 0)
        return err_sys(e, "creating %s", path);
    void *at = mmap(NULL, sizeof(struct fd_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return err_sys(e, "mapping %s", path);
    struct fd_page *page = at;
    page->magic = FD_MAGIC;
    page->version = FD_VERSION;
    page->size = sizeof *page;
    page->axes = FD_AXIS_COUNT;
    text_copy(page->release, sizeof page->release, FR_VERSION);
    page->settings = *s;
    ret->at = page;
    snprintf(path, sizeof path, "%s/h", folder);
    if (s->fs == FD_FS_PRIVATE && !s->private_home[0] && mkdir(path, 0700) < 0)
        return err_sys(e, "creating %s", path);
    return 0;
}

const struct fd_seen *page_seen(const struct page *p)
{
    return p->at ? &p->at->seen : NULL;
}

void page_done(struct page *p)
{
    if (p->at)
        munmap(p->at, sizeof *p->at);
    p->at = NULL;
}

static uint64_t slots_sum(const struct fd_page *page, enum fd_axis a)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < page->slots && i < FD_SLOTS; i++)
        sum += page->slot[i].touched[a];
    return sum;
}

void page_read(const struct page *p, struct outcome *o)
{
    const struct fd_page *page = p->at;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        uint64_t sum = slots_sum(page, a), before = page->windows ? page->at_open[a] : sum;
        o->touched[a] = sum > before ? sum - before : 0;
    }
    o->changed |= page->seen.reads;
    o->clock_reads = o->touched[FD_AXIS_TIME];
    if (o->clock_reads > 1) /* how much later it is depends on how fast the machine is */
        o->touched[FD_AXIS_TIMING]++;
    o->instant_ns = page->windows ? page->window_real_ns : 0;
    o->not_covered = page->not_covered;
    for (unsigned i = 0; i < FD_ZONES; i++) {
        o->zone[i][0] = 0;
        if (i < page->zones)
            text_copy(o->zone[i], sizeof o->zone[i], page->zone[i]);
    }
}

size_t page_witness(const struct page *p, enum fd_axis a, struct witness *ret, size_t room)
{
    size_t n = 0;
    for (unsigned i = 0; i < p->at->sites && i < FD_SITES && n < room; i++) {
        const struct fd_site *s = &p->at->site[i];
        if (s->axis != (uint32_t)a || !s->file[0] || !s->count)
            continue;
        struct witness *w = &ret[n++];
        *w = (struct witness){
            .axis = a, .line = s->line, .count = s->count, .first = s->first, .last = s->last};
        text_copy(w->call, sizeof w->call, s->hook);
        text_copy(w->file, sizeof w->file, s->file);
        text_copy(w->function, sizeof w->function, s->function);
    }
    return n;
}
