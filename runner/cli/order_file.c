#include "cli/order_file.h"

#include "base/fdio.h"
#include "base/own.h"

#include <string.h>

#define FILE_MAX ((size_t)64 << 20)

static int refuse(struct err *e, const char *path, size_t line, const char *why)
{
    err_set(e, ERR_USAGE, "--order-file %s, line %zu: %s", path, line, why);
    return err_hint(e, "it holds one node id a line, such as tests/test_a.py::test_x, in the order "
                       "in which the tests ran");
}

static int take_line(const char *path, size_t n, const char *id, struct argv *out, struct err *e)
{
    for (const char *c = id; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return refuse(e, path, n, "there is a control character in it");
    if (id[0] == '-' || (!strstr(id, "::") && !strchr(id, '/') && !strchr(id, '.')))
        return refuse(e, path, n, "that is no node id");
    argv_add(out, id);
    return 0;
}

int order_read(const char *path, const char *target, struct argv *ret_before, struct err *e)
{
    own_text struct text all = {0};
    own_argv struct argv ids = {0};
    size_t n = 0;
    if (fdio_read_file(path, FILE_MAX, &all, e) < 0)
        return err_hint(e, "name a file with one node id a line after --order-file");
    if (all.len != strlen(text_str(&all)))
        return refuse(e, path, 1, "it is no text: there is a NUL byte in it");
    char *rest = all.at;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        n++;
        if (target && strcmp(line, target) == 0)
            break;
        if (*line && take_line(path, n, line, &ids, e) < 0)
            return -1;
    }
    argv_copy(ret_before, &ids);
    return 0;
}
