#ifndef FD_DEVICE_H
#define FD_DEVICE_H
/* /dev/urandom and /dev/random as descriptors. No table of descriptors (dup, fork and exec would
 * outrun it): once anybody opened such a device, reads look at what their descriptor is. */
#include <stdbool.h>
bool fd_device_path(const char *path);
void fd_device_opened(void);
void fd_device_inherited(void); /* at start: is a low descriptor one? (head -c8 </dev/urandom) */
#endif
