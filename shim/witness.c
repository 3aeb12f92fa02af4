#include "shim/witness.h"
#include "shim/live.h"
#include "shim/raw.h"
#include "shim/text.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/types.h>

#define DEEPEST 400 /* frames that a return looks up for user code */

typedef void *object; /* PyObject *, opaque: we have no Python headers and need none */

static struct {
    void (*set_trace)(int (*)(object, object, int, object), object);
    object (*get_code)(object);
    object (*get_back)(object);
    int (*get_line)(object);
    object (*get_attr)(object, const char *);
    const char *(*text)(object, ssize_t *);
    void (*drop)(object);
} py;

/* The values of Python's `what`. */
enum { CALL, EXCEPTION, LINE, RETURN };

static __thread struct {
    uint32_t line; /* 0: no user code on the stack */
    char file[sizeof((struct fd_site *)0)->file];
    char function[sizeof((struct fd_site *)0)->function];
} here;

static char log_path[PATH_MAX];

static bool is_user(const char *file)
{
    static const char *const others[] = {"/site-packages/", "/dist-packages/", "/lib/python3",
                                         "/flaky_repro/", NULL};
    /* Scripts such as bin/pytest have no suffix. */
    if (!*file || *file == '<' || !fd_text_ends(file, fd_text_len(file), ".py"))
        return false;
    for (int i = 0; others[i]; i++)
        if (fd_text_find(file, others[i]))
            return false;
    return true;
}

static void put(char *to, size_t size, const char *text)
{
    struct fd_line l = {to, size, 0};
    fd_line_text(&l, text);
}

/* The end of a long path says more than its beginning. */
static void put_end(char *to, size_t size, const char *text)
{
    size_t n = fd_text_len(text);
    put(to, size, n >= size ? text + n - size + 1 : text);
}

/* If the frame is user code, it becomes where we are. */
static bool stand(object frame)
{
    object code = py.get_code(frame);
    object file = py.get_attr(code, "co_filename");
    const char *path = file ? py.text(file, NULL) : NULL;
    bool user = path && is_user(path);
    if (user) {
        object name = py.get_attr(code, "co_name");
        const char *function = name ? py.text(name, NULL) : NULL;
        int line = py.get_line(frame);
        put_end(here.file, sizeof here.file, path);
        put(here.function, sizeof here.function, function ? function : "");
        here.line = line > 0 ? (uint32_t)line : 0;
        if (name)
            py.drop(name);
    }
    if (file)
        py.drop(file);
    py.drop(code);
    return user;
}

/* A frame of user code returns: where are we now? */
static void climb(object frame)
{
    object at = py.get_back(frame);
    here.line = 0;
    for (int i = 0; at; i++) {
        object back = i < DEEPEST && !stand(at) ? py.get_back(at) : NULL;
        py.drop(at);
        at = back;
    }
}

/* Only user frames move us: library code they call acts in their name. */
static int trace(object self, object frame, int what, object arg)
{
    (void)self;
    (void)arg;
    if (what != EXCEPTION && stand(frame) && what == RETURN)
        climb(frame);
    return 0;
}

static bool look_up(void)
{
    static const char *const names[] = {"PyEval_SetTrace",        "PyFrame_GetCode",
                                        "PyFrame_GetBack",        "PyFrame_GetLineNumber",
                                        "PyObject_GetAttrString", "PyUnicode_AsUTF8AndSize",
                                        "Py_DecRef"};
    void *to[sizeof names / sizeof names[0]];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!(to[i] = dlsym(RTLD_DEFAULT, names[i])))
            return false;
    fd_copy(&py, to, sizeof py);
    return true;
}

void fd_witness_install(void)
{
    static int found = -1;
    _Static_assert(sizeof py == 7 * sizeof(void *), "one pointer for each name");
    if (found < 0)
        found = look_up();
    here.line = 0;
    if (found)
        py.set_trace(trace, NULL);
}

void fd_witness_log(const char *path)
{
    put(log_path, sizeof log_path, path ? path : "");
}

static void log_site(const struct fd_site *s, const char *axis)
{
    char text[sizeof s->file + sizeof s->function + sizeof s->hook + 64];
    struct fd_line l = {text, sizeof text - 1, 0};
    fd_line_text(&l, axis);
    fd_line_text(&l, " ");
    fd_line_text(&l, s->hook);
    fd_line_text(&l, " ");
    fd_line_text(&l, s->file);
    fd_line_text(&l, ":");
    fd_line_number(&l, s->line);
    fd_line_text(&l, " ");
    fd_line_text(&l, s->function);
    text[l.len++] = '\n';
    long fd = FD_SYS4(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
                      0666);
    if (fd < 0)
        return;
    (void)FD_SYS3(SYS_write, fd, text, l.len);
    (void)FD_SYS1(SYS_close, fd);
}

static bool same(const struct fd_site *s, enum fd_axis axis, const char *hook)
{
    return s->axis == axis && s->line == here.line && fd_text_equal(s->file, here.file) &&
           fd_text_equal(s->hook, hook);
}

void fd_site_note(enum fd_axis axis, const char *hook)
{
    static const char *const words[] = {
#define AXIS(ID, word) [FD_AXIS_##ID] = word,
#include "axes.def"
#undef AXIS
    };
    struct fd_page *p = fd_live.page;
    fd_thread.site = 0;
    if (!here.line || !fd_live.open)
        return;
    /* the read that is being made has the number of those before it */
    uint64_t read = axis == FD_AXIS_TIME ? __atomic_load_n(&p->window_reads, __ATOMIC_RELAXED) + 1
                                         : 0;
    uint32_t n = __atomic_load_n(&p->sites, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n && i < FD_SITES; i++)
        if (same(&p->site[i], axis, hook)) {
            __atomic_fetch_add(&p->site[i].count, 1, __ATOMIC_RELAXED);
            p->site[i].last = read;
            fd_thread.site = i + 1;
            return;
        }
    if (n >= FD_SITES || (n = __atomic_fetch_add(&p->sites, 1, __ATOMIC_ACQ_REL)) >= FD_SITES)
        return;
    struct fd_site *s = &p->site[n];
    s->axis = axis;
    s->line = here.line;
    s->first = s->last = read;
    put(s->hook, sizeof s->hook, hook);
    put(s->function, sizeof s->function, here.function);
    put(s->file, sizeof s->file, here.file);
    s->count = 1;
    fd_thread.site = n + 1;
    /* reads that the interpreter makes for itself are told from others only afterwards */
    if (*log_path && !(axis == FD_AXIS_TIMING && fd_text_equal(hook, "clock_gettime")))
        log_site(s, words[axis]);
}
