#ifndef SAMPLES_H
#define SAMPLES_H
/* Sessions put together by hand, for the tests of what is made of them. */
#include <math.h>

#include "base/own.h"
#include "base/text.h"
#include "sample/suite.h"

struct ran {
    int64_t pass, fail, error;
};

/* Options in pairs: "errors", "exclude". */
static inline void samples_begin(struct suite *s, const char *const *options, size_t n)
{
    struct sample_option option[8];
    struct err e = {0};
    *s = (struct suite){0};
    for (size_t i = 0; i + 1 < n; i += 2)
        option[i / 2] = (struct sample_option){options[i], options[i + 1], options[i]};
    if (sample_config_read(option, n / 2, &s->config, &e) < 0)
        CHECK_SAY("%s", e.what);
}
#define SAMPLES(s, ...)                                                                            \
    own_suite struct suite s;                                                                      \
    const char *const s##_options[] = {"seed", "0", ##__VA_ARGS__};                                \
    samples_begin(&s, s##_options, sizeof s##_options / sizeof s##_options[0])

/* A case of the function with parameters "text=refund,style=terse". The pointer is good until the
 * next. */
static inline struct sample_case *samples_case(struct suite *s, const char *function,
                                               const char *parameters, struct ran ran)
{
    struct sample_case c = {
        .function = str_or_die(function), .pass = ran.pass, .fail = ran.fail, .error = ran.error};
    struct err e = {0};
    own_text struct text name = {0}, input = {0};
    own_mem char *list = str_or_die(parameters);
    for (char *rest = list, *one; (one = strsep(&rest, ",")) && *one;) {
        char *value = strchr(one, '=');
        *value++ = '\0';
        c.parameter = mem_grow_or_die(c.parameter, (c.parameters + 1) * sizeof *c.parameter);
        c.parameter[c.parameters++] = (struct parameter){str_or_die(one), str_or_die(value)};
        text_addf(&input, "%s%s", input.len ? "-" : "", value);
    }
    text_addf(&name, "%s%s%s", function, input.len ? "::" : "", text_str(&input));
    c.name = text_take(&name);
    c.input = text_take(&input);
    c.nodeid = str_or_die("");
    c.file = str_or_die("");
    if (mark_rule(NULL, 0, &s->config, &c.rule, &e) < 0)
        CHECK_SAY("%s", e.what);
    return suite_add(s, &c);
}

/* What the function's own mark asks for; NaN: no margin. */
static inline void samples_compare(struct suite *s, const char *function, const char *axis,
                                   double margin)
{
    struct compare_rule *r = &suite_function(s, function)->compare;
    r->axis = str_or_die(axis);
    r->margin = margin;
}

#endif
