#ifndef FD_DEVICE_H
#define FD_DEVICE_H
/* /dev/urandom and /dev/random as descriptors. No table of descriptors (dup, fork and exec would
 * outrun it): once anybody opened such a device, reads look at what their descriptor is. */
#include <stdbool.h>

bool fd_device_path(const char *path);
bool fd_device_is(int fd);
bool fd_device_inherited(void); /* is a low descriptor one at start? (head -c8 </dev/urandom) */

#endif
