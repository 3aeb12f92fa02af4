#include "exec/load.h"

#include <stdlib.h>
#include <unistd.h>

int load_start(struct load *l, unsigned n, struct err *e)
{
    own_argv struct argv argv = {0}, env = {0};
    load_done(l);
    if (n == 0)
        return 0;
    argv_add(&argv, "/bin/sh");
    argv_add(&argv, "-c");
    argv_add(&argv, "while :; do :; done");
    for (char **v = environ; *v; v++)
        argv_add(&env, *v);
    const struct spawn how = {.argv = &argv, .env = &env, .keep_fd = -1};
    l->at = mem_or_die(n * sizeof *l->at);
    for (; l->n < n; l->n++) {
        l->at[l->n] = CHILD_NONE;
        if (child_spawn(&how, &l->at[l->n], e) < 0) {
            load_done(l);
            return err_while(e, "putting load on the machine");
        }
    }
    return 0;
}

void load_done(struct load *l)
{
    for (unsigned i = 0; i < l->n; i++)
        child_done(&l->at[i]);
    free(l->at);
    *l = (struct load){0};
}
