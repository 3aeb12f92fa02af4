#include "cli/say.h"

#include "base/fdio.h"
#include "report/columns.h"

#include <errno.h>
#include <unistd.h>

int say_result(const struct text *t, struct err *e)
{
    if (fdio_write_all(STDOUT_FILENO, text_str(t), t->len) == 0 || errno == EPIPE)
        return 0;
    return err_sys(e, "writing the result to stdout");
}

void say_text(const struct text *t)
{
    (void)fdio_write_all(STDERR_FILENO, text_str(t), t->len);
}

void say_note(const char *fmt, ...)
{
    own_text struct text words = {0}, line = {0};
    va_list ap;
    va_start(ap, fmt);
    text_addv(&words, fmt, ap);
    va_end(ap);
    text_add(&line, "flaky-repro: ");
    columns_clean(text_str(&words), &line);
    text_addc(&line, '\n');
    say_text(&line);
}

enum status say_error(const struct err *e)
{
    say_note("%s", e->what);
    own_text struct text hint = {0};
    if (*e->hint) {
        text_add(&hint, "hint: ");
        columns_clean(e->hint, &hint);
        text_addc(&hint, '\n');
    } else if (e->kind == ERR_BUG) {
        text_add(&hint, "hint: this is a bug in flaky-repro; please report it with the line above "
                        "and what `flaky-repro env` prints\n");
    }
    say_text(&hint);
    return status_of_error(e->kind);
}
