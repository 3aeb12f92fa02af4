#include "scripted.h"

#include "base/clock.h"
#include "model/before.h"

#include <stdio.h>
#include <string.h>

uint64_t scripted_random(struct scripted *s)
{
    uint64_t z = s->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double scripted_uniform(struct scripted *s)
{
    return (double)(scripted_random(s) >> 11) * 0x1p-53;
}

/* FNV-1a, finished once more so that small numbers spread. */
bool scripted_hit(const char *value, double p)
{
    struct scripted s = {.state = UINT64_C(0xcbf29ce484222325)};
    for (; *value; value++)
        s.state = (s.state ^ (unsigned char)*value) * UINT64_C(0x100000001b3);
    return scripted_uniform(&s) < p;
}

bool rule_coin(struct scripted *s, const struct trial *t)
{
    (void)t;
    return scripted_uniform(s) < s->p;
}

bool rule_counter_parity(struct scripted *s, const struct trial *t)
{
    (void)t;
    return s->counter % 2 == 0;
}

bool rule_pid_parity(struct scripted *s, const struct trial *t)
{
    (void)t;
    return s->pid % 2 == 0;
}

/* Long runs of one outcome: it changes with chance p after each trial. */
bool rule_runs(struct scripted *s, const struct trial *t)
{
    (void)t;
    if (scripted_uniform(s) < s->p)
        s->sticky = !s->sticky;
    return s->sticky;
}

bool rule_hashseed(struct scripted *s, const struct trial *t)
{
    return scripted_hit(t->at.value[FD_AXIS_HASHSEED], s->p);
}

bool rule_rng(struct scripted *s, const struct trial *t)
{
    return scripted_hit(t->at.value[FD_AXIS_RNG], s->p);
}

bool rule_rng_often(struct scripted *s, const struct trial *t)
{
    return scripted_hit(t->at.value[FD_AXIS_RNG], s->p) && scripted_uniform(s) < 0.9;
}

bool rule_hashseed_and_rng(struct scripted *s, const struct trial *t)
{
    return scripted_hit(t->at.value[FD_AXIS_HASHSEED], s->p) &&
           scripted_hit(t->at.value[FD_AXIS_RNG], s->p);
}

bool rule_time_value(struct scripted *s, const struct trial *t)
{
    return setting_holds(&t->at, FD_AXIS_TIME) && t->at.value[FD_AXIS_TIME][0] == 'v' &&
           scripted_hit(t->at.value[FD_AXIS_TIME], s->p);
}

bool rule_always(struct scripted *s, const struct trial *t)
{
    (void)s;
    (void)t;
    return true;
}

bool rule_never(struct scripted *s, const struct trial *t)
{
    (void)s;
    (void)t;
    return false;
}

/* Fails as things are, passes at an earlier date. */
bool rule_always_now(struct scripted *s, const struct trial *t)
{
    (void)s;
    return !(setting_holds(&t->at, FD_AXIS_TIME) && t->at.value[FD_AXIS_TIME][0] == 'e');
}

bool scripted_after(const struct trial *t, size_t n)
{
    struct before b;
    struct err ignored;
    if (!setting_holds(&t->at, FD_AXIS_ORDER) ||
        before_parse(t->at.value[FD_AXIS_ORDER], &b, &ignored) < 0)
        return false;
    for (size_t i = 0; i < b.n; i++)
        if (b.range[i].first <= n && n <= b.range[i].last)
            return true;
    return false;
}

static bool after_all(const struct scripted *s, const struct trial *t)
{
    bool all = true;
    for (size_t i = 0; i < s->needed; i++)
        all &= scripted_after(t, s->needs[i]);
    return all;
}

bool rule_polluted(struct scripted *s, const struct trial *t)
{
    return after_all(s, t);
}

bool rule_polluted_and_cleaned(struct scripted *s, const struct trial *t)
{
    return after_all(s, t) && !scripted_after(t, s->needs[0] + 1);
}

bool rule_brittle(struct scripted *s, const struct trial *t)
{
    return !after_all(s, t);
}

bool rule_second_time(struct scripted *s, const struct trial *t)
{
    (void)s;
    return strcmp(t->at.value[FD_AXIS_ORDER], "self") == 0;
}

bool rule_polluted_by_hashseed(struct scripted *s, const struct trial *t)
{
    return after_all(s, t) && rule_hashseed(s, t);
}

bool rule_polluted_coin(struct scripted *s, const struct trial *t)
{
    return after_all(s, t) && rule_coin(s, t);
}

bool rule_lost_race(struct scripted *s, const struct trial *t)
{
    unsigned n = 1;
    (void)sscanf(t->at.value[FD_AXIS_WORKERS], "copies:%u", &n);
    return n > 1 && scripted_uniform(s) < s->p;
}

bool rule_time_and_network(struct scripted *s, const struct trial *t)
{
    return rule_time_value(s, t) && setting_holds(&t->at, FD_AXIS_NETWORK) &&
           scripted_hit(t->at.value[FD_AXIS_NETWORK], s->p);
}

bool rule_polluted_at_a_time(struct scripted *s, const struct trial *t)
{
    return after_all(s, t) && rule_time_value(s, t);
}

static int before(struct source *base, enum before_level level, size_t *ret_n, struct err *e)
{
    const struct scripted *s = (struct scripted *)base;
    (void)e;
    *ret_n = 0;
    for (int i = 0; i <= (int)level; i++)
        *ret_n = s->before[i] ? s->before[i] : *ret_n;
    return 0;
}

/* Several copies are several questions; the trial fails if one does. */
static bool ask(struct scripted *s, const struct trial *t, struct outcome *o)
{
    unsigned n = 1;
    bool any = false;
    (void)sscanf(t->at.value[FD_AXIS_WORKERS], "copies:%u", &n);
    for (unsigned i = 0; i < n; i++) {
        s->counter++;
        s->pid++;
        bool fails = s->fails(s, t);
        any |= fails;
        outcome_tally(o, fails ? OUTCOME_FAIL : OUTCOME_PASS);
    }
    return any;
}

static void answer(struct scripted *s, const struct trial *t, struct outcome *o)
{
    char key[SETTING_VALUE_MAX];
    snprintf(key, sizeof key, "%.40s/%.40s", t->at.value[FD_AXIS_ADDRESS],
             t->at.value[FD_AXIS_HASHSEED]);
    s->trials++;
    s->pid += t->spare;
    *o = (struct outcome){.kind = OUTCOME_PASS, .tier = t->tier, .instant_ns = s->now_ns + 1};
    o->took_ns = t->tier == TIER_FRESH ? 240 * NS_PER_MS : 5 * NS_PER_MS;
    for (size_t i = 0; i < s->before[BEFORE_FILE] && s->before_ns; i++)
        o->took_ns += scripted_after(t, i) ? s->before_ns : 0;
    if (t->tier == TIER_WARM && strcmp(key, s->key) != 0) {
        text_copy(s->key, sizeof s->key, key);
        s->now_ns += 250 * NS_PER_MS;
        s->pid++;
    }
    s->now_ns += o->took_ns;
    o->touched[FD_AXIS_RNG] = o->touched[FD_AXIS_TIME] = o->touched[FD_AXIS_LISTING] = 1;
    o->touched[FD_AXIS_NETWORK] = s->network;
    o->touched[FD_AXIS_WORKERS] = s->shared;
    o->clock_reads = 4;
    bool fails = ask(s, t, o);
    if (s->warm_differs && t->tier == TIER_WARM)
        fails = false;
    if (fails) {
        o->kind = OUTCOME_FAIL;
        text_copy(o->print.phase, sizeof o->print.phase, "call");
        text_copy(o->print.type, sizeof o->print.type, s->type);
        text_copy(o->print.site, sizeof o->print.site, "test_x.py:3");
    }
}

static int run(struct source *base, const struct trial *batch, size_t n, struct outcome *ret,
               struct err *e)
{
    (void)e;
    for (size_t i = 0; i < n; i++)
        answer((struct scripted *)base, &batch[i], &ret[i]);
    return 0;
}

static int64_t now_ns(struct source *base)
{
    return ((struct scripted *)base)->now_ns;
}

static bool draw(struct source *base, enum fd_axis a, uint64_t seed, char *ret_value)
{
    (void)base;
    if (a != FD_AXIS_ADDRESS && a != FD_AXIS_HASHSEED && a != FD_AXIS_RNG && a != FD_AXIS_LISTING)
        return false;
    uint64_t z = (seed ^ (uint64_t)a << 56) * UINT64_C(0x9e3779b97f4a7c15);
    snprintf(ret_value, SETTING_VALUE_MAX, "%u", (unsigned)((z ^ z >> 32) % 99991));
    return true;
}

static bool recorded(struct source *base, enum fd_axis a, const struct outcome *o, char *ret_value)
{
    (void)base;
    if (a == FD_AXIS_ORDER) {
        snprintf(ret_value, SETTING_VALUE_MAX, "alone");
        return true;
    }
    if (a != FD_AXIS_TIME)
        return false;
    snprintf(ret_value, SETTING_VALUE_MAX, "now%lld", (long long)o->instant_ns);
    return true;
}

static bool provoke(struct source *base, enum fd_axis a, const struct outcome *seen, size_t nth,
                    char *ret_value)
{
    (void)seen;
    if (a == FD_AXIS_ORDER)
        return false;
    if (a == FD_AXIS_WORKERS) {
        static const unsigned copies[] = {4, 2, 8};
        if (nth < 3)
            snprintf(ret_value, SETTING_VALUE_MAX, "copies:%u", copies[nth]);
        return nth < 3;
    }
    if (nth >= (a == FD_AXIS_TIME ? ((struct scripted *)base)->time_values : 100))
        return false;
    snprintf(ret_value, SETTING_VALUE_MAX, a == FD_AXIS_TIME ? "v%zu" : "%zu", nth);
    return true;
}

static bool benign(struct source *base, enum fd_axis a, const struct outcome *seen,
                   const char *failing, size_t nth, char *ret_value)
{
    (void)base;
    (void)seen;
    if (a == FD_AXIS_ORDER) {
        text_copy(ret_value, SETTING_VALUE_MAX, "alone");
        return failing && nth == 0;
    }
    if (a == FD_AXIS_WORKERS) {
        text_copy(ret_value, SETTING_VALUE_MAX, "copies:1");
        return nth == 0;
    }
    if (nth >= 8)
        return false;
    if (a == FD_AXIS_TIME)
        snprintf(ret_value, SETTING_VALUE_MAX, "%s%zu", failing ? "near" : "earlier", nth);
    else
        snprintf(ret_value, SETTING_VALUE_MAX, "%zu", nth);
    return true;
}

static bool plainer(struct source *base, enum fd_axis a, const struct outcome *seen,
                    const char *failing, size_t nth, char *ret_value)
{
    (void)base;
    (void)a;
    (void)seen;
    (void)failing;
    (void)nth;
    (void)ret_value;
    return false;
}

static bool requirement(struct source *base, enum fd_axis a, const char *value)
{
    (void)value;
    return ((struct scripted *)base)->demanding && (a == FD_AXIS_RNG || a == FD_AXIS_NETWORK);
}

static const struct source_ops ops = {
    .run = run,
    .now_ns = now_ns,
    .draw = draw,
    .recorded = recorded,
    .before = before,
    .provoke = provoke,
    .benign = benign,
    .plainer = plainer,
    .requirement = requirement,
};

void scripted_init(struct scripted *s, rule *fails, double p, uint64_t seed)
{
    *s = (struct scripted){
        .fails = fails, .p = p, .state = seed, .time_values = 120, .type = "AssertionError"};
    s->base = (struct source){.ops = &ops,
                              .axes = AXES_ALL,
                              .at_start = axis_bit(FD_AXIS_ADDRESS) | axis_bit(FD_AXIS_HASHSEED),
                              .hooked = AXES_ALL & ~axis_bit(FD_AXIS_ADDRESS) &
                                        ~axis_bit(FD_AXIS_HASHSEED) & ~axis_bit(FD_AXIS_ORDER),
                              .faces = axis_bit(FD_AXIS_WORKERS),
                              .jobs = 1,
                              .warm_ns = 5 * NS_PER_MS,
                              .fresh_ns = 240 * NS_PER_MS};
    s->pid = scripted_random(s) % 30000;
    s->counter = scripted_random(s) % 2;
    s->sticky = scripted_random(s) % 2;
}
