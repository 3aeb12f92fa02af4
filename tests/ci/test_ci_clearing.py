"""What flaky-ci must not clear: tests that never ran, or that pass for what the run has left."""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ci import (BAD, cases, check, ci, env, main, report, script, skip,  # noqa: E402
                verdicts)

# Fails in the run of the suite, and then in one run of two: in a process of its own each time.
FLAKE = """
import os, pathlib
def flips():
    mark = pathlib.Path(__file__).with_name("mark-of-the-first-run")
    first = not mark.exists()
    mark.write_text("")
    return first or os.getpid() % 2
"""


def case_clear_what_a_stopped_run_did_not_come_to(w):
    w.write("test_a.py", FLAKE + "def test_flake(): assert not flips()\n"
            "def test_never_run(): assert 1 == 2\n")
    for word in ("-x", "--maxfail=1"):
        (w.project / "mark-of-the-first-run").unlink(missing_ok=True)
        r = ci(w, "--budget", "8", "--json", "r.json", "--", "-q", word)
        check(verdicts(w) == {"test_a.py::test_flake": "flaky"}, r, report(w))
        check(r.status == 1 and "the run was stopped: 1 test was not run" in r.err, r)
        check(report(w)["not_run"] == 1, report(w))


def case_clear_what_pytest_exit_leaves(w):
    """It stops a run with whatever status it is given, and sets no mark of a stopped one."""
    w.write("test_a.py", FLAKE + "import pytest\ndef test_flake(): assert not flips()\n"
            "def test_leaves(): pytest.exit('enough', returncode=1)\n"
            "def test_never_run(): assert 1 == 2\n")
    r = ci(w, "--budget", "8", "--json", "r.json", "--", "-q")
    check(r.status == 1 and "the run was stopped: 2 tests were not run" in r.err, r)
    check(report(w)["not_run"] == 2, report(w))
    w.write("test_a.py", "import pytest\ndef test_leaves(): pytest.exit('enough', returncode=1)\n")
    r = ci(w, "--budget", "8", "--", "-q")
    check(r.status == 1 and r.err == "flaky-repro: the run was stopped: 1 test was not run\n", r)


def case_clear_what_is_not_chosen_is_run(w):
    """Tests that are deselected, or only collected, are none that a stopped run left."""
    w.write("test_a.py", BAD + "def test_other(): pass\n")
    w.write(".pytest_cache/v/cache/lastfailed", '{"test_a.py::test_total": true}')
    for words in (("-k", "total"), ("--lf",), ("test_a.py", "test_a.py::test_total")):
        r = ci(w, "--budget", "0", "--json", "r.json", "--", "-q", *words,
               env_={"PYTEST_ADDOPTS": ""})
        check("not_run" not in report(w) and r.status == 1 and r.err == "", words, r, report(w))
    r = ci(w, "--budget", "0", "--", "-q", "--collect-only", "--ai-report=his.json")
    check(r.status == 0 and "not_run" not in report(w, "his.json"), r)


def case_clear_what_a_crashed_worker_leaves(w):
    if subprocess.run([w.python, "-c", "import xdist"], stderr=subprocess.DEVNULL).returncode:
        skip("pytest-xdist is not installed")
    w.write("test_a.py", "import os\ndef test_crash(): os._exit(9)\ndef test_more(): pass\n")
    words = ("--budget", "0", "--json", "r.json", "--", "-q", "-p", "xdist.plugin", "-p",
             "no:faulthandler", "-n", "1")
    r = ci(w, *words, "--max-worker-restart=0")
    check(r.status == 1 and report(w)["not_run"] == 1, r, report(w))
    r = ci(w, *words)
    check(r.status == 1 and "not_run" not in report(w), r, report(w))


def case_clear_a_status_that_a_plugin_sets(w):
    """Where a failure had made it 1 already, and when all that is a test's was told."""
    w.write("test_a.py", BAD)
    words = "flaky-repro: pytest counts failures that are none of a test; its status stays\n"
    for hook, session in (("sessionfinish(session)", "session"),
                          ("terminal_summary(terminalreporter)", "terminalreporter._session")):
        w.write("conftest.py", f"import pytest\ndef pytest_{hook}:\n"
                f"    {session}.exitstatus = pytest.ExitCode.TESTS_FAILED\n")
        r = ci(w, "--budget", "0", "--json", "r.json", "--", "-q")
        check(r.status == 1 and r.err == words, hook, r, report(w))
        check(report(w).get("other_failures") == (1 if session == "session" else None), report(w))
    w.write("conftest.py", "import pytest\ndef pytest_sessionfinish(session):\n"
            "    session.exitstatus = session.exitstatus or 1\n"
            "    session.config.s = session\ndef pytest_unconfigure(config):\n"
            "    assert config.s.exitstatus is pytest.ExitCode.TESTS_FAILED\n"
            "    print('as it was')\n")
    r = ci(w, "--budget", "0", "--json", "r.json", "--", "-q")
    check(r.status == 1 and r.err == "" and "as it was" in r.out, r)
    check("other_failures" not in report(w), report(w))


def case_clear_a_file_that_was_not_collected(w):
    w.write("test_a.py", FLAKE + "if flips(): raise RuntimeError('x')\ndef test_a(): pass\n")
    w.write("test_b.py", "def test_b(): pass\n")
    r = ci(w, "--budget", "8", "--json", "r.json", "--junit", "j.xml", "--", "-q",
           "--continue-on-collection-errors")
    check(r.status == 1, r, report(w))
    check("error" in cases(w)[0]["::test_a"], cases(w))


def case_clear_tests_behind_a_fixture_that_failed(w):
    """Identical failures of a fixture: each test has to pass by itself."""
    w.write("test_a.py", FLAKE + "import pytest\n@pytest.fixture(scope='module')\ndef db():\n"
            "    if flips(): raise RuntimeError('down')\n"
            "def test_1(db): pass\ndef test_2(db): assert 1 == 2\n")
    r = ci(w, "--budget", "16", "--json", "r.json", "--", "-q")
    got = verdicts(w)
    check(r.status == 1 and got["test_a.py::test_1"] == "flaky" and
          got["test_a.py::test_2"] != "flaky", r, report(w))


def case_clear_for_a_file_that_the_run_left(w):
    """A snapshot that the first run writes: on the next checkout it fails again."""
    w.write("test_a.py", "import pathlib\ndef test_snapshot():\n"
            "    f = pathlib.Path(__file__).with_name('expected.txt')\n"
            "    if not f.exists():\n        f.write_text('42')\n"
            "        raise AssertionError('missing, created')\n"
            "    assert f.read_text() == '42'\n")
    r = ci(w, "--budget", "8", "--json", "r.json", "--", "-q")
    [f] = report(w)["failures"]
    check(r.status == 1 and f["verdict"] is None, r, f)
    check('"expected.txt", which the failure names, came or changed during the run' in
          f["evidence"]["reason"], f)


def snapshot(w, code, place="expected.txt"):
    """A test that fails where there is no snapshot, and makes one by CODE."""
    return ("import os, pathlib, shutil\n"
            f"WANTED = {place!r}\n"
            "def test_snapshot():\n    f = pathlib.Path(WANTED)\n"
            "    if not os.path.lexists(f):\n"
            f"        f.parent.mkdir(exist_ok=True)\n        {code}\n"
            "        raise AssertionError(f'missing, created {f}')\n")


def not_cleared(w, name, **how):
    r = ci(w, "--budget", "8", "--json", str(w.project / "r.json"), "--", "-q", **how)
    [f] = report(w)["failures"]
    check(r.status == 1 and f["verdict"] is None and f'"{name}", which the failure names, came or '
          "changed during the run" in f["evidence"]["reason"], r, f)


def case_clear_for_a_file_in_a_hidden_folder(w):
    w.write("test_a.py", snapshot(w, "f.write_text('42')", ".snapshots/expected.txt"))
    not_cleared(w, "expected.txt")


def case_clear_for_a_file_beside_rootdir(w):
    """It stands where pytest was started, or where the failure says."""
    w.write("sub/pytest.ini", "[pytest]\n")
    w.write("sub/test_a.py", snapshot(w, "f.write_text('42')", "../data/expected.txt"))
    not_cleared(w, "../data/expected.txt", cwd=w.project / "sub")
    w.write("sub/test_a.py", snapshot(w, "f.write_text('42')", "data2/expected.txt").replace(
        "created {f}", "created {f.name}"))
    r = ci(w, "--budget", "8", "--json", "r.json", "--", "-q", "sub")
    [f] = report(w)["failures"]
    check(r.status == 1 and f["verdict"] is None and '"expected.txt", which the failure' in
          f["evidence"]["reason"], r, f)


def case_clear_for_a_copy_or_a_link(w):
    """A copy has the time of what it was copied from, a link is no file."""
    w.write("given", "42")
    for code in ("shutil.copy2('given', f)", "f.symlink_to('given')"):
        w.write("test_a.py", snapshot(w, code))
        not_cleared(w, "expected.txt")
        (w.project / "expected.txt").unlink()


def case_clear_although_the_output_goes_to_a_file(w):
    """Here it must: it is what the shell made, and no test."""
    w.write("test_a.py", FLAKE.replace(" or os.getpid() % 2", "") +
            "def test_flake(): assert not flips(), 'of all that came out'\n")
    done = subprocess.run([script(w), "--budget", "12", "--json", "r.json", "--", "-q"],
                          cwd=w.project, env=env(w), stdin=subprocess.DEVNULL,
                          stdout=open(w.project / "out", "wb"), stderr=subprocess.STDOUT)
    check(verdicts(w) == {"test_a.py::test_flake": "flaky"}, done, report(w))


def case_clear_a_run_that_ends_in_the_middle(w):
    w.write("test_a.py", "import os\ndef test_bad(): assert 0\ndef test_exit(): os._exit(0)\n")
    r = ci(w, "--json", "r.json", "--", "-q")
    check(r.status == 1 and "pytest was gone before its run was over, with status 0" in r.err, r)
    w.write("inner.py", "def test_in(): pass\n")
    w.write("test_a.py", "import os, pytest\ndef test_exit():\n"
            "    assert pytest.main(['-p', 'flaky_repro.plugin', '--ai-report=in.json',\n        'inner.py']) == 0\n"
            "    os._exit(0)\n")
    r = ci(w, "--", "-q", "test_a.py")  # a session within it, that comes to its end
    check(r.status == 1 and "pytest was gone before its run was over, with status 0" in r.err, r)
    r = ci(w, "--", "-q", "--ai-report=his.json", "test_a.py")
    check(r.status == 1 and "pytest was gone before its run was over, with status 0" in r.err, r)
    r = ci(w, "--", "--help")
    check(r.status == 0 and r.err == "", r)


def case_clear_where_plugins_are_turned_off(w):
    """The options that every rerun gets are no reason to fail, nor is a rerun that breaks."""
    w.write("pytest.ini", "[pytest]\nfilterwarnings = error\n")
    w.write("test_a.py", FLAKE + "def test_flake(): assert not flips()\n")
    r = ci(w, "--budget", "8", "--json", "r.json", "--", "-q", "-p", "no:cacheprovider", "-p",
           "no:tmpdir")
    check(r.status == 0 and verdicts(w) == {"test_a.py::test_flake": "flaky"}, r, report(w))
    w.write("conftest.py", "import os\ndef pytest_runtest_setup(item):\n"
            "    if os.path.exists('broken'): raise SystemError\n"
            "def pytest_sessionstart(session):\n"
            "    if os.path.exists('broken'): raise RuntimeError('no session')\n"
            "def pytest_sessionfinish(session): open('broken', 'w').close()\n")
    w.write("test_a.py", "def test_bad(): assert 0\n")
    r = ci(w, "--budget", "8", "--json", "r.json", "--", "-q")
    check(r.status == 1 and verdicts(w) == {"test_a.py::test_bad": None}, r, report(w))


if __name__ == "__main__":
    main(globals())
