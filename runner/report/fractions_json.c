#include "report/fractions_json.h"

#include "base/fdio.h"
#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>

#define WRITTEN_AT_ONCE ((size_t)64 << 10)

static void put_usages(struct json_out *j, const struct usages *u)
{
    json_open(j, "usage", '{');
    for (size_t i = 0; i < u->n; i++) {
        json_open(j, u->of[i].model, '{');
        json_count(j, "input_tokens", u->of[i].input);
        json_count(j, "output_tokens", u->of[i].output);
        json_count(j, "cached_input_tokens", u->of[i].cached);
        json_double(j, "cost", u->of[i].cost);
        json_close(j, '}');
    }
    json_close(j, '}');
}

static void put_prior(struct json_out *j, double a, double b)
{
    json_open(j, "prior", '[');
    json_double(j, NULL, a);
    json_double(j, NULL, b);
    json_close(j, ']');
}

static double percent_of(int64_t passes, int64_t runs)
{
    return runs > 0 ? 100.0 * (double)passes / (double)runs : 0;
}

static void put_config(struct json_out *j, const struct sample_config *c)
{
    json_open(j, "stats_config", '{');
    json_text(j, "method", method_name(c->method));
    json_double(j, "level", c->confidence);
    put_prior(j, c->prior.a, c->prior.b);
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
    json_double(j, "pass_rate", percent_of(passes, passes + fails + errors));
    json_double(j, "cost", cost);
    put_usages(j, &usages);
    json_close(j, '}');
    usages_done(&usages);
}

static void put_gate(struct json_out *j, const struct sample_case *c,
                     const struct sample_config *config)
{
    struct rate_judged r;
    struct gate_rule g = rule_gate(&c->rule, config);
    bool count = c->rule.bar == BAR_COUNT, sequential = rule_sequential(&c->rule, config);
    if (c->rule.bar == BAR_NONE) {
        json_null(j, "gate");
        return;
    }
    case_judge_rate(c, config, &r);
    json_open(j, "gate", '{');
    json_text(j, "rule", count ? "count" : "rate");
    if (count)
        json_count(j, "min_passes", c->rule.min_passes);
    else
        json_double(j, "min_rate", c->rule.min_rate);
    json_double(j, "confidence", c->rule.confidence);
    json_text(j, "method", r.shown.method);
    put_prior(j, sequential ? g.a : c->rule.prior.a, sequential ? g.b : c->rule.prior.b);
    json_text(j, "errors", config->errors_excluded ? "exclude" : "count");
    json_count(j, "runs", c->rule.runs);
    json_count(j, "passes", r.passes);
    json_count(j, "total", r.total);
    json_count(j, "excluded", r.excluded);
    json_double(j, "low", r.shown.ends.low);
    json_double(j, "high", r.shown.ends.high);
    json_text(j, "verdict", verdict_word(r.verdict));
    json_close(j, '}');
}

static void put_rank(struct json_out *j, int64_t rank)
{
    if (rank > 0)
        json_count(j, NULL, rank);
    else
        json_null(j, NULL);
}

static void put_latency(struct json_out *j, const struct sample_case *c,
                        const struct sample_config *config)
{
    struct latency_judged l;
    case_judge_latency(c, config, &l);
    json_open(j, "latency", '{');
    json_double(j, "quantile", c->rule.latency_quantile);
    json_count(j, "total", l.total);
    json_count(j, "excluded", l.excluded);
    json_double(j, "estimate", l.estimate);
    json_open(j, "ci", '{');
    json_text(j, "method", "order-statistic");
    json_double(j, "level", c->rule.confidence);
    json_double(j, "low", l.low);
    json_double(j, "high", l.high);
    json_open(j, "ranks", '[');
    put_rank(j, l.ranks.low);
    put_rank(j, l.ranks.high);
    json_close(j, ']');
    json_double(j, "coverage", l.ranks.coverage);
    json_close(j, '}');
    json_count(j, "min_runs", l.min_runs);
    json_double(j, "max_latency", c->rule.max_latency);
    json_text(j, "verdict", l.verdict == GATE_OPEN ? NULL : verdict_word(l.verdict));
    json_close(j, '}');
}

/* What the runs that were left out would have cost; NaN where no cost was recorded. */
static double avoided(const struct sample_case *c)
{
    int64_t runs = case_total(c);
    return c->costs && runs > 0 ? c->cost / (double)runs * (double)c->cut : NAN;
}

static void put_stopped(struct json_out *j, const struct sample_case *c,
                        const struct sample_config *config)
{
    struct rate_judged r;
    if (!case_cut(c)) {
        json_null(j, "stopped");
        return;
    }
    case_judge_rate(c, config, &r);
    json_open(j, "stopped", '{');
    json_count(j, "after", case_total(c));
    json_count(j, "planned", case_total(c) + c->cut);
    json_count(j, "skipped", c->cut);
    json_text(j, "verdict", verdict_word(r.verdict));
    json_double(j, "cost_avoided", avoided(c));
    json_close(j, '}');
}

static void put_row_metrics(struct json_out *j, const struct sample_case *c,
                            const struct sample_config *config)
{
    json_open(j, "metrics", '{');
    for (size_t k = 0; k < config->metrics; k++) {
        char name[32];
        metric_name(&config->metric[k], name, sizeof name);
        json_double(j, name, case_metric(c, &config->metric[k]));
    }
    json_close(j, '}');
}

static void put_row(struct json_out *j, const struct sample_case *c,
                    const struct sample_config *config)
{
    struct shown_interval i = case_interval(c, config);
    json_line(j);
    json_open(j, NULL, '{');
    json_text(j, "case", c->name);
    json_text(j, "label", c->function);
    json_text(j, "nodeid", c->nodeid);
    json_count(j, "passes", c->pass);
    json_count(j, "fails", c->fail);
    json_count(j, "errors", c->error);
    json_count(j, "total", case_total(c));
    json_double(j, "pass_rate", percent_of(c->pass, case_total(c)));
    json_text(j, "status", case_status_word(case_status(c)));
    json_open(j, "ci", '{');
    json_text(j, "method", i.method);
    json_double(j, "level", i.level);
    json_double(j, "low", i.ends.low);
    json_double(j, "high", i.ends.high);
    json_close(j, '}');
    put_gate(j, c, config);
    put_latency(j, c, config);
    json_double(j, "cost", c->cost);
    put_usages(j, &c->usages);
    put_row_metrics(j, c, config);
    put_stopped(j, c, config);
    json_close(j, '}');
}

static void put_interval(struct json_out *j, const char *key, const char *method,
                         struct interval ends, const struct sample_config *config)
{
    if (isnan(ends.low)) {
        json_null(j, key);
        return;
    }
    json_open(j, key, '{');
    json_text(j, "method", method);
    json_double(j, "level", config->confidence);
    json_double(j, "low", ends.low);
    json_double(j, "high", ends.high);
    json_close(j, '}');
}

static void put_mean(struct json_out *j, const struct mean_of *m,
                     const struct sample_config *config)
{
    own_mem char *suppressed = suppressed_words(m, config);
    json_double(j, "estimate", m->estimate);
    put_interval(j, "ci", "bootstrap", m->ends, config);
    put_interval(j, "normal_ci", "normal", m->normal, config);
    json_text(j, "variant", m->why != SUPPRESSED_NOT ? NULL : m->bca ? "bca" : "percentile");
    json_text(j, "suppressed", suppressed);
    json_count(j, "stopped", (int64_t)m->stopped);
}

static void put_aggregate(struct json_out *j, const struct aggregate *a,
                          const struct sample_config *config)
{
    json_line(j);
    json_open(j, NULL, '{');
    json_text(j, "scope", a->overall ? "overall" : "function");
    json_text(j, "name", a->name);
    json_count(j, "inputs", (int64_t)a->mean.inputs);
    json_open(j, "runs", '{');
    json_count(j, "min", a->runs_least);
    json_double(j, "mean", a->runs_mean);
    json_count(j, "max", a->runs_most);
    json_close(j, '}');
    put_mean(j, &a->mean, config);
    json_count(j, "resamples", config->resamples);
    json_count(j, "seed", (int64_t)config->seed);
    json_text(j, "resampling_unit", "input");
    json_text(j, "note", a->mean.why == SUPPRESSED_NOT && a->mean.inputs < AGGREGATE_FEW
                             ? "inputs treated as a sample; from so few the interval covers less "
                               "than its level"
                             : "inputs treated as a sample");
    json_double(j, "icc", a->icc);
    json_double(j, "width_factor", a->width_factor);
    json_open(j, "metrics", '{');
    for (size_t k = 0; k < config->metrics; k++) {
        char name[32];
        metric_name(&config->metric[k], name, sizeof name);
        json_open(j, name, '{');
        json_count(j, "k", config->metric[k].k);
        json_count(j, "inputs", (int64_t)a->metric[k].inputs);
        json_count(j, "left_out", (int64_t)a->left_out[k]);
        put_mean(j, &a->metric[k], config);
        json_close(j, '}');
    }
    json_close(j, '}');
    json_close(j, '}');
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
        if (case_cut(c) && !isnan(avoided(c))) {
            saved += avoided(c);
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
            put_row(j, &s->of[i], &s->config);
    json_close(j, ']');
    json_line(j);
    json_open(j, "aggregates", '[');
    for (size_t i = 0; i < f->means->n; i++)
        put_aggregate(j, &f->means->of[i], &s->config);
    json_close(j, ']');
    json_line(j);
    json_open(j, "comparisons", '[');
    json_close(j, ']');
    json_line(j);
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
    if (flush(w, 0, e) < 0)
        return -1;
    return fsync(w->fd) < 0 ? err_sys(e, "writing %s", w->path) : 0;
}

int fractions_json_write(const struct fractions *f, const struct fractions_facts *facts,
                         const struct records *records, const char *path, struct err *e)
{
    own_text struct text text = {0}, beside = {0};
    if (fdio_make_parents(path, e) < 0)
        return -1;
    text_addf(&beside, "%s.%d.tmp", path, (int)getpid());
    own_fd int fd = open(beside.at, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_sys(e, "writing %s", path);
    struct writing w = {.fd = fd, .path = path, .text = &text, .j = {.to = &text}};
    if (put_all(&w, f, facts, records, e) < 0 ||
        (rename(beside.at, path) < 0 && err_sys(e, "writing %s", path))) {
        unlink(beside.at);
        return -1;
    }
    return 0;
}
