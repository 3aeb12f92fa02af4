#ifndef FR_MODEL_RECIPE_H
#define FR_MODEL_RECIPE_H
/* How to make a process in which a setting holds: what the axes write and exec carries out. */
#include "base/argv.h"
#include "model/setting.h"

struct recipe {
    struct fd_settings page; /* what libfd.so is told */
    bool no_aslr;            /* without address space randomization, where the kernel allows that */
    /* With it: the soft limit of the stack, in bytes, or 0. Libraries lie below the room that is
     * left for the stack, so that this moves them. */
    uint64_t stack_limit;
    unsigned load;   /* busy processes beside it */
    bool fresh;      /* a process of its own, also where a warm one would do */
    bool twice;      /* run once before, on the same tree; what came of that does not count */
    struct argv env; /* "NAME=value" to set, "NAME" to remove; fixed at process start */
    char order[SETTING_VALUE_MAX]; /* which tests run before it (model/before.h), "" as "alone" */
    struct argv before;            /* their ids; filled in by who knows them */
};

static inline void recipe_done(struct recipe *r)
{
    argv_done(&r->env);
    argv_done(&r->before);
}
#define own_recipe __attribute__((cleanup(recipe_done)))

#endif
