#ifndef FR_EXEC_SLOT_H
#define FR_EXEC_SLOT_H
/* One of the pool's slots: at most one run is under way in it, fresh or warm, and it keeps its warm
 * process from run to run. The pool's own; others see struct pool alone. */
#include "exec/load.h"
#include "exec/page.h"
#include "exec/pool.h"

enum slot_state { SLOT_IDLE, SLOT_FRESH, SLOT_WARMING, SLOT_WARM };

struct slot {
    enum slot_state state;
    size_t job; /* index of the order under way */
    const struct order *order;
    struct warm warm;
    struct child fresh;
    struct load load; /* beside the run under way */
    struct text tail;
    struct page page;
    char folder[TRIAL_PATH_MAX];
    int64_t began_ns, deadline_ns;
    bool asked_stack, late;
    bool program; /* nobody in it listens to the signal that asks for a stack: it would be killed */
};

void slot_init(struct slot *s);
void slot_clear(struct slot *s); /* ends the run, removes its folder; the warm process stays */
void slot_done(struct slot *s);

int slot_start(struct pool *p, struct slot *s, const struct order *o, struct err *e);

/* 1: the order is done and *o says what it came to; 0: still under way; -1: error. */
int slot_step(struct pool *p, struct slot *s, struct outcome *o, struct err *e);

/* A fresh run that nobody ordered: started, and ended for what it is. */
int slot_start_raw(struct slot *s, const struct launch *l, int64_t limit_ns, struct err *e);
bool slot_past_deadline(struct slot *s, pid_t pid);
/* Whether that status is our doing. Where nobody listens to the signal that asks for a stack (not
 * yet, or not any more) it ends the process, and that is no crash of the test's. */
bool slot_ended_by_us(const struct slot *s, int status);
void slot_keep_words(struct pool *p, struct slot *s); /* its output and stacks, for the pool */

#endif
