/* Which file the loader takes for a bare name. */
#include "check.h"
#include "live/loader.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>

TEST(the_libc_we_run_with)
{
    Dl_info libc;
    CHECK(dladdr((const void *)(uintptr_t)gnu_get_libc_version, &libc) && libc.dli_fname);
    CHECK(loader_finds("libc.so.6", libc.dli_fname));
}

TEST(another_file_or_none)
{
    CHECK(!loader_finds("libc.so.6", "/proc/self/exe"));
    CHECK(!loader_finds("libc.so.6", "/nowhere/libc.so.6"));
    CHECK(!loader_finds("libnobody-has-this.so", "/proc/self/exe"));
}
