#include "shim/device.h"
#include "shim/raw.h"
#include "shim/text.h"
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define INHERITED 10 /* a shell hands on single digits */

bool fd_device_path(const char *path)
{
    return path && fd_text_starts(path, "/dev/") &&
           (fd_text_equal(path + 5, "urandom") || fd_text_equal(path + 5, "random"));
}

bool fd_device_is(int fd)
{
    struct stat s;
    return FD_SYS2(SYS_fstat, fd, &s) == 0 && S_ISCHR(s.st_mode) &&
           (s.st_rdev == makedev(1, 9) || s.st_rdev == makedev(1, 8));
}

bool fd_device_inherited(void)
{
    for (int fd = 0; fd < INHERITED; fd++)
        if (fd_device_is(fd))
            return true;
    return false;
}
