#include "base/release.h"

#include "base/fdio.h"

#include <string.h>
#include <unistd.h>

#define FILE_MAX ((size_t)16 << 20) /* ours are far smaller; a debug build has some 500 KiB */

int release_program(char ret_path[static PATH_MAX], struct err *e)
{
    ssize_t n = readlink("/proc/self/exe", ret_path, PATH_MAX - 1);
    if (n < 0) {
        err_sys(e, "finding ourselves (/proc/self/exe)");
        return err_hint(e, "/proc has to be mounted");
    }
    ret_path[n] = 0;
    return 0;
}

bool release_of_file(const char *path, const char *mark, char ret_release[static RELEASE_MAX])
{
    own_text struct text all = {0};
    struct err ignored = {0};
    if (fdio_read_file(path, FILE_MAX, &all, &ignored) < 0 || !all.len)
        return false;
    const char *at = memmem(all.at, all.len, mark, strlen(mark));
    if (!at)
        return false;
    at += strlen(mark); /* the text ends in NUL, whatever the file ends in */
    own_text struct text found = {0};
    text_addn(&found, at, strcspn(at, "\"'\n"));
    text_copy(ret_release, RELEASE_MAX, text_str(&found));
    return *ret_release != 0;
}

int release_check(const char *part, const char *path, const char *release, struct err *e)
{
    char program[PATH_MAX];
    if (release && strcmp(release, FR_VERSION) == 0)
        return 0;
    if (release_program(program, e) < 0)
        return -1;
    bool known = release && *release;
    err_set(e, ERR_SETUP, "%s %s%s, this program is of %s (%s; %s)", part,
            known ? "is of release " : "does not say of which release it is", known ? release : "",
            FR_VERSION, path ? path : "place unknown", program);
    return err_hint(e, "install the program, libfd.so and the plugin from one release; "
                       "`flaky-repro env` shows the three");
}
