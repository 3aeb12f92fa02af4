/* What is found on this machine, and what the axes say of themselves. */
#include "live/live.h"

#include "axes/axis.h"
#include "base/own.h"
#include "exec/rundir.h"
#include "live/layers.h"
#include "live/locate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

const char *live_axis_catches(enum fd_axis a)
{
    return axes[a]->catches;
}

const char *live_axis_held_by(enum fd_axis a)
{
    return axes[a]->held_by;
}

const char *live_axis_by_hand(enum fd_axis a)
{
    return axes[a]->by_hand;
}

static void add(struct facts *f, const char *name, bool works, const char *value, const char *hint)
{
    struct fact *one = &f->at[f->n++];
    *one = (struct fact){.works = works};
    text_copy(one->name, sizeof one->name, name);
    text_copy(one->value, sizeof one->value, value);
    text_copy(one->hint, sizeof one->hint, works ? "" : hint);
}

static void add_failure(struct facts *f, const char *name, const struct err *e)
{
    add(f, name, false, e->what, e->hint);
}

/* What `argv[0] …` prints on its first line; false if it fails. */
static bool ask(const char *preload, const struct argv *command, const char *code, struct text *out)
{
    own_text struct text line = {0};
    if (preload)
        text_addf(&line, "LD_PRELOAD='%s' ", preload);
    text_add_quoted(&line, command->at[0]);
    text_addf(&line, " -c '%s' 2>&1", code);
    FILE *p = popen(text_str(&line), "re");
    char buf[256] = "";
    if (!p)
        return false;
    if (fgets(buf, sizeof buf, p))
        text_addn(out, buf, strcspn(buf, "\n"));
    while (fgets(buf, sizeof buf, p))
        ;
    return pclose(p) == 0;
}

static void add_python(struct facts *f, const char *python, const struct place *parts)
{
    struct place p = {0};
    struct err e = {0};
    own_text struct text version = {0}, pytest = {0}, held = {0};
    if (locate_pytest(python, &p, &e) < 0) {
        add_failure(f, "pytest", &e);
        return;
    }
    bool works = ask(NULL, &p.command, "import sys; print(sys.version.split()[0], sys.executable)",
                     &version);
    add(f, "python", works, text_str(&version), "name another interpreter with --python PATH");
    works = ask(NULL, &p.command, "import pytest; print(pytest.__version__)", &pytest);
    add(f, "pytest", works, text_str(&pytest), "install pytest 7.2 or newer for this interpreter");
    if (parts->lib) {
        works = ask(parts->lib, &p.command, "import os; print(os.environ[\"LD_PRELOAD\"])", &held);
        works = works && strcmp(text_str(&held), parts->lib) == 0;
        add(f, "preload", works, works ? "the interpreter loads libfd.so" : text_str(&held),
            "libfd.so is built for another architecture or C library than this Python");
    }
    place_done(&p);
}

/* As a diagnosis started here would have it. Without one everything works, less strictly. */
static void add_sandbox(struct facts *f, const char *rundir)
{
    own_target struct target t = {.spec = str_or_die("."), .cwd = getcwd(NULL, 0)};
    struct layers l;
    struct err e = {0};
    own_text struct text words = {0};
    own_argv struct argv said = {0};
    if (!t.cwd || layers_open(&l, &t, rundir, false, &e) < 0) {
        add_failure(f, "sandbox", &e);
        return;
    }
    layers_say(&l, &said);
    for (size_t i = 1; i < said.n; i++) /* the first is the library's */
        text_addf(&words, "%s%s", i > 1 ? ", " : "", said.at[i]);
    add(f, "sandbox", true, text_str(&words), "");
    struct fact *one = &f->at[f->n - 1];
    text_copy(one->hint, sizeof one->hint, l.can.hint);
    layers_done(&l);
}

static void add_machine(struct facts *f)
{
    struct utsname u;
    char value[200];
    if (uname(&u) == 0) {
        snprintf(value, sizeof value, "%.60s %.60s %.60s", u.sysname, u.release, u.machine);
        add(f, "kernel", true, value, "");
    }
    int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    add(f, "pidfd", pidfd >= 0, pidfd >= 0 ? "works" : "refused", "Linux 5.3 or newer is needed");
    own_fd_close(&pidfd);
    struct rundir d = RUNDIR_NONE;
    struct err e = {0};
    if (rundir_open(&d, &e) < 0) {
        add_failure(f, "trials", &e);
        return;
    }
    snprintf(value, sizeof value, "folders like %s", d.path);
    add(f, "trials", true, value, "");
    add_sandbox(f, d.path);
    rundir_done(&d);
}

/* The three parts of an installation, each with its release and its file. */
static void add_part(struct facts *f, const char *name, const char *path, const char *release)
{
    struct err e = {0};
    char value[200];
    snprintf(value, sizeof value, "%s %.160s", release, path);
    if (release_check(name, path, release, &e) < 0)
        add_failure(f, name, &e);
    else
        add(f, name, true, value, "");
}

static void add_parts(struct facts *f, struct place *parts)
{
    struct err e = {0};
    char program[PATH_MAX];
    if (release_program(program, &e) < 0) {
        add_failure(f, "program", &e);
        return;
    }
    add_part(f, "program", program, FR_VERSION);
    if (locate_parts(parts, &e) < 0) {
        add_failure(f, parts->lib ? "plugin" : "libfd.so", &e);
        return;
    }
    add_part(f, "libfd.so", parts->lib, parts->lib_release);
    add_part(f, "plugin", parts->plugin, parts->plugin_release);
}

void live_facts(const char *python, struct facts *ret_facts)
{
    own_place struct place parts = {0};
    *ret_facts = (struct facts){0};
    add_parts(ret_facts, &parts);
    add_python(ret_facts, python, &parts);
    add_machine(ret_facts);
}
