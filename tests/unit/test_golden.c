/* Runs the cases of a golden file of the form of tests/data/stats.json against runner/stats:
 *
 *     { "function": { "doc": "...", "tolerance": {"rel": r, "abs": a},
 *                     "cases": [ {"in": {...}, "out": {...}, "tag": "..."} ] } }
 *
 * usage: test_golden [FILE]      (default: the copy in the tree)
 * Functions it does not know are skipped aloud; in the tree's own file that is a failure.
 * Last line: "N passed, N failed, N skipped".
 * Exit status: 1 if a case failed or none ran, 2 if the file cannot be used. */
#include "golden.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FR_TEST_DATA
#define FR_TEST_DATA "tests/data"
#endif

struct json_object *input(struct golden *g, const char *key)
{
    struct json_object *value = NULL;

    if (!json_object_object_get_ex(g->in, key, &value)) {
        printf("%s[%zu]: no input \"%s\"\n", g->function, g->index, key);
        g->failed = true;
    }
    return value;
}

double number(struct json_object *value)
{
    if (json_object_is_type(value, json_type_string)) /* JSON has no infinity: "inf", "-inf" */
        return strtod(json_object_get_string(value), NULL);
    return json_object_get_double(value);
}

double real(struct golden *g, const char *key)
{
    return number(input(g, key));
}

int64_t count(struct golden *g, const char *key)
{
    return json_object_get_int64(input(g, key));
}

const char *word(struct golden *g, const char *key)
{
    const char *text = json_object_get_string(input(g, key));

    return text != NULL ? text : "";
}

int64_t count_at(struct json_object *array, size_t i)
{
    return json_object_get_int64(json_object_array_get_idx(array, i));
}

size_t length(struct json_object *array)
{
    return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

static bool close_enough(const struct golden *g, double have, double want)
{
    if (isnan(have) || isnan(want))
        return false;
    if (isinf(have) || isinf(want))
        return isinf(have) && isinf(want) && (have > 0) == (want > 0);
    return fabs(have - want) <= fmax(g->abs, g->rel * fabs(want));
}

static void compare(struct golden *g, const char *key, double have, struct json_object *want)
{
    if (want != NULL && close_enough(g, have, number(want)))
        return;
    printf("%s[%zu].%s = %.17g, want %s   in: %s\n", g->function, g->index, key, have,
           want != NULL ? json_object_get_string(want) : "null", json_object_get_string(g->in));
    g->failed = true;
}

static struct json_object *expected(struct golden *g, const char *key, bool *ret_found)
{
    struct json_object *value = NULL;

    *ret_found = json_object_object_get_ex(g->out, key, &value);
    g->checked += *ret_found;
    return value;
}

void expect(struct golden *g, const char *key, double have)
{
    bool found;
    struct json_object *want = expected(g, key, &found);

    if (found && (want != NULL || !isnan(have)))
        compare(g, key, have, want);
}

void expect_count(struct golden *g, const char *key, int64_t have)
{
    bool found;
    struct json_object *want = expected(g, key, &found);

    if (found && (want != NULL || have >= 0))
        compare(g, key, (double)have, want);
}

void expect_interval(struct golden *g, struct interval have)
{
    expect(g, "low", have.low);
    expect(g, "high", have.high);
}

void expect_list(struct golden *g, const char *key, const double *have, size_t n)
{
    bool found;
    struct json_object *want = expected(g, key, &found);

    if (!found)
        return;
    if (length(want) != n) {
        printf("%s[%zu].%s has %zu values, want %zu\n", g->function, g->index, key, n,
               length(want));
        g->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++)
        compare(g, key, have[i], json_object_array_get_idx(want, i));
}

void expect_word(struct golden *g, const char *key, const char *have)
{
    bool found;
    struct json_object *want = expected(g, key, &found);
    const char *text = want != NULL ? json_object_get_string(want) : NULL;

    if (!found || (text == NULL && have == NULL) ||
        (text != NULL && have != NULL && strcmp(text, have) == 0))
        return;
    printf("%s[%zu].%s = %s, want %s   in: %s\n", g->function, g->index, key,
           have != NULL ? have : "null", text != NULL ? text : "null",
           json_object_get_string(g->in));
    g->failed = true;
}

void require(struct golden *g, const char *what, bool holds)
{
    if (holds)
        return;
    printf("%s[%zu]: %s   in: %s\n", g->function, g->index, what, json_object_get_string(g->in));
    g->failed = true;
}

void *memory(size_t n, size_t size)
{
    void *ret = calloc(n + 1, size);

    if (ret == NULL)
        abort();
    return ret;
}

double *reals(struct golden *g, const char *key, size_t *ret_n)
{
    struct json_object *list = input(g, key);
    double *ret;

    *ret_n = length(list);
    ret = memory(*ret_n, sizeof(*ret));
    for (size_t i = 0; i < *ret_n; i++)
        ret[i] = number(json_object_array_get_idx(list, i));
    return ret;
}

struct totals {
    size_t passed, failed, skipped;
};

static double tolerance(struct json_object *function, const char *key)
{
    struct json_object *all = NULL, *value = NULL;

    if (!json_object_object_get_ex(function, "tolerance", &all) ||
        !json_object_object_get_ex(all, key, &value))
        return 0;
    return json_object_get_double(value);
}

static bool run_case(struct golden *g, struct json_object *one, void (*run)(struct golden *))
{
    if (!json_object_object_get_ex(one, "in", &g->in) ||
        !json_object_object_get_ex(one, "out", &g->out)) {
        printf("%s[%zu]: no \"in\" or no \"out\"\n", g->function, g->index);
        return false;
    }
    run(g);

    int outputs = json_object_object_length(g->out);

    if (g->checked != outputs)
        printf("%s[%zu]: compared %d of %d\n", g->function, g->index, g->checked, outputs);
    return !g->failed && g->checked == outputs;
}

static void (*run_of(const char *name))(struct golden *)
{
    const struct golden_function *tables[] = {golden_rates, golden_gates, golden_compare,
                                              golden_samples};

    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
        for (const struct golden_function *f = tables[t]; f->name != NULL; f++) {
            if (strcmp(f->name, name) == 0)
                return f->run;
        }
    }
    return NULL;
}

static void run_function(const char *name, struct json_object *function, struct totals *t)
{
    struct json_object *cases = NULL;
    void (*run)(struct golden *) = run_of(name);

    json_object_object_get_ex(function, "cases", &cases);
    if (run == NULL) {
        printf("skipped %s: %zu cases\n", name, length(cases));
        t->skipped += length(cases);
        return;
    }

    size_t before = t->failed;

    for (size_t i = 0; i < length(cases); i++) {
        struct golden g = {
            .function = name,
            .index = i,
            .rel = tolerance(function, "rel"),
            .abs = tolerance(function, "abs"),
        };
        bool ok = run_case(&g, json_object_array_get_idx(cases, i), run);

        t->passed += ok;
        t->failed += !ok;
    }
    printf("%s %s: %zu cases\n", t->failed == before ? "ok" : "NOT OK", name, length(cases));
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : FR_TEST_DATA "/stats.json";
    struct json_object *file = json_object_from_file(path);
    struct totals t = {0};

    if (!json_object_is_type(file, json_type_object)) {
        printf("%s: %s\n", path, file == NULL ? json_util_get_last_err() : "not a JSON object");
        return 2;
    }
    json_object_object_foreach(file, name, function) run_function(name, function, &t);
    json_object_put(file);
    printf("%zu passed, %zu failed, %zu skipped\n", t.passed, t.failed, t.skipped);
    return t.failed > 0 || t.passed == 0 || (argc < 2 && t.skipped > 0);
}
