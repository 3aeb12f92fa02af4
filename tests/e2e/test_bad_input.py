"""What bad input gets: the exact exit status, one clear sentence and what to try, never a
traceback, never a verdict that was not earned."""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from world import check, main  # noqa: E402

SAMPLE = """
import pytest
def test_ok(): pass
@pytest.mark.skip(reason="no")
def test_skip(): pass
"""
TRACES = ("Traceback (most recent", "INTERNALERROR", "_pytest/", "importlib", "AddressSanitizer")
VERDICTS = ("DIAGNOSIS  depends", "DIAGNOSIS  a real flake", "fails every time", "hangs every",
            "no flakiness shown")


def plain(text):
    """Folded lines as one, so that where a line breaks is no part of the expectation."""
    return re.sub(r"\s+", " ", text)


def expect(r, status, *said, never=()):
    text = plain(r.out + r.err)
    check(r.status == status, f"want exit {status}", r)
    for s in said:
        check(plain(s) in text, f"not said: {s}", r)
    for s in (*TRACES, *VERDICTS, *never):
        check(plain(s) not in text, f"should not be said: {s}", r)


def one_run(r):
    check(re.search(r"· 1 run ·", r.out), "want one run", r)


def case_missing_file(w):
    r = w.run("nofile.py::test_x")
    expect(r, 2, "ERROR: file or directory not found: nofile.py", "--collect-only")
    one_run(r)
    w.check_clean()


def case_missing_id(w):
    w.write("test_a.py", SAMPLE)
    r = w.run("test_a.py::test_nope")
    expect(r, 2, f"ERROR: not found: {os.path.realpath(w.project)}/test_a.py::test_nope",
           "--collect-only")
    one_run(r)


def case_nothing_selected(w):
    w.write("test_a.py", SAMPLE)
    r = w.run("test_a.py", "--", "-k", "nothing")
    expect(r, 5, "no test was selected", "--collect-only")
    one_run(r)
    w.check_clean()


def case_empty_folder(w):
    (w.project / "sub").mkdir()
    expect(w.run("sub"), 5, "no test was selected")


def case_broken_conftest(w):
    w.write("test_a.py", SAMPLE)
    w.write("conftest.py", "import not_there_at_all\n")
    r = w.run("test_a.py::test_ok")
    expect(r, 2, "ImportError while loading conftest", "No module named 'not_there_at_all'")
    one_run(r)
    w.check_clean()


def case_import_error(w):
    w.write("test_a.py", "import not_there_at_all\ndef test_ok(): pass\n")
    r = w.run("test_a.py::test_ok")
    check(r.status == 2, r)
    check("No module named 'not_there_at_all'" in plain(r.out), r)
    one_run(r)


def case_syntax_error(w):
    w.write("test_a.py", "def test_ok(:\n    pass\n")
    r = w.run("test_a.py::test_ok")
    expect(r, 2, "SyntaxError: invalid syntax")
    one_run(r)


def bare_python(w):
    subprocess.run([w.python, "-m", "venv", "--without-pip", str(w.folder / "v")], check=True)
    return w.folder / "v" / "bin" / "python"


def case_no_pytest(w):
    w.write("test_a.py", SAMPLE)
    r = w.run("test_a.py::test_ok", python=bare_python(w))
    expect(r, 2, "No module named pytest")
    w.check_clean()


def case_no_pytest_hint(w):
    w.write("test_a.py", SAMPLE)
    r = w.run("test_a.py::test_ok", python=bare_python(w))
    expect(r, 2, "--python", never=["Check the path and the id"])


def case_python_missing(w):
    w.write("test_a.py", SAMPLE)
    r = w.run("test_a.py::test_ok", python="/nonexistent/python")
    expect(r, 2, "--python /nonexistent/python: No such file or directory")


def case_python_not_executable(w):
    w.write("test_a.py", SAMPLE)
    w.write("python", "#!/bin/sh\n")
    r = w.run("test_a.py::test_ok", python="./python")
    expect(r, 2, "--python ./python: Permission denied")


def case_python_is_not_python(w):
    w.write("test_a.py", SAMPLE)
    r = w.run("test_a.py::test_ok", python="/bin/true")
    expect(r, 2)


def case_python_is_not_python_hint(w):
    w.write("test_a.py", SAMPLE)
    r = w.run("test_a.py::test_ok", python="/bin/true")
    expect(r, 2, "/bin/true", "Python", never=["Check the path and the id"])


def case_lib_missing(w):
    w.write("test_a.py", SAMPLE)
    (w.folder / "lib").mkdir()
    r = w.run("test_a.py::test_ok", env={"FLAKY_REPRO_LIBDIR": w.folder / "lib"})
    expect(r, 2, "libfd.so was not found", "hint: install flaky-repro whole")
    check(not r.out, r)


def case_lib_missing_says_where(w):
    w.write("test_a.py", SAMPLE)
    (w.folder / "lib").mkdir()
    r = w.run("test_a.py::test_ok", env={"FLAKY_REPRO_LIBDIR": w.folder / "lib"})
    expect(r, 2, f"libfd.so was not found in {w.folder / 'lib'}")


def other_version(w):
    return w.other_installation(page_version=999)


def case_lib_of_another_version(w):
    w.write("test_a.py", SAMPLE)
    r = w.run("test_a.py::test_ok", env={"FLAKY_REPRO_LIBDIR": other_version(w)})
    expect(r, 2, "libfd: ", "version")
    w.check_clean()


def case_lib_of_another_version_hint(w):
    w.write("test_a.py", SAMPLE)
    r = w.run("test_a.py::test_ok", env={"FLAKY_REPRO_LIBDIR": other_version(w)})
    expect(r, 2, "one installation", never=["Check the path and the id"])


def case_json_unwritable(w):
    w.write("test_a.py", SAMPLE)
    r = w.run("test_a.py::test_ok", "--json", "/proc/nowhere/y.json")
    expect(r, 2, "/proc/nowhere", "choose another --json PATH")
    check(r.took < 2, "it ran first", r)


def case_budget_zero(w):
    w.write("test_a.py", SAMPLE)
    r = w.run("test_a.py::test_ok", budget=0)
    check(r.status in (2, 3), r)
    check("could not run the target" not in r.out, r)
    check(r.status == 3 or "--budget" in r.err, r)


def case_skipped(w):
    w.write("test_a.py", SAMPLE)
    r = w.run("test_a.py::test_skip")
    expect(r, 0, "skipped: there is nothing to diagnose", "Make the condition of the skip untrue")
    one_run(r)
    w.check_clean()


def case_module_skipped(w):
    w.write("test_a.py", 'import pytest\npytest.skip("whole", allow_module_level=True)\n'
            "def test_ok(): pass\n")
    expect(w.run("test_a.py::test_ok"), 0, "skipped")


def case_hangs_while_collecting(w):
    w.write("test_a.py", "import time\ntime.sleep(3600)\ndef test_ok(): pass\n")
    r = w.run("test_a.py::test_ok", budget=4)
    check(r.status in (2, 3, 4) and r.took < 25, r)
    check("could not run the target" not in r.out, "it hung, and that is what to say", r)


def case_several_tests(w):
    w.write("d/test_a.py", "def test_one(): pass\ndef test_two(): assert 0\n")
    w.write("d/test_b.py", SAMPLE)
    r = w.run("d", budget=200)
    check(r.status == 4, r)
    for name in ("d/test_a.py::test_one", "d/test_a.py::test_two", "d/test_b.py::test_ok",
                 "d/test_b.py::test_skip"):
        check(f" {name}\n" in r.out, f"no report of {name}", r)
    check(r.out.count("fails every time") == 1, r)
    w.check_clean()


def case_option_nonsense(w):
    w.write("test_a.py", SAMPLE)
    expect(w.run("test_a.py", "--axes", "tmie"), 2, "time")


if __name__ == "__main__":
    main(globals())
