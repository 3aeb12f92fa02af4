#include "shim/raw.h"
#include <errno.h>

long fd_raw_result(long answer)
{
    if (answer > -4096 && answer < 0) {
        errno = (int)-answer;
        return -1;
    }
    return answer;
}
