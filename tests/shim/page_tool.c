/* page_tool make PATH [key=value ...]   a page as the runner makes it
 * page_tool dump PATH                   its counters, one "key value" a line, for the tests */
#include "shim/instant.h"
#include "shim/timing.h"
#include "shim/value.h"
#include "shim/wire.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fd_page page;

static const char *const words[] = {
#define AXIS(ID, word) [FD_AXIS_##ID] = word,
#include "shim/axes.def"
#undef AXIS
};

/* Axes whose value is one word, under their own names. */
static int word(const char *key, const char *value)
{
    static const struct {
        const char *key;
        int (*parse)(const char *, struct fd_settings *);
    } of[] = {{"address", fd_address_parse}, {"listing", fd_listing_parse},
              {"gc", fd_gc_parse}, {"limits", fd_limits_parse}, {"fs", fd_fs_parse},
              {"network", fd_net_parse}, {"timing", fd_timing_parse}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (!strcmp(key, of[i].key))
            return of[i].parse(value, &page.settings);
    return -1;
}

static void set(const char *key, const char *value)
{
    uint32_t n = (uint32_t)strtoul(value, NULL, 0);
    if (!strcmp(key, "time")) {
        if (fd_time_parse(value, &page.settings))
            exit(2);
    } else if (!strcmp(key, "rng")) {
        page.settings.held |= 1u << FD_AXIS_RNG;
        page.settings.rng_seed = strtoull(value, NULL, 0);
    } else if (!strcmp(key, "pytest")) {
        page.settings.pytest = n;
    } else if (!strcmp(key, "witness")) {
        page.settings.witness = n;
    } else if (!strcmp(key, "newer")) {
        page.settings.newer_ns = strtoll(value, NULL, 0);
    } else if (!strcmp(key, "die")) {
        page.settings.die_with_parent = n;
    } else if (!strcmp(key, "magic")) {
        page.magic = n;
    } else if (!strcmp(key, "version")) {
        page.version = n;
    } else if (!strcmp(key, "release")) {
        memset(page.release, 0, sizeof page.release);
        memcpy(page.release, value, strnlen(value, sizeof page.release));
    } else if (!strcmp(key, "size")) {
        page.size = n;
    } else if (!strcmp(key, "axes")) {
        page.axes = n;
    } else if (!strcmp(key, "flow")) {
        page.settings.time_flow = n;
    } else if (!strcmp(key, "may")) {
        snprintf(page.seen.may_write[0], FD_PATH_MAX, "%s", value);
    } else if (!strcmp(key, "watch")) {
        page.settings.watch = n;
    } else if (word(key, value)) {
        exit(2);
    }
}

static void dump_seen(const struct fd_seen *s)
{
    static const char *const needs[FD_NEED_COUNT] = {
        "outside", "loopback", "abstract", "socket", "home", "tmp", "privileged", "foreign",
        "unwatched"};
    for (int i = 0; i < FD_NEED_COUNT; i++)
        if (s->needs >> i & 1)
            printf("need %s %s\n", needs[i], s->what[i]);
    for (uint32_t i = 0; i < s->ports && i < FD_PORTS; i++)
        printf("port %u\n", s->port[i]);
    printf("names %u\nreads %u\n", s->names, s->reads);
    for (uint32_t i = 0; i < s->paths && i < FD_PATHS; i++)
        printf("path %s\n", s->path[i]);
    printf("deeds %u\n", s->deeds);
    for (uint32_t i = 0; i < s->fixed_ports && i < FD_FIXED; i++)
        printf("fixed %u\n", s->fixed[i]);
    for (uint32_t i = 0; i < s->misses && i < FD_MISSES; i++)
        printf("%s %s\n", s->found >> i & 1 ? "made" : "missed", s->missed[i]);
    static const char *const kinds[] = {"outside", "program", "writes", "removes"};
    for (uint32_t i = 0; i < s->acts && i < FD_ACTS; i++)
        printf("act %s %s\n", kinds[s->act[i].kind & 3], s->act[i].text);
    for (uint32_t i = 0; i < s->envs && i < FD_ENVS; i++)
        printf("env %s\n", s->env[i]);
}

static int dump(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fread(&page, sizeof page, 1, f) != 1)
        return 1;
    fclose(f);
    printf("attached %u\nwindows %u\nprocesses %u\nnot_covered %u\nslots %u\nclock_reads %" PRIu64 "\n",
           page.attached, page.windows, page.processes, page.not_covered, page.slots,
           page.window_reads);
    for (int axis = 0; axis < FD_AXIS_COUNT; axis++) {
        uint64_t sum = 0;
        for (int i = 0; i < FD_SLOTS; i++)
            sum += page.slot[i].touched[axis];
        printf("axis.%s %d\ntouched.%s %" PRIu64 "\nat_open.%s %" PRIu64 "\n", words[axis], axis,
               words[axis], sum, words[axis], page.at_open[axis]);
    }
    for (uint32_t i = 0; i < page.zones && i < FD_ZONES; i++)
        printf("zone %s\n", page.zone[i]);
    for (uint32_t i = 0; i < page.sites && i < FD_SITES; i++) {
        const struct fd_site *s = &page.site[i];
        if (!s->count) /* taken back */
            continue;
        printf("site %s %s %s:%u %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", words[s->axis], s->hook,
               strrchr(s->file, '/') ? strrchr(s->file, '/') + 1 : s->file, s->line, s->function,
               s->count, s->first, s->last);
    }
    printf("injected %u\ninjected_axis %u\ninjected_errno %d\n", page.injected_count,
           page.injected_axis, page.injected_errno);
    dump_seen(&page.seen);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "dump"))
        return dump(argv[2]);
    if (argc < 3 || strcmp(argv[1], "make"))
        return 2;
    page = (struct fd_page){.magic = FD_MAGIC, .version = FD_VERSION, .size = sizeof page,
                            .axes = FD_AXIS_COUNT, .release = FR_VERSION};
    for (int i = 3; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (!equals)
            return 2;
        *equals = 0;
        set(argv[i], equals + 1);
    }
    FILE *f = fopen(argv[2], "wb");
    return !f || fwrite(&page, sizeof page, 1, f) != 1 || fclose(f);
}
