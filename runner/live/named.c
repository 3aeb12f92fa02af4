/* Numbers of tests as the search knows them, told by name. */
#include "live/named.h"

#include "base/own.h"
#include "model/before.h"

#include <string.h>

static void in_words(const char *value, struct text *out)
{
    struct before b;
    struct err ignored;
    if (before_parse(value, &b, &ignored) < 0)
        text_add(out, value);
    else if (b.self)
        text_add(out, "a second time");
    else if (b.n == 0)
        text_add(out, "alone");
    else
        text_addf(out, "after %zu test%s", before_count(&b), before_count(&b) == 1 ? "" : "s");
}

static void rename_value(char *value, size_t size)
{
    own_text struct text t = {0};
    in_words(value, &t);
    text_copy(value, size, text_str(&t));
}

/* "…,order=3+7,…": the part of a setting's text. */
void named_part(char *text, size_t size)
{
    char *at = strstr(text, "order=");
    if (!at || (at > text && at[-1] != ','))
        return;
    at += strlen("order=");
    own_text struct text value = {0}, all = {0};
    text_addn(&value, at, strcspn(at, ","));
    text_addn(&all, text, (size_t)(at - text));
    in_words(text_str(&value), &all);
    text_add(&all, at + value.len);
    text_copy(text, size, text_str(&all));
}

void named_tests(const struct target *t, struct finding *f)
{
    for (size_t i = 0; i < f->evidence.n; i++) {
        struct row *r = &f->evidence.at[i];
        if (r->has_axis && r->axis == FD_AXIS_ORDER)
            rename_value(r->value, sizeof r->value);
        else
            named_part(r->value, sizeof r->value);
    }
    named_part(f->counterfactual.value, sizeof f->counterfactual.value);
    for (size_t i = 0; i < f->causes; i++) {
        struct cause *c = &f->cause[i];
        struct before b;
        struct err ignored;
        if (c->axis != FD_AXIS_ORDER)
            continue;
        if (before_parse(strcmp(c->value, "alone") == 0 ? c->benign : c->value, &b, &ignored) == 0)
            (void)before_list(&b, &t->before, t->nodeid, &c->tests, &ignored);
        rename_value(c->value, sizeof c->value);
        rename_value(c->benign, sizeof c->benign);
    }
}
