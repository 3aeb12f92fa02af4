"""What fails every time under the conditions of the run, and passes in reruns, which lack some of
them: flaky-ci runs it once more as it was before it clears it."""
import json
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ci import cases, check, ci, main, report, skip, start  # noqa: E402

import check_reports  # noqa: E402
from ci import ROOT  # noqa: E402

GREEN = "def test_green(): pass\n"
# Fails in the first run of the suite and never after it.
ONCE = """
import os, pathlib
def is_first():
    mark = pathlib.Path(__file__).with_name("mark-of-the-first-run")
    first = not mark.exists()
    mark.touch()
    return first
def test_once(): assert not is_first()
"""


def regression(w, r, nodeid, status=1):
    [f] = [f for f in report(w)["failures"] if f["nodeid"] == nodeid]
    v = f["verdict"]
    check(r.status == status and v and (v["category"], v["confidence"], v["source"]) ==
          ("regression", "low", "evidence"), r, f)
    check("but failed again when pytest was run as it was" in v["hypothesis"], f)
    check(f["evidence"]["failed"] == 0 < f["evidence"]["runs"], f)


def case_again_with_the_options_of_the_interpreter(w):
    w.write("test_a.py", GREEN + "import sys\n"
            "def test_bytes(): assert not (sys.flags.bytes_warning and str(b'x'))\n")
    r = ci(w, "--budget", "12", "--json", "r.json", "--junit", "j.xml", "--summary", "s.md",
           "--code-quality", "q.json", "--", w.python, "-b", "-m", "pytest", "-q",
           env_={"GITHUB_ACTIONS": "true"})
    regression(w, r, "test_a.py::test_bytes")
    check("flaky-repro: running pytest once more as it was, for 1 test that passes now (at most "
          in r.err and r.out.count("1 failed, 1 passed") == 1, r)
    check("::error file=test_a.py," in r.out and "::warning" not in r.out, r)
    check(cases(w)[0]["test_a::test_bytes"] == ["failure"], cases(w))
    check("1 failure, 1 distinct: 1 regression" in (w.project / "s.md").read_text())
    check([f["check_name"] for f in json.loads((w.project / "q.json").read_text())] ==
          ["regression"])
    schema = json.loads((ROOT / "docs/triage.schema.json").read_text(encoding="utf-8"))
    check(not list(check_reports.errors(report(w), schema, schema)), report(w))
    w.check_clean()


def case_again_with_the_options_of_pytest(w):
    """The plugin for timeouts, the expression of -m, the folder for temporary files."""
    w.write("pytest_timeout.py", "import pytest, time\n@pytest.hookimpl(hookwrapper=True)\n"
            "def pytest_pyfunc_call(pyfuncitem):\n    began = time.monotonic()\n    yield\n"
            "    for mark in pyfuncitem.iter_markers('timeout'):\n"
            "        if time.monotonic() - began > mark.args[0]: pytest.fail('Timeout')\n")
    w.write("conftest.py", "import pytest\n@pytest.fixture\n"
            "def backend(request): return request.config.getoption('-m') or 'memory'\n")
    w.write("pytest.ini", "[pytest]\nmarkers =\n    db: x\n    timeout: x\n")
    w.write("test_a.py", GREEN + "import pytest, time\npytestmark = pytest.mark.db\n"
            "def test_backend(backend): assert backend == 'memory'\n"
            "def test_folder(tmp_path): assert ' ' not in str(tmp_path)\n"
            "@pytest.mark.timeout(.2)\ndef test_late(): time.sleep(.4)\n")
    r = ci(w, "--budget", "36", "--json", "r.json", "--", w.python, "-m", "pytest", "-q", "-m",
           "db", "-p", "pytest_timeout", f"--basetemp={w.tmp}/with space")
    for name in ("backend", "folder", "late"):
        regression(w, r, f"test_a.py::test_{name}")


def case_again_in_the_workers(w):
    if subprocess.run([w.python, "-c", "import xdist"], stderr=subprocess.DEVNULL).returncode:
        skip("pytest-xdist is not installed")
    w.write("test_a.py", "import os\n" + GREEN + "def test_worker():\n"
            "    assert not os.environ.get('PYTEST_XDIST_WORKER')\n")
    r = ci(w, "--budget", "12", "--json", "r.json", "--", "-q", "-p", "xdist.plugin", "-n", "2")
    regression(w, r, "test_a.py::test_worker")


def case_again_clears_what_passes_as_it_was_run(w):
    """Its files stay those of the run, and only that one test has run twice."""
    w.write("test_a.py", ONCE + "def test_other():\n"
            "    with open(os.environ['HOME'] + '/ran', 'a') as f: f.write('x')\n")
    w.write("conftest.py", "def pytest_collection_modifyitems(items):\n    items.reverse()\n")
    r = ci(w, "--budget", "12", "--json", "r.json", "--junit", "j.xml", "--", "-q",
           "--junitxml=own.xml", "--log-file=own.log", "--log-file-level=INFO")
    [f] = report(w)["failures"]
    check(r.status == 0 and f["verdict"]["category"] == "flaky", r, f)
    check(f["verdict"]["hypothesis"].endswith("passed once more when pytest was run as it was."), f)
    check("nothing failed but flakes: exit status 0" in r.err, r)
    check((w.home / "ran").read_text() == "x", (w.home / "ran").read_text())
    for name in ("own.xml", "j.xml"):
        check(len(cases(w, name)[0]) == 2, cases(w, name))
    check(cases(w)[0]["test_a::test_once"] == ["flakyFailure"], cases(w))
    (w.project / "mark-of-the-first-run").unlink()
    r = ci(w, "-q", "--budget", "12", "--", "-q", env_={"PYTEST_CURRENT_TEST": "x.py::test (call)"})
    check(r.status == 0 and "once more" not in r.err, r)


def undecided(w, r, why):
    [f] = report(w)["failures"]
    check(r.status == 1 and f["verdict"] is None and report(w)["total_verdicts"] == 0, r, f)
    check("whether it does when pytest is run as it was is not known: " + why in
          f["evidence"]["reason"], f)


def case_again_does_not_come_to_the_test(w):
    """The run is the second of this project: it finds what the first has left."""
    for broken, why in (("config.args.append('no such file')", "and pytest ended with status 4"),
                        ("os._exit(7)", "and pytest ended with status 7"),
                        ("config.option.keyword = 'other'", "and pytest ended with status 5")):
        w.write("test_a.py", ONCE)
        w.write("conftest.py", "import os, pathlib\ndef pytest_configure(config):\n"
                "    runs = pathlib.Path(os.environ['HOME'], 'runs')\n"
                "    if 'FD_PAGE' in os.environ: return\n"
                "    with runs.open('a') as f: f.write('x')\n"
                f"    if len(runs.read_text()) == 2: {broken}\n")
        for mark in (w.project / "mark-of-the-first-run", w.home / "runs"):
            mark.unlink(missing_ok=True)
        r = ci(w, "--budget", "12", "--json", "r.json", "--", "-q", "--junitxml=own.xml")
        undecided(w, r, "the test did not run to its end, " + why)


def hangs_in_its_second_run(w):
    w.write("test_a.py", ONCE)
    w.write("conftest.py", "import os, pathlib, time\ndef pytest_sessionstart(session):\n"
            "    if 'FD_PAGE' in os.environ: return\n"
            "    runs = pathlib.Path(os.environ['HOME'], 'runs')\n"
            "    with runs.open('a') as f: f.write('x')\n"
            "    if len(runs.read_text()) == 2: time.sleep(200)\n")


def case_again_has_an_end(w):
    hangs_in_its_second_run(w)
    began = time.monotonic()
    r = ci(w, "--budget", "12", "--json", "r.json", "--", "-q")
    undecided(w, r, "it was not over after ")
    check(time.monotonic() - began < 60, r)
    (w.home / "runs").unlink()
    w.check_clean()


def case_again_can_be_stopped(w):
    hangs_in_its_second_run(w)
    began, runs = time.monotonic(), w.home / "runs"
    p = start(w, "--budget", "12", "--json", "r.json", "--", "-q")
    while time.monotonic() - began < 100 and not (runs.exists() and runs.read_text() == "xx"):
        time.sleep(.1)
    p.send_signal(signal.SIGTERM)
    undecided(w, w.finish(p, began), "it was stopped")
    runs.unlink()
    w.check_clean()


if __name__ == "__main__":
    main(globals())
