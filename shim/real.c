#include "shim/real.h"
#include <dlfcn.h>
#include <stdbool.h>

#define HOOK(axis, ret, name, params, args) ret(*real_##name) params;
#include "symbols.def"
#undef HOOK

static bool all_asked;

/* noinline, and the library is built without sibling calls: were dlsym reached by a jump, its
 * caller would be ld.so and RTLD_NEXT would mean "after ld.so". */
__attribute__((noinline)) void *fd_real_find(void *pointer, const char *name)
{
    void **slot = pointer;
    if (!*slot && !all_asked)
        *slot = dlsym(RTLD_NEXT, name);
    return *slot;
}

void fd_real_resolve(void)
{
#define HOOK(axis, ret, name, params, args) fd_real_find((void *)&real_##name, #name);
#include "symbols.def"
#undef HOOK
    all_asked = true;
}
