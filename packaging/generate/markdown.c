#include "generate.h"

#include "cli/status.h"
#include "shim/wire.h"

void markdown_variables(struct text *out)
{
    text_add(out, "| variable | what it holds | values |\n|---|---|---|\n");
#define VARIABLE(name, holds, values) text_addf(out, "| `%s` | %s | %s |\n", name, holds, values);
#define FOREIGN                       VARIABLE
#include "shim/variables.def"
#undef VARIABLE
#undef FOREIGN
}

void markdown_statuses(struct text *out)
{
    text_add(out, "| exit status | |\n|---|---|\n");
    for (const struct status_row *r = status_rows; r->meaning; r++)
        text_addf(out, "| %d | %s |\n", r->number, r->meaning);
}
