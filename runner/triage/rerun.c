#include "triage/rerun.h"

#include <stdlib.h>

void rerun_done(struct rerun *r)
{
    free(r->status);
    free(r->reason);
    free(r->command);
    free(r->blob);
    free(r->look_at);
    for (size_t i = 0; i < r->causes; i++) {
        free(r->cause[i].axis);
        free(r->cause[i].value);
        free(r->cause[i].passes);
        argv_done(&r->cause[i].tests);
    }
    for (size_t i = 0; i < r->kinds; i++) {
        free(r->kind[i].type);
        free(r->kind[i].site);
        free(r->kind[i].message);
    }
    *r = (struct rerun){0};
}
