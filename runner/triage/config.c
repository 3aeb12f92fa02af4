#include "triage/config.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int read_switch(const struct triage_option *o, const char *on, bool *ret, struct err *e)
{
    if (strcmp(o->value, on) == 0 || strcmp(o->value, "true") == 0)
        *ret = true;
    else if (strcmp(o->value, "off") == 0 || strcmp(o->value, "false") == 0)
        *ret = false;
    else
        return err_set(e, ERR_USAGE, "%s: \"%.40s\" is neither %s nor off", o->from, o->value, on);
    return 0;
}

static int read_budget(const struct triage_option *o, int64_t *ret, struct err *e)
{
    char *end = NULL;
    errno = 0;
    long long n = strtoll(o->value, &end, 10);
    if (!*o->value || *end || errno)
        return err_set(e, ERR_USAGE, "%s: \"%.40s\" is no whole number", o->from, o->value);
    if (n < 0)
        return err_set(e, ERR_USAGE, "%s must be 0 or more, not %s", o->from, o->value);
    *ret = n;
    return 0;
}

static int read_timeout(const struct triage_option *o, int64_t *ret, struct err *e)
{
    char *end = NULL;
    double seconds = strtod(o->value, &end);
    if (!*o->value || *end || isnan(seconds))
        return err_set(e, ERR_USAGE, "%s: \"%.40s\" is no number", o->from, o->value);
    if (!(seconds >= 0.001 && seconds <= 86400)) {
        err_set(e, ERR_USAGE, "%s must be more than 0 and at most 86400, not %s", o->from,
                o->value);
        return err_hint(e, "it is in seconds");
    }
    *ret = (int64_t)(seconds * (double)NS_PER_S);
    return 0;
}

static int read_evidence_budget(const struct triage_option *o, int64_t *ret, struct err *e)
{
    char *end = NULL;
    double seconds = strtod(o->value, &end);
    if (!*o->value || *end || isnan(seconds))
        return err_set(e, ERR_USAGE, "%s: \"%.40s\" is no number", o->from, o->value);
    if (!(seconds >= 0 && seconds <= 86400)) {
        err_set(e, ERR_USAGE, "%s must be between 0 and 86400, not %s", o->from, o->value);
        return err_hint(e, "it is in seconds, for all failed tests of a run together");
    }
    *ret = (int64_t)(seconds * (double)NS_PER_S);
    return 0;
}

static int take(const struct triage_option *o, struct triage_config *c, struct err *e)
{
    if (strcmp(o->name, "triage") == 0)
        return read_switch(o, "on", &c->triage, e);
    if (strcmp(o->name, "evidence") == 0)
        return read_switch(o, "on", &c->evidence, e);
    if (strcmp(o->name, "evidence-budget") == 0)
        return read_evidence_budget(o, &c->evidence_ns, e);
    if (strcmp(o->name, "redact") == 0)
        return read_switch(o, "strict", &c->redact, e);
    if (strcmp(o->name, "budget") == 0)
        return read_budget(o, &c->budget, e);
    if (strcmp(o->name, "timeout") == 0)
        return read_timeout(o, &c->timeout_ns, e);
    if (strcmp(o->name, "provider") == 0) {
        c->provider = *o->value ? o->value : NULL;
    } else if (strcmp(o->name, "report") == 0) {
        c->report = *o->value ? o->value : NULL;
        c->report_from = o->from;
    }
    return 0;
}

int triage_config_read(const struct triage_option *o, size_t n, struct triage_config *ret,
                       struct err *e)
{
    struct triage_config c = {.redact = true,
                              .budget = TRIAGE_BUDGET_DEFAULT,
                              .timeout_ns = TRIAGE_TIMEOUT_DEFAULT * NS_PER_S,
                              .evidence_ns = EVIDENCE_BUDGET_DEFAULT * NS_PER_S};
    for (size_t i = 0; i < n; i++)
        if (o[i].value && take(&o[i], &c, e) < 0)
            return -1;
    if ((c.triage || c.evidence) && !c.report) {
        c.report = TRIAGE_REPORT_DEFAULT;
        c.report_from = NULL;
    }
    *ret = c;
    return 0;
}
