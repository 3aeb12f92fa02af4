#include "report/fractions_json_impl.h"

#include "base/fdio.h"
#include "report/comparisons.h"

#include <math.h>
#include <string.h>

#define WRITTEN_AT_ONCE ((size_t)64 << 10)

static void put_config(struct json_out *j, const struct sample_config *c)
{
    json_open(j, "stats_config", '{');
    json_text(j, "method", method_name(c->method));
    json_double(j, "level", c->confidence);
    fractions_put_prior(j, c->prior.a, c->prior.b);
    json_count(j, "resamples", c->resamples);
    json_count(j, "seed", (int64_t)c->seed);
    json_count(j, "min_inputs", c->min_inputs);
    json_close(j, '}');
}

static void put_totals(struct json_out *j, const struct suite *s)
{
    int64_t passes = 0, fails = 0, errors = 0;
    double cost = 0;
    struct usages usages = {0};
    for (size_t i = 0; i < s->n; i++) {
        const struct sample_case *c = &s->of[i];
        passes += c->pass;
        fails += c->fail;
        errors += c->error;
        cost += c->cost;
        for (size_t u = 0; u < c->usages.n; u++) {
            const struct usage *m = &c->usages.of[u];
            usages_add(&usages, m->model, m->input, m->output, m->cached, m->cost);
        }
    }
    json_open(j, "totals", '{');
    json_count(j, "passes", passes);
    json_count(j, "fails", fails);
    json_count(j, "errors", errors);
    json_count(j, "count", passes + fails + errors);
    json_double(j, "pass_rate", fractions_percent(passes, passes + fails + errors));
    json_double(j, "cost", cost);
    fractions_put_usages(j, &usages);
    json_close(j, '}');
    usages_done(&usages);
}

static void put_stopping(struct json_out *j, const struct suite *s, bool active)
{
    int64_t cases = 0, cut = 0, runs = 0;
    double saved = 0;
    bool saves = false;
    for (size_t i = 0; i < s->n; i++) {
        const struct sample_case *c = &s->of[i];
        cases += case_cut(c);
        cut += c->cut;
        runs += case_total(c);
        if (case_cut(c) && !isnan(fractions_avoided(c))) {
            saved += fractions_avoided(c);
            saves = true;
        }
    }
    json_open(j, "stopping", '{');
    json_text(j, "mode", stopping_name(s->config.stop));
    json_flag(j, "active", active);
    json_count(j, "cases", cases);
    json_count(j, "runs_skipped", cut);
    json_count(j, "runs_planned", runs + cut);
    json_double(j, "cost_avoided", saves ? saved : NAN);
    json_close(j, '}');
}

/* Everything but the records, which the caller adds to the open list. */
static void put_head(struct json_out *j, const struct fractions *f,
                     const struct fractions_facts *facts)
{
    const struct suite *s = f->suite;
    json_open(j, NULL, '{');
    json_line(j);
    json_text(j, "created", facts->created);
    json_count(j, "runs", s->config.runs);
    json_line(j);
    put_config(j, &s->config);
    json_line(j);
    json_count(j, "exit_status", facts->status);
    json_line(j);
    put_totals(j, s);
    json_line(j);
    json_open(j, "rows", '[');
    for (size_t i = 0; i < s->n; i++)
        if (case_total(&s->of[i]) > 0)
            fractions_put_row(j, &s->of[i], &s->config);
    json_close(j, ']');
    json_line(j);
    json_open(j, "aggregates", '[');
    for (size_t i = 0; i < f->means->n; i++)
        fractions_put_aggregate(j, &f->means->of[i], &s->config);
    json_close(j, ']');
    json_line(j);
    if (f->comparisons) {
        comparisons_json(j, "comparisons", f->comparisons, &s->config);
    } else {
        json_open(j, "comparisons", '[');
        json_close(j, ']');
    }
    json_line(j);
    if (f->against)
        baseline_json(j, "baseline", f->against, &s->config);
    else
        json_null(j, "baseline");
    json_line(j);
    put_stopping(j, s, facts->stopping);
    json_line(j);
    json_open(j, "records", '[');
}

struct writing {
    int fd;
    const char *path;
    struct text *text;
    struct json_out j;
};

static int flush(struct writing *w, size_t keep, struct err *e)
{
    if (w->text->len <= keep)
        return 0;
    if (fdio_write_all(w->fd, text_str(w->text), w->text->len) < 0)
        return err_sys(e, "writing %s", w->path);
    text_clear(w->text);
    return 0;
}

static int put_record(void *to, const char *record, struct err *e)
{
    struct writing *w = to;
    json_line(&w->j);
    json_raw(&w->j, NULL, record);
    return flush(w, WRITTEN_AT_ONCE, e);
}

static int put_all(struct writing *w, const struct fractions *f,
                   const struct fractions_facts *facts, const struct records *records,
                   struct err *e)
{
    put_head(&w->j, f, facts);
    if (records && records->each(records->ctx, put_record, w, e) < 0)
        return -1;
    json_close(&w->j, ']');
    text_add(w->text, "\n}\n");
    return flush(w, 0, e);
}

int fractions_json_to(const struct fractions *f, const struct fractions_facts *facts,
                      const struct records *records, int fd, struct err *e)
{
    own_text struct text text = {0};
    struct writing w = {.fd = fd, .path = "the report", .text = &text, .j = {.to = &text}};
    return put_all(&w, f, facts, records, e);
}

int fractions_json_write(const struct fractions *f, const struct fractions_facts *facts,
                         const struct records *records, const char *path, struct err *e)
{
    own_replacement struct replacement r = REPLACEMENT_INIT;
    if (replacement_begin(path, FDIO_SHARED, &r, e) < 0 ||
        fractions_json_to(f, facts, records, r.fd, e) < 0)
        return -1;
    return replacement_finish(&r, e);
}
