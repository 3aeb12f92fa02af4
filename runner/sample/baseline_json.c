#include "sample/baseline.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fdio.h"
#include "base/own.h"
#include "base/text.h"
#include "model/read_json.h"

typedef struct json_object json;

static void own_json_put(json **o)
{
    json_object_put(*o);
}
#define own_json __attribute__((cleanup(own_json_put)))

enum { REPORT_MOST = 1 << 30 }; /* bytes; ten million runs stay below it */

struct reading { /* for messages */
    const char *option, *shown;
};

static int foreign(const struct reading *r, const char *why, struct err *e)
{
    err_set(e, ERR_USAGE, "%s: %s: %s", r->option, r->shown, why);
    return err_hint(e, "it takes a report that --prob-json=PATH wrote");
}

static json *get(json *o, const char *key, enum json_type type)
{
    json *v = NULL;
    return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, type) ? v : NULL;
}

static bool count_of(json *o, const char *key, int64_t *ret)
{
    json *v = get(o, key, json_type_int);
    *ret = v ? json_object_get_int64(v) : -1;
    return v && *ret >= 0 && *ret <= INT32_MAX;
}

static double cost_of(json *o)
{
    json *v = NULL;
    bool number =
        json_object_object_get_ex(o, "cost", &v) &&
        (json_object_is_type(v, json_type_double) || json_object_is_type(v, json_type_int));
    double cost = number ? json_object_get_double(v) : 0;
    return cost > 0 ? cost : 0;
}

static int read_row(json *row, size_t i, const struct reading *r, struct earlier *ret,
                    struct err *e)
{
    const char *name = json_read_text(row, "case");
    struct compared_runs runs;
    bool counts = count_of(row, "passes", &runs.pass) && count_of(row, "total", &runs.runs);
    char why[200];

    if (!name || !counts || runs.pass > runs.runs) {
        snprintf(why, sizeof why, "row %zu of \"rows\" has %s", i + 1,
                 !name     ? "no case name"
                 : !counts ? "no whole numbers \"passes\" and \"total\""
                           : "more passes than runs");
        return foreign(r, why, e);
    }
    if (runs.runs == 0)
        return 0;
    ret->of[ret->n++] = (struct earlier_row){
        .name = str_or_die(name),
        .runs = runs,
        .cost = cost_of(row),
        .stopped = get(row, "stopped", json_type_object) != NULL,
    };
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct earlier_row *)a)->name, ((const struct earlier_row *)b)->name);
}

static int read_report(json *report, const struct reading *r, struct earlier *ret, struct err *e)
{
    json *rows = get(report, "rows", json_type_array);
    if (!rows)
        return foreign(r, "it has no \"rows\", so it is no report of a sampling session", e);
    size_t n = json_object_array_length(rows);
    const char *created = json_read_text(report, "created");

    ret->created = created ? str_or_die(created) : NULL;
    ret->of = mem_or_die((n + 1) * sizeof *ret->of);
    for (size_t i = 0; i < n; i++)
        if (read_row(json_object_array_get_idx(rows, i), i, r, ret, e) < 0)
            return -1;
    if (ret->n > 1)
        qsort(ret->of, ret->n, sizeof *ret->of, by_name);
    for (size_t i = 1; i < ret->n; i++)
        if (!strcmp(ret->of[i - 1].name, ret->of[i].name)) {
            char why[200];
            snprintf(why, sizeof why, "\"%.120s\" has two rows", ret->of[i].name);
            return foreign(r, why, e);
        }
    return 0;
}

static int load(const char *path, const struct reading *r, struct text *ret, struct err *e)
{
    if (fdio_is_dir(path))
        return foreign(r, "that is a directory", e);
    errno = 0;
    if (access(path, R_OK) < 0) {
        err_sys(e, "%s: %s", r->option, r->shown);
        e->kind = ERR_USAGE;
        return err_hint(e, "it takes a report that --prob-json=PATH wrote");
    }
    if (fdio_read_file(path, REPORT_MOST, ret, e) < 0)
        return err_while(e, "%s", r->option);
    if (ret->len >= REPORT_MOST)
        return foreign(r, "it is larger than a report can be", e);
    return 0;
}

int earlier_read(const char *path, const char *shown, const char *option, struct earlier *ret,
                 struct err *e)
{
    const struct reading r = {option, shown};
    own_text struct text all = {0};

    if (load(path, &r, &all, e) < 0)
        return -1;
    own_json json *report = json_tokener_parse(text_str(&all));
    if (!report)
        return foreign(&r, all.len ? "it is not JSON, or not all of it is there" : "it is empty",
                       e);
    struct earlier got = {.path = str_or_die(shown)};
    if (read_report(report, &r, &got, e) < 0) {
        earlier_done(&got);
        return -1;
    }
    *ret = got;
    return 0;
}
