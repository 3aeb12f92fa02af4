/* Templates: what libc writes in the place of the X is given back to the caller's own text. */
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/text.h"
#include "shim/way.h"
#include <stdlib.h>

#define LETTERS 6
#define MADE (FD_LAST | FD_NEW | FD_MAKES)

static void give_back(char *template, const char *path, int behind)
{
    size_t n = fd_text_len(template), made = fd_text_len(path);
    size_t letters = LETTERS + (behind > 0 ? (size_t)behind : 0);
    if (path != template && n >= letters && made >= letters)
        fd_copy(template + n - letters, path + made - letters, LETTERS);
}

#define TEMPLATE(name, params, args, behind)              \
    FD_EXPORT int name params                             \
    {                                                     \
        char *path = text;                                \
        FD_WAY(AT_FDCWD, path, MADE, #name);              \
        int ret = REAL(name) args;                        \
        give_back(text, path, behind);                    \
        return ret;                                       \
    }

TEMPLATE(mkstemp, (char *text), (path), 0)
TEMPLATE(mkstemp64, (char *text), (path), 0)
TEMPLATE(mkostemp, (char *text, int flags), (path, flags), 0)
TEMPLATE(mkostemp64, (char *text, int flags), (path, flags), 0)
TEMPLATE(mkstemps, (char *text, int behind), (path, behind), behind)
TEMPLATE(mkstemps64, (char *text, int behind), (path, behind), behind)
TEMPLATE(mkostemps, (char *text, int behind, int flags), (path, behind, flags), behind)
TEMPLATE(mkostemps64, (char *text, int behind, int flags), (path, behind, flags), behind)

FD_EXPORT char *mkdtemp(char *text)
{
    char *path = text;
    FD_WAY(AT_FDCWD, path, MADE, "mkdtemp");
    char *ret = REAL(mkdtemp)(path);
    give_back(text, path, 0);
    return ret ? text : NULL;
}

/* It says that it found no name by an empty text. */
FD_EXPORT char *mktemp(char *text)
{
    char *path = text;
    FD_WAY(AT_FDCWD, path, FD_LAST | FD_NEW, "mktemp");
    (void)REAL(mktemp)(path);
    give_back(text, path, 0);
    if (!*path)
        *text = 0;
    return text;
}

/* libc's own opens /tmp where no hook sees it; that matters only if /tmp is mapped. */
static FILE *temporary(FILE *(*real)(void))
{
    const char *path = "/tmp";
    FD_WAY(AT_FDCWD, path, FD_FOLLOW, "tmpfile");
    if (!path_room)
        return real();
    char name[FD_WAY_ROOM];
    struct fd_line l = {name, sizeof name, 0};
    fd_line_text(&l, path);
    fd_line_text(&l, "/tmpfXXXXXX");
    int fd = REAL(mkostemp)(name, O_CLOEXEC);
    if (fd >= 0)
        (void)FD_SYS3(SYS_unlinkat, AT_FDCWD, name, 0);
    return fd < 0 ? NULL : fdopen(fd, "w+");
}

FD_EXPORT FILE *tmpfile(void)
{
    return temporary(REAL(tmpfile));
}

FD_EXPORT FILE *tmpfile64(void)
{
    return temporary(REAL(tmpfile64));
}
