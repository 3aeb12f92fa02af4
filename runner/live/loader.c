#include "live/loader.h"

#include "base/own.h"
#include "base/text.h"

#include <dlfcn.h>
#include <sys/stat.h>

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The folders, as the loader would search them for a library that our own program needs; NULL if
 * it does not say. The caller frees. */
static Dl_serinfo *folders(void)
{
    Dl_serinfo size;
    void *program = dlopen(NULL, RTLD_LAZY); /* counts a use more; nothing is loaded */
    if (!program || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) < 0)
        return NULL;
    Dl_serinfo *all = mem_or_die(size.dls_size);
    if (dlinfo(program, RTLD_DI_SERINFOSIZE, all) < 0 || dlinfo(program, RTLD_DI_SERINFO, all) < 0)
        all->dls_cnt = 0;
    return all;
}

bool loader_finds(const char *name, const char *path)
{
    struct stat wanted, found;
    own_mem Dl_serinfo *in = folders();
    if (!in || stat(path, &wanted) < 0)
        return false;
    for (unsigned i = 0; i < in->dls_cnt; i++) {
        own_text struct text file = {0};
        text_addf(&file, "%s/%s", in->dls_serpath[i].dls_name, name);
        if (stat(text_str(&file), &found) == 0)
            return same_file(&wanted, &found);
    }
    return false;
}
