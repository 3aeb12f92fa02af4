/* A collection that the interpreter starts by itself looks at young objects alone, and what it
 * leaves is looked at later, perhaps never. So each of its own is followed by one of everything
 * made since the window opened, at the next bytecode: whether garbage is gone then depends on
 * where the collections are, and on nothing else. */
#include "shim/collector.h"
#include "shim/live.h"
#include "shim/mix.h"
#include "shim/python.h"
#include "shim/text.h"
#include <dlfcn.h>
#include <sys/types.h>

#define APART 400 /* allocations between two collections that a seed places, at most */
/* How often each object is looked at, about: the more there are the rarer the collections become,
 * or a test that makes a million of them would never end. */
#define MANY 10000
#define LOOKS(made) ((made) < MANY ? 64 : 8)

typedef void *object; /* PyObject *, opaque */

static struct {
    ssize_t (*collect)(void);
    int (*later)(int (*)(void *), void *);
    object (*import)(const char *);
    object (*get)(object, const char *);
    int (*append)(object, object);
    object (*function)(void *, object, object);
    void (*keep)(object);
    void (*drop)(object);
    void (*clear)(void);
    object none;
} py;

static struct {
    bool asked, running, installed;
    uint64_t collections, made; /* since the window opened; objects, nearly */
} now;

static bool look_up(void)
{
    static const char *const names[] = {
        "PyGC_Collect",  "Py_AddPendingCall",  "PyImport_ImportModule", "PyObject_GetAttrString",
        "PyList_Append", "PyCFunction_NewEx",  "Py_IncRef",             "Py_DecRef",
        "PyErr_Clear",   "_Py_NoneStruct"};
    void *to[sizeof names / sizeof names[0]];
    _Static_assert(sizeof py == sizeof to, "one pointer for each name");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!(to[i] = dlsym(RTLD_DEFAULT, names[i])))
            return false;
    fd_copy(&py, to, sizeof py);
    return true;
}

/* How many allocations from now on until the interpreter collects. */
static void set_distance(void)
{
    const struct fd_settings *s = &fd_live.page->settings;
    uint64_t n = s->gc == FD_GC_EVERY ? s->gc_every
                                      : 1 + fd_mix(s->gc_seed, now.collections) % APART;
    if (n < now.made / LOOKS(now.made))
        n = now.made / LOOKS(now.made);
    now.made += n;
    char code[64];
    struct fd_line l = {code, sizeof code, 0};
    fd_line_text(&l, "__import__('gc').set_threshold(");
    fd_line_number(&l, (int64_t)n);
    fd_line_text(&l, ")\n");
    fd_python_run(code);
}

static int collect(void *unused)
{
    (void)unused;
    now.asked = false;
    now.running = true;
    (void)py.collect();
    now.running = false;
    now.collections++;
    set_distance();
    return 0;
}

/* gc.callbacks: called at the start and at the end of each collection. */
static object collected(object self, object args)
{
    (void)self;
    (void)args;
    if (!now.running && !now.asked)
        now.asked = py.later(collect, NULL) == 0;
    py.keep(py.none);
    return py.none;
}

static bool install(void)
{
    static struct { /* PyMethodDef */
        const char *name;
        object (*body)(object, object);
        int flags;
        const char *doc;
    } method = {"flaky_repro", collected, 1 /* METH_VARARGS */, NULL};
    object gc = py.import("gc");
    object list = gc ? py.get(gc, "callbacks") : NULL;
    object function = list ? py.function(&method, NULL, NULL) : NULL;
    bool done = function && py.append(list, function) == 0;
    object const all[] = {function, list, gc};
    for (int i = 0; i < 3; i++)
        if (all[i])
            py.drop(all[i]);
    if (!done)
        py.clear();
    return done;
}

void fd_collector_start(void)
{
    uint32_t how = fd_live.page->settings.gc;
    if (!fd_live_held(FD_AXIS_GC) || how == FD_GC_ON || !fd_python_ready())
        return;
    if (how == FD_GC_OFF) {
        fd_python_run("__import__('gc').disable()\n");
        return;
    }
    if (!py.collect && !look_up())
        return;
    now.collections = now.made = 0;
    now.running = true;
    (void)py.collect();
    now.running = false;
    fd_python_run("__import__('gc').freeze()\n");
    now.installed = now.installed || install();
    set_distance();
}
