"""The program, libfd.so and the plugin are of one release, or nothing is run: what is said, word for
word, wherever another comes from."""
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from world import check, main  # noqa: E402

HINT = """\
hint: install the program, libfd.so and the plugin from one release; `flaky-repro env` shows the three
"""


def other_plugin(w, folder, version):
    shutil.copytree(pathlib.Path(w.plugin) / "flaky_repro", folder / "flaky_repro",
                    ignore=shutil.ignore_patterns("__pycache__"))
    init = folder / "flaky_repro" / "__init__.py"
    text = init.read_text(encoding="utf-8")
    init.write_text(text.replace(f'"{w.release()}"', version), encoding="utf-8")
    return folder


def refused(w, what, **env):
    """Nothing ran: the one sentence and its hint are all there is."""
    w.write("test_a.py", "def test_ok(): pass\n")
    r = w.run("test_a.py::test_ok", "-q", env=env)
    program = os.path.realpath(w.program)
    want = f"flaky-repro: {what}, this program is of {w.release()} ({{}}; {program})\n{HINT}"
    shown = re.search(r"\((/[^;]*); ", r.err)
    check(shown, r)
    check(r.err == want.format(shown[1]) and r.status == 2 and not r.out, want, r)
    w.check_clean()
    return shown[1]


def case_lib_of_another_release(w):
    folder = w.other_installation(release="9.9.9")
    path = refused(w, "libfd.so is of release 9.9.9", FLAKY_REPRO_LIBDIR=folder)
    check(path == str(folder / "libfd.so"), path)


def case_lib_of_no_release(w):
    """As before there were releases."""
    folder = other_plugin(w, w.folder / "lib", f'"{w.release()}"')
    (folder / "libfd.so").write_bytes(b"\x7fELF")
    path = refused(w, "libfd.so does not say of which release it is", FLAKY_REPRO_LIBDIR=folder)
    check(path == str(folder / "libfd.so"), path)


def case_plugin_of_another_release(w):
    folder = other_plugin(w, w.folder / "lib", '"0.0.9"')
    shutil.copy(w.lib, folder)
    path = refused(w, "the pytest plugin is of release 0.0.9", FLAKY_REPRO_LIBDIR=folder)
    check(path == str(folder), path)


def case_another_plugin_comes_first(w):
    """The one that was found is not the one that is imported: known once it has collected."""
    folder = other_plugin(w, w.folder / "first", '"0.0.9"')
    path = refused(w, "the pytest plugin is of release 0.0.9", PYTHONPATH=folder)
    check(path == str(folder / "flaky_repro"), path)


def case_another_plugin_in_a_replay(w):
    w.write("test_a.py", "def test_bad(): assert {'a', 'b', 'c'}.pop() == 'a'\n")
    r = w.run("test_a.py", "--format", "json", "--axes", "hashseed", budget=60)
    blob = re.search(r'"blob": *"(fd1:[^"]+)"', r.out)
    check(blob, r)
    folder = other_plugin(w, w.folder / "first", '"0.0.9"')
    r = w.ask("replay", blob[1], "--python", w.python, env={"PYTHONPATH": folder})
    check(r.status == 2 and "the pytest plugin is of release 0.0.9, " in r.err, r)


def case_another_lib_preloaded_by_hand(w):
    """What the user's shell preloads is not what answers in a trial."""
    folder = w.other_installation(release="9.9.9")
    w.write("test_a.py",
            f"def test_a(): assert {str(folder)!r} not in open('/proc/self/maps').read()\n")
    env = {"LD_PRELOAD": folder / "libfd.so",
           "ASAN_OPTIONS": "verify_asan_link_order=0"}  # of the program, where it has that
    r = w.run("test_a.py::test_a", "-q", env=env, budget=3)
    check(re.search(r"no failure in \d+ runs", r.out) and r.status in (0, 3), r)


def case_env_shows_the_three(w):
    r = w.ask("env", "--python", w.python)
    program, lib = os.path.realpath(w.program), os.path.realpath(w.lib)
    plugin = os.path.realpath(w.plugin)
    text = "".join(r.out.split())  # lines are broken where a path is long
    for name, path in (("program", program), ("libfd.so", lib), ("plugin", plugin)):
        check(f"ok{name}{w.release()}{path}" in text, name, r)


def case_env_shows_another(w):
    folder = w.other_installation(release="9.9.9")
    r = w.ask("env", env={"FLAKY_REPRO_LIBDIR": folder})
    check(r.status == 2 and re.search(r"^not ok  libfd\.so +libfd\.so is of release 9\.9\.9,", r.out,
                                      re.M), r)


if __name__ == "__main__":
    main(globals())
