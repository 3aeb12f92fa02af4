#include "report/fractions_impl.h"

#include "base/own.h"

#include <math.h>

enum { NAME, METRIC, INPUTS, MEAN, LOW, HIGH, CLOSE, NOTE, COLUMNS_ALL };
static const struct column columns[COLUMNS_ALL] = {
    [NAME] = {"  ", false}, [METRIC] = {"  ", false}, [INPUTS] = {"  ", false},
    [MEAN] = {"  ", true},  [LOW] = {"  [", true},    [HIGH] = {", ", true},
    [CLOSE] = {"", false},  [NOTE] = {"  ", false},
};

static void add_note(const char *note, struct text *notes)
{
    if (*note)
        text_addf(notes, "%s%s", notes->len ? "  " : "", note);
}

static void notes_of(const struct aggregate *a, size_t k, const struct sample_config *config,
                     struct text *out)
{
    const struct mean_of *m = &a->metric[k];
    own_text struct text cover = {0}, left = {0}, why = {0};
    own_mem char *suppressed = suppressed_words(m, config);
    if (m->stopped > 0)
        text_addf(&why, "hidden: %zu case%s stopped early", m->stopped, m->stopped == 1 ? "" : "s");
    else if (m->why == SUPPRESSED_ALIKE)
        text_addf(&why, "no interval: %s", suppressed);
    if (a->left_out[k] > 0)
        text_addf(&left, "%zu left out (fewer than %lld runs)", a->left_out[k],
                  (long long)config->metric[k].k);
    cover_words(m, config, &cover);
    add_note(text_str(&why), out);
    add_note(text_str(&left), out);
    add_note(text_str(&cover), out);
}

static void metric_row(struct table *t, const struct aggregate *a, size_t k,
                       const struct sample_config *config)
{
    const struct mean_of *m = &a->metric[k];
    own_text struct text inputs = {0}, mean = {0}, notes = {0};
    char name[32];
    table_row(t, PAINT_NONE);
    table_cell(t, NAME, k == 0 ? a->name : "");
    metric_name(&config->metric[k], name, sizeof name);
    table_cell(t, METRIC, name);
    inputs_words(m->inputs, &inputs);
    table_cell(t, INPUTS, text_str(&inputs));
    if (m->inputs > 0 && m->stopped == 0) {
        bound_words(m->estimate, 1, NAN, &mean);
        table_cell(t, MEAN, text_str(&mean));
    }
    if (m->why == SUPPRESSED_NOT) {
        struct ends e = {m->ends.low, m->ends.high, 1, NAN, false};
        ends_cells(t, LOW, &e, "]");
    }
    notes_of(a, k, config, &notes);
    table_cell(t, NOTE, text_str(&notes));
}

void fractions_metrics(const struct fractions *f, const struct style *s, struct text *out)
{
    own_table struct table t = {.column = columns, .columns = COLUMNS_ALL};
    const struct sample_config *config = &f->suite->config;
    bool hat = false, at = false;
    for (size_t i = 0; i < f->means->n; i++)
        for (size_t k = 0; k < config->metrics; k++)
            if (!(f->means->of[i].overall && f->means->n == 2))
                metric_row(&t, &f->means->of[i], k, config);
    if (t.rows == 0)
        return;
    table_print(&t, s, out);
    for (size_t k = 0; k < config->metrics; k++) {
        hat = hat || config->metric[k].hat;
        at = at || !config->metric[k].hat;
    }
    text_addc(out, '\n');
    if (hat)
        text_add(out, "  pass^k: how often k runs of one input would all pass\n");
    if (at)
        text_add(out, "  pass@k: how often at least one of k runs of one input would pass\n");
}
