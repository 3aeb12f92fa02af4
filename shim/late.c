/* A thread of Python's that starts late would only keep Thread.start() waiting, which is no news:
 * start() returns when the thread says that it is there. What comes late on a loaded machine is
 * what follows, the thread's own work. So a thread that Python made takes its delay with its first
 * call of a function outside threading.py, or the one that Thread.run() makes: by a profile
 * function, set when the thread first releases a lock, for that is how it says so. The GIL is let
 * go meanwhile. */
#include "shim/late.h"
#include "shim/live.h"
#include "shim/stall.h"
#include "shim/text.h"
#include <dlfcn.h>
#include <link.h>
#include <sys/types.h>

typedef void *object;

static struct {
    void (*set_profile)(int (*)(object, object, int, object), object);
    object (*get_code)(object);
    object (*get_back)(object);
    object (*get_attr)(object, const char *);
    const char *(*text)(object, ssize_t *);
    void (*drop)(object);
    int (*gil_held)(void);
    void *(*save)(void);
    void (*restore)(void *);
} py;

/* The values of Python's `what`. */
enum { CALL = 0, C_CALL = 4 };

static struct {
    bool there;
    uintptr_t from, to; /* where its code lies */
} python;

static int find_object(struct dl_phdr_info *o, size_t size, void *arg)
{
    (void)size;
    uintptr_t at = *(uintptr_t *)arg;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &o->dlpi_phdr[i];
        uintptr_t from = o->dlpi_addr + h->p_vaddr;
        if (h->p_type != PT_LOAD || at < from || at >= from + h->p_memsz)
            continue;
        python.from = from;
        python.to = from + h->p_memsz;
        return 1;
    }
    return 0;
}

void fd_late_look_up(void)
{
    static const char *const names[] = {"PyEval_SetProfile",      "PyFrame_GetCode",
                                        "PyFrame_GetBack",
                                        "PyObject_GetAttrString", "PyUnicode_AsUTF8AndSize",
                                        "Py_DecRef",              "PyGILState_Check",
                                        "PyEval_SaveThread",      "PyEval_RestoreThread"};
    void *to[sizeof names / sizeof names[0]];
    _Static_assert(sizeof py == sizeof to, "one pointer for each name");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!(to[i] = dlsym(RTLD_DEFAULT, names[i])))
            return;
    fd_copy(&py, to, sizeof py);
    python.there = dl_iterate_phdr(find_object, &to[0]) == 1;
}

bool fd_late_python(void)
{
    return python.there;
}

/* A text attribute of the code, compared. */
static bool ends(object code, const char *name, const char *with)
{
    object value = py.get_attr(code, name);
    const char *text = value ? py.text(value, NULL) : NULL;
    bool yes = text && fd_text_ends(text, fd_text_len(text), with);
    if (value)
        py.drop(value);
    return yes;
}

/* Thread.run() itself */
static bool is_run(object frame)
{
    object code = py.get_code(frame);
    bool yes = ends(code, "co_filename", "threading.py") && ends(code, "co_name", "run");
    py.drop(code);
    return yes;
}

static bool begins(object frame, int what)
{
    if (what == C_CALL) /* a function of C has no frame of its own */
        return is_run(frame);
    object code = py.get_code(frame), back = py.get_back(frame);
    bool yes = !ends(code, "co_filename", "threading.py") || (back && is_run(back));
    py.drop(code);
    if (back)
        py.drop(back);
    return yes;
}

static int profile(object self, object frame, int what, object arg)
{
    (void)self;
    (void)arg;
    if ((what != CALL && what != C_CALL) || !begins(frame, what))
        return 0;
    py.set_profile(NULL, NULL);
    int64_t late = fd_thread.late_ns;
    fd_thread.late_ns = 0;
    void *state = py.save();
    fd_stall_sleep(late);
    py.restore(state);
    return 0;
}

void fd_late_begin(int64_t for_ns, void *(*run)(void *))
{
    uintptr_t at = (uintptr_t)run;
    if (for_ns <= 0)
        return;
    if (python.there && at >= python.from && at < python.to)
        fd_thread.late_ns = for_ns;
    else
        fd_stall_sleep(for_ns);
}

void fd_late_posted(void)
{
    if (py.gil_held() == 1)
        py.set_profile(profile, NULL);
}
