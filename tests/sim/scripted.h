#ifndef SCRIPTED_H
#define SCRIPTED_H
/* The scripted source: trials answered from a rule, on a clock that only moves with them. */
#include "search/source.h"

struct scripted;
typedef bool rule(struct scripted *, const struct trial *); /* true: this trial fails */

struct scripted {
    struct source base;
    rule *fails;
    double p;         /* of the rule */
    uint64_t state;   /* its generator */
    uint64_t counter; /* trials so far */
    uint64_t pid;     /* of the last trial's process */
    bool sticky;      /* the rule's memory */
    int64_t now_ns;
    char key[SETTING_VALUE_MAX]; /* of the warm process, "" for none */
    unsigned time_values;        /* how many provoke() offers for the clock */
    const char *type;            /* exception type of the failures */
    bool warm_differs;           /* the rule is asked in fresh runs only: warm ones pass */
    unsigned trials;
    bool network;                /* the test touches it */
    bool shared;                 /* copies of the test meet: workers has values */
    bool demanding;              /* values of rng and of network say what a test needs */
    size_t before[BEFORE_LEVELS]; /* tests known with each level; 0: as the level before */
    int64_t before_ns;            /* what each of those that run before takes */
    size_t needs[4];             /* of the rules about order: numbers of the tests */
    size_t needed;
};

/* Whether the trial runs test number n before it. */
bool scripted_after(const struct trial *t, size_t n);

/* Warm runs cost 5 ms, fresh ones 240 ms, a new warm process 250 ms. */
void scripted_init(struct scripted *s, rule *fails, double p, uint64_t seed);
uint64_t scripted_random(struct scripted *s);
double scripted_uniform(struct scripted *s);
bool scripted_hit(const char *value, double p); /* p of all values, chosen by their text */

/* Rules that no axis decides. */
rule rule_coin, rule_counter_parity, rule_pid_parity, rule_runs;
/* Rules that an axis decides: p of its values fail. */
rule rule_hashseed, rule_rng, rule_hashseed_and_rng, rule_time_value, rule_always, rule_never,
    rule_always_now, rule_rng_often;
/* Rules about the tests before it: fails after all of `needs`; after them, but test 1 undoes the
 * others; alone, passes after them; the second time; after them with bad hash seeds. */
rule rule_polluted, rule_polluted_and_cleaned, rule_brittle, rule_second_time,
    rule_polluted_by_hashseed, rule_polluted_coin;
/* p of the clock's values with p of the network's: neither alone. */
rule rule_time_and_network, rule_polluted_at_a_time, rule_lost_race;

#endif
