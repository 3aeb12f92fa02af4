#include "report/json.h"

#include "model/finding_json.h"

void report_json(const struct subject *s, size_t n, struct text *out)
{
    if (n == 1) {
        finding_json(s->target, s->finding, out);
        text_addc(out, '\n');
        return;
    }
    text_addf(out, "{\n\"format\": \"%s\",\n\"version\": %d,\n\"findings\": [", FINDING_FORMAT,
              FINDING_VERSION);
    for (size_t i = 0; i < n; i++) {
        text_add(out, i ? ",\n" : "\n");
        finding_json(s[i].target, s[i].finding, out);
    }
    text_add(out, "\n]\n}\n");
}
