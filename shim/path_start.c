/* HOME is the one of the trial's first process, and the project the folder that it stood in: a test
 * that gives a child another HOME, or starts it elsewhere, must not change what is meant. What a
 * process itself is made of stays too: its interpreter's prefix, PATH, PYTHONPATH and the like, as
 * they are at its start; and then for its children, or a program could not start its parts. */
#include "shim/path_start.h"
#include "shim/page.h"
#include "shim/raw.h"
#include "shim/stop.h"
#include "shim/text.h"
#include "shim/way.h"
#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#define HOME_EQUALS FD_ENV_HOME "="
#define STAY_EQUALS FD_ENV_STAY "="

extern void *__libc_stack_end __attribute__((weak));

static char home[sizeof HOME_EQUALS + PATH_MAX], told_to_stay[16384];
static bool told; /* by a parent, who has looked at these folders already */
static bool watched, translated; /* what the settings ask for */

static void keep(char *entry, size_t size, const char *name, const char *value)
{
    struct fd_line l = {entry, size, 0};
    fd_line_text(&l, name);
    fd_line_text(&l, value ? value : "");
}

void fd_path_remember(char *const *envp)
{
    char here[PATH_MAX];
    const char *value = fd_text_env(envp, FD_ENV_HOME);
    told = value != NULL;
    keep(home, sizeof home, HOME_EQUALS, told ? value : fd_text_env(envp, "HOME"));
    value = fd_text_env(envp, FD_ENV_STAY);
    if (!value && FD_SYS2(SYS_getcwd, here, sizeof here) > 0)
        value = here;
    keep(told_to_stay, sizeof told_to_stay, STAY_EQUALS, value);
}

const char *fd_path_entry(unsigned int i)
{
    const char *const entries[] = {home, told_to_stay, NULL};
    return fd_live.paths ? entries[i] : NULL;
}

/* The folder itself where nothing is to be resolved. */
static struct fd_folder twin(struct fd_folder f)
{
    char path[PATH_MAX];
    struct fd_folder t;
    bool other = fd_way_real(f.at, path) && !fd_text_equal(path, f.at);
    return other && fd_folder_keep(&fd_paths, path, &t) ? t : f;
}

static bool below_home(const char *path)
{
    for (unsigned int i = 0; i < fd_paths.maps; i++) {
        const struct fd_map *m = &fd_paths.map[i];
        long rest = m->home ? fd_folder_rest(&m->from, path) : -1;
        if (rest >= 0 && path[rest])
            return true;
    }
    return false;
}

/* Adds a folder. False: it does not matter, is known, or is not there: then a test will make it. */
static bool stay_here(const char *path)
{
    struct fd_folder f;
    size_t used = fd_paths.used;
    if (*path != '/' || !path[1])
        return false;
    bool fits = fd_folder_keep(&fd_paths, path, &f);
    if (fits && ((!below_home(f.at) && !(watched && fd_paths_in_tmp(&fd_paths, f.at))) ||
                 fd_paths_stays(&fd_paths, &f) ||
                 FD_SYS3(SYS_faccessat, AT_FDCWD, path, F_OK) != 0)) {
        fd_paths.used = used;
        return false;
    }
    if (fits && fd_paths_stay(&fd_paths, f))
        return true;
    if (translated)
        fd_stop("PATH and PYTHONPATH name more folders below HOME than fit; shorten them");
    return false; /* it is only counted */
}

/* A parent said so. */
static void stay_as_told(const char *path)
{
    struct fd_folder f;
    if (*path == '/' && fd_folder_keep(&fd_paths, path, &f))
        (void)fd_paths_stay(&fd_paths, f);
}

static void stay(const char *path)
{
    char real[PATH_MAX];
    if (stay_here(path) && fd_way_real(path, real) && !fd_text_equal(path, real))
        (void)stay_here(real);
}

/* The text before the last slash, in `ret`; false if there is none. */
static bool folder_of(const char *path, char *ret, size_t size)
{
    struct fd_line l = {ret, size, 0};
    size_t n = (size_t)(fd_text_base(path) - path);
    if (!n)
        return false;
    if (*path != '/') { /* from here */
        if (FD_SYS2(SYS_getcwd, ret, size) < 0)
            return false;
        l.len = fd_text_len(ret);
        fd_line_text(&l, "/");
    }
    if (l.len + n >= size)
        return false;
    fd_copy(ret + l.len, path, n - 1);
    ret[l.len + n - 1] = 0;
    return true;
}

/* A folder of programs, and with it what they are installed with: the folder above. That of
 * ~/.local/bin is also where programs keep what they remember, and does not stay. */
static void stay_bin(const char *folder)
{
    char above[PATH_MAX];
    const char *base = fd_text_base(folder);
    bool bin = fd_text_equal(base, "bin") || fd_text_equal(base, "sbin") ||
               fd_text_equal(base, "shims");
    if (bin && folder_of(folder, above, sizeof above) &&
        !fd_text_equal(fd_text_base(above), ".local") && below_home(above))
        stay(above);
    else
        stay(folder);
}

/* One that lies in HOME itself has no folder, and stays alone. One that is not there was started
 * from a private home. */
static bool stay_program(const char *asked)
{
    char path[PATH_MAX], real[PATH_MAX], folder[PATH_MAX];
    if (!asked || !folder_of(asked, path, sizeof path))
        return false;
    struct fd_line l = {path, sizeof path, fd_text_len(path)};
    fd_line_text(&l, "/");
    fd_line_text(&l, fd_text_base(asked));
    if (!fd_way_real(path, real))
        return false;
    if (folder_of(path, folder, sizeof folder))
        stay_bin(folder);
    stay(path);
    if (!fd_text_equal(path, real) && folder_of(real, folder, sizeof folder))
        stay_bin(folder);
    return true;
}

/* What the kernel was asked to run, a script perhaps, and argv[0]: for a script the interpreter
 * that it names, a virtual environment's link. Both with their links resolved. A program that was
 * asked for by a descriptor has only /proc to tell it, which takes as long as all the rest. */
static void stay_own_program(void)
{
    const char *asked = (const char *)getauxval(AT_EXECFN);
    const long *stack = &__libc_stack_end ? __libc_stack_end : NULL; /* argc, then argv */
    const char *first = stack && *stack > 0 ? *(const char *const *)(stack + 1) : NULL;
    if (!stay_program(asked))
        (void)stay_program("/proc/self/exe");
    if (first && (!asked || !fd_text_equal(first, asked)))
        (void)stay_program(first);
}

static void stay_each(const char *list, void (*one)(const char *path))
{
    char path[PATH_MAX];
    while (list && *list) {
        struct fd_line l = {path, sizeof path, 0};
        *path = 0;
        for (; *list && *list != ':'; list++)
            fd_line_text(&l, (const char[2]){*list, 0});
        if (l.len)
            one(path);
        list += *list == ':';
    }
}

static const char *page_path(void)
{
    const char *entry = fd_page_entry();
    return entry ? entry + sizeof FD_ENV_PAGE : NULL;
}

static void learn_stays(char *const *envp)
{
    static const char *const folders[] = {"VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONHOME",
                                          "PYTHONUSERBASE", "TMPDIR"};
    static const char *const local[] = {"/.local/bin", "/.local/lib"};
    char path[PATH_MAX];
    Dl_info info;
    stay_each(told_to_stay + sizeof STAY_EQUALS - 1, told ? stay_as_told : stay);
    stay_own_program();
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *value = fd_text_env(envp, folders[i]);
        stay(value ? value : "");
    }
    stay_each(fd_text_env(envp, "PYTHONPATH"), stay);
    stay_each(fd_text_env(envp, "PATH"), stay_bin);
    for (size_t i = 0; i < sizeof local / sizeof *local; i++) {
        struct fd_line l = {path, sizeof path, 0};
        fd_line_text(&l, home + sizeof HOME_EQUALS - 1);
        fd_line_text(&l, local[i]);
        stay(path);
    }
    if (dladdr((void *)home, &info) && info.dli_fname &&
        folder_of(info.dli_fname, path, sizeof path))
        stay(path);
    if (!page_path() || !folder_of(page_path(), path, sizeof path))
        return;
    stay(path);
    if (watched && folder_of(path, path, sizeof path) && fd_paths_in_tmp(&fd_paths, path))
        stay(path);
}

/* For our children. A list that is full ends in a whole folder. */
static void tell_stays(void)
{
    struct fd_line l = {told_to_stay, sizeof told_to_stay, sizeof STAY_EQUALS - 1};
    for (unsigned int i = 0; i < fd_paths.stays; i++) {
        const struct fd_folder *f = &fd_paths.stay[i].folder;
        if (l.len + f->len + 2 > sizeof told_to_stay)
            break;
        fd_line_text(&l, i ? ":" : "");
        fd_line_text(&l, f->at);
    }
    told_to_stay[l.len] = 0;
}

/* "" where the page says: h, beside it. */
static struct fd_folder private_folder(void)
{
    char path[PATH_MAX];
    struct fd_line l = {path, sizeof path, 0};
    struct fd_folder f;
    const char *said = fd_live.page->settings.private_home;
    if (*said) {
        fd_line_text(&l, said);
    } else if (fd_live.by_hand || !folder_of(page_path(), path, sizeof path)) {
        fd_stop(FD_ENV_FS "=private names no folder; write private:/absolute/folder");
    } else {
        l.len = fd_text_len(path);
        fd_line_text(&l, "/h");
    }
    long fd = FD_SYS4(SYS_openat, AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd >= 0)
        (void)FD_SYS1(SYS_close, fd);
    if ((fd < 0 && !told) || !fd_folder_keep(&fd_paths, path, &f))
        fd_stop(path, " is not a folder, so HOME cannot be private there; make it first");
    return f;
}

static bool is_link(const char *path)
{
    char text[2];
    return FD_SYS4(SYS_readlinkat, AT_FDCWD, path, text, sizeof text) > 0;
}

static void private_home(struct fd_folder at, struct fd_folder real)
{
    struct fd_folder said = private_folder(), to = twin(said);
    if (fd_folder_rest(&said, at.at) >= 0 || fd_folder_rest(&to, real.at) >= 0)
        fd_stop(said.at, " holds HOME itself (", at.at, "); name another folder");
    fd_paths_add(&fd_paths, (struct fd_map){.from = at, .to = to, .home = true,
                                            .link = is_link(at.at)});
    fd_paths_add_back(&fd_paths, (struct fd_map){.from = real, .to = to});
    if (real.at != at.at)
        fd_paths_add(&fd_paths, (struct fd_map){.from = real, .to = to, .home = true});
    fd_paths_stay(&fd_paths, said);
    fd_paths_stay(&fd_paths, to);
}

static void learn_home(bool private)
{
    const char *value = home + sizeof HOME_EQUALS - 1;
    const struct fd_folder nowhere = {"", 0};
    struct fd_folder at;
    if (!fd_folder_keep(&fd_paths, value, &at)) {
        if (private)
            fd_stop("HOME=", value, " cannot be private; set it to an absolute folder below /");
        return;
    }
    struct fd_folder real = twin(at);
    if (private) {
        private_home(at, real);
        return;
    }
    fd_paths_add(&fd_paths, (struct fd_map){.from = at, .to = nowhere, .home = true});
    if (real.at != at.at)
        fd_paths_add(&fd_paths, (struct fd_map){.from = real, .to = nowhere, .home = true});
}

static void learn_map(const char *text)
{
    int wrong = text ? fd_paths_parse(&fd_paths, text) : 0;
    if (wrong == -1)
        fd_stop(FD_ENV_FS_MAP "=", text, " is not a map of folders; write /a=/b or /a=/b,/c=/d");
    if (wrong)
        fd_stop(FD_ENV_FS_MAP "=", text, " maps more than 16 folders; shorten it");
    for (unsigned int i = 0; i < fd_paths.maps; i++) {
        struct fd_map m = fd_paths.map[i];
        struct fd_folder end = twin(m.to);
        if (end.at != m.to.at)
            fd_paths_add_back(&fd_paths, (struct fd_map){.from = m.from, .to = end});
    }
}

/* A watched run with an empty HOME: what it looks for there is needed where it is. */
static void learn_what_home_stands_for(const char *real)
{
    struct fd_map m = {.home = true};
    if (*real && fd_folder_keep(&fd_paths, home + sizeof HOME_EQUALS - 1, &m.from) &&
        fd_folder_keep(&fd_paths, real, &m.to))
        fd_paths.stands_for = m;
}

void fd_path_start(char *const *envp, const char *map)
{
    const struct fd_settings *s = &fd_live.page->settings;
    bool held = fd_live_held(FD_AXIS_FS), private = held && s->fs == FD_FS_PRIVATE;
    fd_live.paths = 0;
    watched = !fd_live.by_hand && s->watch;
    translated = private || map;
    if (fd_live.by_hand && !held)
        return;
    fd_paths.maps = fd_paths.backs = fd_paths.stays = 0;
    fd_paths.used = 0;
    fd_paths.stands_for = (struct fd_map){.home = false};
    if (watched && !private)
        learn_what_home_stands_for(s->private_home);
    learn_map(map);
    learn_home(private);
    learn_stays(envp ? envp : environ);
    tell_stays();
    char here[PATH_MAX];
    bool stands = FD_SYS2(SYS_getcwd, here, sizeof here) > 0 && *here == '/';
    bool ambient = fd_ambient_start(home + sizeof HOME_EQUALS - 1, stands ? here : "");
    if (fd_paths.maps || watched || ambient)
        fd_live.paths = FD_WAY_COUNTED | (translated ? FD_WAY_TRANSLATED : 0) |
                        (watched ? FD_WAY_WATCHED : 0) | (ambient ? FD_WAY_AMBIENT : 0);
    fd_way_stand();
}
