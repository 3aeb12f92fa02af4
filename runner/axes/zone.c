/* The time zone of the machine: what a local time means. */
#include "axes/axis.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "/usr/share/zoneinfo"

/* West and east of Greenwich, where it is another day than in UTC at any hour, half hours and
 * quarters, clock changes in both hemispheres, and one that is ahead in winter. */
static const char *const zones[] = {
    "America/New_York", "Pacific/Kiritimati",  "Pacific/Pago_Pago", "Asia/Kolkata",
    "Europe/Berlin",    "Australia/Lord_Howe", "Asia/Kathmandu",    "UTC",
    "Asia/Tokyo",       "Africa/Casablanca",   "America/St_Johns",  "America/Sao_Paulo",
};

/* Where there are no zone files: names that say their offset, west positive, as POSIX has it. */
static const char *const bare[] = {"EST5", "LINT-14", "SST11", "IST-5:30", "CET-1", "UTC"};

static bool has_file(const char *zone)
{
    const char *folder = getenv("TZDIR");
    own_text struct text path = {0};
    text_addf(&path, "%s/%s", folder && *folder ? folder : FOLDER, zone);
    return access(text_str(&path), R_OK) == 0;
}

/* The zone that is in force without us; false: it has no name. */
static bool natural(char *ret_value)
{
    char link[256];
    const char *tz = getenv("TZ"), *at = NULL;
    if (tz) {
        tz += *tz == ':';
        at = *tz ? tz : "UTC";
    } else {
        ssize_t n = readlink("/etc/localtime", link, sizeof link - 1);
        if (n < 0 && access("/etc/localtime", F_OK) < 0) {
            at = "UTC";
        } else if (n > 0) {
            link[n] = 0;
            at = strstr(link, "/zoneinfo/");
            at = at ? at + strlen("/zoneinfo/") : NULL;
        }
    }
    if (at && strcmp(at, "Etc/UTC") == 0)
        at = "UTC";
    if (!at || strlen(at) >= SETTING_VALUE_MAX || strchr(at, ','))
        return false;
    text_copy(ret_value, SETTING_VALUE_MAX, at);
    return true;
}

static bool nth_other_zone(size_t nth, const char *without, char *ret_value)
{
    bool files = has_file(zones[0]);
    const char *const *list = files ? zones : bare;
    size_t n = files ? sizeof zones / sizeof *zones : sizeof bare / sizeof *bare;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i], without) == 0 || (files && !has_file(list[i])) || nth-- > 0)
            continue;
        text_copy(ret_value, SETTING_VALUE_MAX, list[i]);
        return true;
    }
    return false;
}

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    char own[SETTING_VALUE_MAX] = "";
    (void)v;
    (void)natural(own);
    return nth_other_zone(nth, own, ret_value);
}

static bool recorded(const struct outcome *o, char *ret_value)
{
    (void)o;
    return natural(ret_value) &&
           strcmp(ret_value, "UTC") != 0; /* to which there is no plainer one */
}

/* This machine's own zone, then UTC, for which most tests are written. */
static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    char first[2][SETTING_VALUE_MAX] = {"", "UTC"};
    char own[SETTING_VALUE_MAX] = "";
    (void)v;
    if (natural(own) && strcmp(own, "UTC") != 0)
        text_copy(first[0], sizeof first[0], own);
    const char *not = failing ? failing : own;
    for (size_t i = 0; i < 2; i++) {
        if (!first[i][0] || strcmp(first[i], not ) == 0 || nth-- > 0)
            continue;
        text_copy(ret_value, SETTING_VALUE_MAX, first[i]);
        return true;
    }
    return false;
}

/* A name with a slash is a file; another may be a rule, EST5EDT, which has letters first. */
static int apply(const char *value, struct recipe *r, struct err *e)
{
    bool fits = value[0] && !strpbrk(value, " =") && !strstr(value, "..");
    if (!fits || (strchr(value, '/') && !has_file(value))) {
        err_set(e, ERR_USAGE, "zone=\"%s\" is not a time zone of this machine", value);
        return err_hint(e, "for instance zone=America/New_York; the package tzdata has them");
    }
    argv_addf(&r->env, "TZ=%s", value);
    r->page.held |= axis_bit(FD_AXIS_ZONE);
    return 0;
}

static void command(const char *value, struct text *out)
{
    text_addf(out, "TZ=%s ", value);
}

const struct axis axis_ZONE = {
    .catches = "local times compared with UTC, dates and hours of another zone",
    .held_by = "TZ of each process",
    .by_hand = "TZ",
    .at_start = true,
    .has_hook = true,
    .recorded = recorded,
    .provoke = provoke,
    .benign = benign,
    .apply = apply,
    .command = command,
};
