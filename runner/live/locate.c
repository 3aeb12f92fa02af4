#include "live/locate.h"

#include "base/fdio.h"
#include "base/own.h"
#include "shim/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void place_done(struct place *p)
{
    free(p->lib);
    free(p->plugin);
    argv_done(&p->command);
    argv_done(&p->say);
    *p = (struct place){0};
}

static bool try_part(const char *dir, const char *below, const char *probe, char **ret)
{
    own_text struct text folder = {0}, file = {0};
    text_addf(&folder, "%s/%s", dir, below);
    text_addf(&file, "%s/%s", text_str(&folder), probe);
    char *real = fdio_is_file(text_str(&file)) ? realpath(text_str(&folder), NULL) : NULL;
    if (!real)
        return false;
    *ret = real;
    return true;
}

/* Looks where FLAKY_REPRO_LIBDIR says, beside an installed program, then in a build tree. */
static bool find_part(const char *exe_dir, const char *const *places, size_t n, const char *probe,
                      char **ret)
{
    const char *libdir = getenv("FLAKY_REPRO_LIBDIR");
    if (libdir && *libdir)
        return try_part(libdir, ".", probe, ret);
    for (size_t i = 0; i < n; i++)
        if (places[i][0] == '/' ? try_part(places[i], ".", probe, ret)
                                : try_part(exe_dir, places[i], probe, ret))
            return true;
    return false;
}

static int missing(const char *what, const char *exe_dir, struct err *e)
{
    const char *libdir = getenv("FLAKY_REPRO_LIBDIR");
    if (libdir && *libdir) {
        err_set(e, ERR_SETUP, "%s was not found in %s (FLAKY_REPRO_LIBDIR)", what, libdir);
        return err_hint(e, "install flaky-repro whole and unset FLAKY_REPRO_LIBDIR, or name the "
                           "folder that holds libfd.so and flaky_repro/");
    }
    err_set(e, ERR_SETUP, "%s was not found beside %s", what, exe_dir);
    return err_hint(e, "install flaky-repro whole, or name the folder that holds libfd.so and "
                       "flaky_repro/ in FLAKY_REPRO_LIBDIR");
}

int locate_parts(struct place *p, struct err *e)
{
    /* Beside the installed program, in a build tree, where it was meant to be installed. */
    static const char *const lib_places[] = {FR_BIN_TO_LIB, "../shim", FR_LIBDIR};
    static const char *const plugin_places[] = {FR_BIN_TO_LIB "/flaky-repro", "plugin",
                                                FR_LIBDIR "/flaky-repro"};
    char exe[PATH_MAX];
    if (release_program(exe, e) < 0)
        return -1;
    *strrchr(exe, '/') = 0;
    char *dir = NULL;
    if (!find_part(exe, lib_places, 3, "libfd.so", &dir))
        return missing("libfd.so", exe, e);
    own_text struct text lib = {0};
    text_addf(&lib, "%s/libfd.so", dir);
    free(dir);
    p->lib = text_take(&lib);
    if (!find_part(exe, plugin_places, 3, "flaky_repro/_trial.py", &p->plugin))
        return missing("the pytest plugin (flaky_repro/)", exe, e);
    own_text struct text init = {0};
    text_addf(&init, "%s/flaky_repro/__init__.py", p->plugin);
    (void)release_of_file(p->lib, FD_RELEASE_MARK, p->lib_release);
    (void)release_of_file(text_str(&init), "__version__ = \"", p->plugin_release);
    return 0;
}

int locate_agree(const struct place *p, struct err *e)
{
    if (release_check("libfd.so", p->lib, p->lib_release, e) < 0)
        return -1;
    return release_check("the pytest plugin", p->plugin, p->plugin_release, e);
}

/* Output of a short command, trailing newline cut; false if it failed. */
static bool output_of(const char *command, struct text *out)
{
    FILE *f = popen(command, "re");
    if (!f)
        return false;
    char buf[512];
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;)
        text_addn(out, buf, n);
    while (out->len && out->at[out->len - 1] == '\n')
        text_cut(out, out->len - 1);
    return pclose(f) == 0 && out->len > 0;
}

static bool names_python(const char *path)
{
    const char *base = strrchr(path, '/');
    return strstr(base ? base : path, "python") || strstr(base ? base : path, "pypy");
}

/* The interpreter that the first two lines of a script name: "#!/usr/bin/python3",
 * "#!/usr/bin/env python3", or a shell line that execs an interpreter whose path is too long for
 * "#!". False: no Python script. */
static bool script_python(const char *script, struct text *out)
{
    own_text struct text head = {0};
    struct err ignored;
    if (fdio_read_file(script, 1024, &head, &ignored) < 0 || !text_starts(text_str(&head), "#!"))
        return false;
    char *second = strchr(head.at, '\n');
    if (second)
        *second++ = 0;
    char *save = NULL;
    for (char *w = strtok_r(head.at + 2, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
        if (!names_python(w))
            continue;
        text_clear(out);
        if (w[0] == '/')
            text_add(out, w);
        return w[0] == '/' || fdio_on_path(w, out);
    }
    char *quoted = second && text_starts(second, "'''exec' ") ? second + 9 : NULL;
    if (!quoted)
        return false;
    char stop = ' ';
    if (*quoted == '"') {
        stop = '"';
        quoted++;
    }
    char *end = strchr(quoted, stop);
    if (!end)
        return false;
    text_clear(out);
    text_addn(out, quoted, (size_t)(end - quoted));
    return true;
}

static int no_interpreter(const char *python, struct err *e)
{
    err_set(e, ERR_SETUP, "there is no \"%s\" on PATH", python);
    return err_hint(e, "name an interpreter that has pytest, or leave --python out");
}

static int use_python(const char *python, struct place *p, struct err *e)
{
    own_text struct text path = {0};
    if (strchr(python, '/'))
        text_add(&path, python);
    else if (!fdio_on_path(python, &path))
        return no_interpreter(python, e);
    if (access(text_str(&path), X_OK) < 0) {
        err_sys(e, "--python %s", python);
        return err_hint(e, "name an interpreter that has pytest, or leave --python out");
    }
    argv_add(&p->command, text_str(&path));
    argv_add(&p->command, "-m");
    argv_add(&p->command, "pytest");
    argv_add(&p->say, python);
    argv_add(&p->say, "-m");
    argv_add(&p->say, "pytest");
    return 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether that is what the name on PATH stands for. */
static bool is_on_path(const char *name, const char *path)
{
    own_text struct text found = {0};
    own_mem char *a = fdio_on_path(name, &found) ? realpath(text_str(&found), NULL) : NULL;
    own_mem char *b = realpath(path, NULL);
    return a && b && strcmp(a, b) == 0;
}

int locate_started(const char *python, const char *script, struct place *p, struct err *e)
{
    own_text struct text path = {0};
    own_text struct text ignored = {0};
    text_add(&path, script ? script : "");
    text_cut(&path, path.len - strlen(base_name(text_str(&path))));
    text_add(&path, "pytest");
    if (!script || script[0] != '/' || strcmp(base_name(script), "__main__.py") == 0 ||
        access(text_str(&path), R_OK) < 0 || !script_python(text_str(&path), &ignored)) {
        bool same = is_on_path("python", python);
        if (use_python(python, p, e) < 0)
            return -1;
        if (same) {
            argv_done(&p->say);
            argv_add(&p->say, "python");
            argv_add(&p->say, "-m");
            argv_add(&p->say, "pytest");
        }
        return 0;
    }
    argv_add(&p->command, python);
    argv_add(&p->command, text_str(&path));
    argv_add(&p->say, is_on_path("pytest", text_str(&path)) ? "pytest" : text_str(&path));
    return 0;
}

static int no_pytest(struct err *e)
{
    err_set(e, ERR_SETUP, "there is no pytest on PATH");
    return err_hint(e, "activate the environment of your tests, or name its interpreter with "
                       "--python PATH");
}

int locate_pytest(const char *python, struct place *p, struct err *e)
{
    own_text struct text script = {0}, interpreter = {0};
    if (python && *python)
        return use_python(python, p, e);
    if (!fdio_on_path("pytest", &script))
        return no_pytest(e);
    if (!script_python(text_str(&script), &interpreter)) {
        /* A shim of pyenv or asdf: ask the manager which script it stands for. */
        text_clear(&script);
        if (!output_of("pyenv which pytest 2>/dev/null", &script) ||
            !script_python(text_str(&script), &interpreter)) {
            err_set(e, ERR_SETUP, "the pytest on PATH is not a Python script we can read");
            return err_hint(e, "name the interpreter of your tests with --python PATH");
        }
    }
    if (access(text_str(&interpreter), X_OK) < 0) {
        err_sys(e, "pytest on PATH (%s) names %s", text_str(&script), text_str(&interpreter));
        return err_hint(e, "its environment is broken; name another with --python PATH");
    }
    argv_add(&p->command, text_str(&interpreter));
    argv_add(&p->command, text_str(&script));
    argv_add(&p->say, "pytest");
    return 0;
}
