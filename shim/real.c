#include "shim/real.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#define HOOK(axis, ret, name, params, args) ret(*real_##name) params;
#include "symbols.def"
#undef HOOK

static bool all_asked;

/* Before glibc 2.36, RTLD_NEXT finds the oldest version of a name (its bug 14932). On x86-64 some
 * of ours have one of another make: to pthread_cond_timedwait of 2.2.5 a condition is a pointer,
 * realpath of 2.2.5 does not allocate. */
#ifdef __x86_64__
static void *not_the_oldest(void *found, const char *name)
{
    static const char *const later[][2] = {{"pthread_cond_timedwait", "GLIBC_2.3.2"},
                                           {"pthread_cond_wait", "GLIBC_2.3.2"},
                                           {"timer_settime", "GLIBC_2.3.3"},
                                           {"timer_gettime", "GLIBC_2.3.3"},
                                           {"posix_spawn", "GLIBC_2.15"},
                                           {"posix_spawnp", "GLIBC_2.15"},
                                           {"realpath", "GLIBC_2.3"},
                                           {"nftw", "GLIBC_2.3.3"},
                                           {"nftw64", "GLIBC_2.3.3"},
                                           {"glob", "GLIBC_2.27"},
                                           {"glob64", "GLIBC_2.27"}};
    for (size_t i = 0; found && i < sizeof later / sizeof *later; i++)
        if (strcmp(name, later[i][0]) == 0 && found == dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5"))
            return dlvsym(RTLD_NEXT, name, later[i][1]);
    return found;
}
#else
#define not_the_oldest(found, name) (found)
#endif

/* Before glibc 2.34 these are libraries of their own, and may come later, with a module. */
static void *came_later(const char *name)
{
    static const char *const of[][2] = {{"pthread_", "libpthread.so.0"},
                                        {"sem_", "libpthread.so.0"},
                                        {"mtx_", "libpthread.so.0"},
                                        {"cnd_", "libpthread.so.0"},
                                        {"thrd_", "libpthread.so.0"},
                                        {"timer_", "librt.so.1"},
                                        {"mq_", "librt.so.1"},
                                        {"res_", "libresolv.so.2"},
                                        {"__res_", "libresolv.so.2"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (strncmp(name, of[i][0], strlen(of[i][0])) != 0)
            continue;
        /* the name dlopen is our own hook */
        void *library = real_dlopen ? real_dlopen(of[i][1], RTLD_LAZY | RTLD_NOLOAD) : NULL;
        return library ? dlsym(library, name) : NULL;
    }
    return NULL;
}

/* noinline, and the library is built without sibling calls: were dlsym reached by a jump, its
 * caller would be ld.so and RTLD_NEXT would mean "after ld.so". */
__attribute__((noinline)) void *fd_real_find(void *pointer, const char *name)
{
    void **slot = pointer;
    if (!*slot && all_asked)
        *slot = came_later(name);
    else if (!*slot)
        *slot = not_the_oldest(dlsym(RTLD_NEXT, name), name);
    return *slot;
}

void fd_real_resolve(void)
{
#define HOOK(axis, ret, name, params, args) fd_real_find((void *)&real_##name, #name);
#include "symbols.def"
#undef HOOK
    all_asked = true;
}
