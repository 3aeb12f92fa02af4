#include "shim/ambient.h"
#include "shim/live.h"
#include "shim/text.h"

struct fd_ambient fd_ambient;

/* Takes "//", "/./" and "/x/../" out of an absolute path. */
void fd_ambient_tidy(char *path)
{
    size_t to = 0;
    for (size_t at = 0; path[at];) {
        size_t n = 0;
        while (path[at] == '/')
            at++;
        while (path[at + n] && path[at + n] != '/')
            n++;
        bool up = n == 2 && path[at] == '.' && path[at + 1] == '.';
        if (up)
            while (to && path[--to] != '/')
                ;
        if (n && !up && !(n == 1 && path[at] == '.')) {
            path[to++] = '/';
            fd_move(path + to, path + at, n);
            to += n;
        }
        at += n;
    }
    path[to ? to : 1] = 0;
    path[0] = '/';
}

bool fd_ambient_start(const char *at_home, const char *stands)
{
    const struct fd_settings *set = &fd_live.page->settings;
    enum fd_fs held = fd_live_held(FD_AXIS_FS) ? (enum fd_fs)set->fs : FD_FS_REAL;
    const char *path = set->plant_path;
    struct fd_line h = {fd_ambient.home, sizeof fd_ambient.home, 0};
    struct fd_line s = {fd_ambient.stood, sizeof fd_ambient.stood, 0};
    struct fd_line w = {fd_ambient.wanted, sizeof fd_ambient.wanted, 0};
    fd_ambient.home[0] = fd_ambient.stood[0] = fd_ambient.wanted[0] = 0;
    fd_line_text(&h, *at_home == '/' ? at_home : "");
    fd_line_text(&s, stands);
    if (*fd_ambient.home)
        fd_ambient_tidy(fd_ambient.home);
    if (held == FD_FS_PLANT) {
        bool own = fd_text_starts(path, "~/");
        fd_line_text(&w, own ? fd_ambient.home : *path == '/' ? "" : fd_ambient.stood);
        fd_line_text(&w, own ? path + 1 : *path == '/' ? path : "/");
        fd_line_text(&w, own || *path == '/' ? "" : path);
        fd_ambient_tidy(fd_ambient.wanted);
    }
    return held == FD_FS_PLANT || held == FD_FS_READONLY || held == FD_FS_FULL;
}
