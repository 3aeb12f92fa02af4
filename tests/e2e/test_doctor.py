"""Inside pytest: --doctor on a test and on a suite, and what the acceptance list of a peer asks of
it (fdNN_…: its case NN)."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from world import check, main, skip  # noqa: E402
from doctor import findings, pytest, report  # noqa: E402

SET_ORDER = """
def test_x():
    first = next(iter({"a", "b", "c", "d", "e", "f"}))
    assert first not in ("a", "b", "c")
"""


def sh(w, command, cwd=None):
    return subprocess.run(["sh", "-c", command], cwd=cwd or w.project, capture_output=True,
                          text=True, env=w.env(PYTHONDONTWRITEBYTECODE="1"))


def case_fd01_set_order(w):
    w.write("test_a.py", SET_ORDER)
    r, (f,) = report(w, "test_a.py::test_x", "--doctor-budget=100")
    check(r.status == 1, r)
    check(f["verdict"] == "flaky-hashseed" and f["claim"] == "observed", f["verdict"], r)
    check(f["verify"]["runs"] == f["verify"]["failed"] == 10, f["verify"])
    check(f["counterfactual"]["runs"] == 10 and f["counterfactual"]["failed"] == 0, f)
    for _ in range(2):
        done = sh(w, f["repro"]["command"])
        check(done.returncode == 1 and "1 failed" in done.stdout, done)
    rows = {line.split()[0]: line for line in r.out.splitlines() if line.startswith("   ")
            and line.strip()}
    check(rows["VERIFY:"].rstrip().endswith("10     10 ✓ deterministic"), r)
    check(rows["counterfactual:"].rstrip().endswith("10      0 ✓ passes"), r)
    check(f'   {f["repro"]["marker"]}\n' in r.out, r)
    check(f["repro"]["marker"] == f'@pytest.mark.flakedoctor_repro("{f["repro"]["blob"]}")', f)
    for line in r.out.splitlines():
        pasted = f["repro"]["command"] in line or f["repro"]["marker"] in line
        check(len(line) <= 72 or pasted, line)
    w.check_clean()


def case_fd02_pid_parity(w):
    w.write("test_a.py", "import os\ndef test_x():\n    assert os.getpid() % 2\n")
    r, (f,) = report(w, "test_a.py::test_x", "--doctor-budget=12")
    check(r.status == 1 and f["verdict"] == "flaky-unattributed", r)
    check(f["cause"] == [] and f["repro"] is None, f)


def case_fd03_stable(w):
    w.write("test_a.py", "def test_w():\n    pass\n\ndef test_x():\n    assert True\n")
    r, (f,) = report(w, "test_a.py::test_x", "--doctor-budget=90")
    check(r.status == 0 and f["verdict"] == "not-flaky" and f["repro"] is None, r)
    skipped = {s["axis"]: s["reason"] for s in f["axes_skipped"]}
    check(set(skipped.values()) == {"the test does not touch it"}, skipped)
    check(not {"hashseed", "address", "order"} & skipped.keys(), "never untouched", skipped)


def case_fd04_always_fails(w):
    w.write("test_a.py", "def test_x():\n    assert False\n")
    r, (f,) = report(w, "test_a.py::test_x", "--doctor-budget=90")
    check(r.status == 4 and f["verdict"] == "deterministic-failure", r)
    check(f["baseline"]["failed"] == f["baseline"]["runs"] and f["cause"] == [], f["baseline"])
    check(not [e for e in f["evidence"] if e["label"].startswith(("provoke", "VERIFY"))], r)


def case_fd05_hangs(w):
    w.write("test_a.py", "import subprocess\ndef test_x():\n    subprocess.run(['sleep', '1200'])\n")
    r, (f,) = report(w, "test_a.py::test_x", "--doctor-budget=48", "--doctor-allow-side-effects")
    check(r.status == 4 and f["verdict"] == "hang", r)
    check(r.took >= 12, "the first run has a quarter of the budget", r)
    check({p["exception"] for p in f["baseline"]["fingerprints"]} == {"<hang>"}, f["baseline"])
    w.check_clean()  # the sleep is gone too


def case_fd06_crashes(w):
    w.write("test_a.py", "import os, signal\ndef test_x():\n"
            "    if os.urandom(1)[0] < 128:\n        os.kill(os.getpid(), signal.SIGSEGV)\n")
    r, (f,) = report(w, "test_a.py::test_x", "--doctor-budget=100")
    check(r.status == 1 and f["verdict"] == "flaky-rng", r)
    check(f["failure"]["exception"] == "<SIGSEGV>", f["failure"])


def case_fd07_nothing_to_run(w):
    w.write("test_a.py", "import pytest\n@pytest.mark.skip\ndef test_x():\n    pass\n")
    for words, verdict, status in ((["test_a.py::test_y"], "usage-error", 2),
                                   (["test_a.py::test_x", "-k", "nothing"], "no-tests", 5),
                                   (["test_a.py::test_x"], "skipped", 0)):
        r, (f,) = report(w, *words)
        check(f["verdict"] == verdict and r.status == status, words, r)
        check(f["stats"]["trials"] == 1, words, f["stats"])


def case_fd11_nothing_passes(w):
    w.write("test_a.py", "import time\ndef test_x():\n    assert time.time() < 1000\n")
    r, (f,) = report(w, "test_a.py::test_x", "--doctor-budget=60")
    check(f["cause"] == [] and not f["verdict"].startswith("flaky-time"), r)
    check(r.status in (3, 4), r)


def case_fd17_below_the_root(w):
    """Ids are those of the root, what is printed is for where the reader stands."""
    w.write("pytest.ini", "[pytest]\n")
    w.write("sub/test_a.py", "import pytest\n"
            "@pytest.mark.parametrize('x', [1], ids=['$HOME \\'q\\' `id`'])\n"
            "def test_x(x):\n    assert next(iter({'a', 'b', 'c', 'd'})) != 'a'\n")
    r, (f,) = report(w, "test_a.py::test_x", "--doctor-budget=100", cwd=w.project / "sub")
    check(r.status == 1, r)
    check(f["nodeid"] == "sub/test_a.py::test_x[$HOME 'q' `id`]", f["nodeid"])
    check("sub/" not in f["repro"]["command"], f["repro"]["command"])
    done = sh(w, f["repro"]["command"], cwd=w.project / "sub")
    check(done.returncode == 1 and "1 failed" in done.stdout, f["repro"]["command"], done)


def case_fd18_no_terminal(w):
    """The JSON is written, its folders are made; nothing of the user's way to run pytest harms."""
    w.write("lib/pip.py", "MARK = 1\n")
    w.write("test_a.py", "import os, pip\ndef test_x():\n"
            "    os.write(1, b'\\xff\\xfe')\n    assert pip.MARK == 2, '\\udc80 \\xff'\n")
    path = w.folder / "new" / "er" / "o.json"
    r = pytest(w, "test_a.py::test_x", "--doctor", "-p", "no:terminal", "--doctor-budget=6",
               f"--doctor-json={path}", path=[str(w.project / "lib")],
               env={"PYTEST_ADDOPTS": "-n auto"})
    check(r.out == "" and r.status in (3, 4), r)
    (f,) = findings(path)
    check(f["baseline"]["failed"] == f["baseline"]["runs"] > 0, f["baseline"])
    check(f["failure"]["exception"] == "AssertionError", "the user's pip, not another", f)


def case_fd18_unwritable(w):
    w.write("test_a.py", "def test_x():\n    open('ran', 'w')\n")
    for words in (["--doctor-json=/proc/none/o.json"], [f"--doctor-json={w.project}"],
                  ["--doctor-runs=0"], ["--doctor-budget=long"], ["--doctor-max=-1"],
                  ["--doctor-repro=fd1:abc"]):
        for target in ("test_a.py::test_x", "test_a.py"):
            r = pytest(w, target, "--doctor", *words)
            check(r.status == 4 and "ERROR: " in r.err, words, r)
            check(words[0].split("=")[0] in r.err or "/proc/none" in r.err, words, r)
    check(not (w.project / "ran").exists(), "nothing was run")


def case_fd22_budget(w):
    w.write("test_a.py", SET_ORDER)
    r, (f,) = report(w, "test_a.py::test_x", "--doctor-budget=0")
    check(r.status == 3 and f["verdict"] == "incomplete" and f["repro"] is None, r)
    r, (f,) = report(w, "test_a.py::test_x", "--doctor-budget=3")
    check(f["verdict"] in ("incomplete", "flaky-unattributed") and f["cause"] == [], r)


SUITE = """
import os
def test_fine():
    pass
def test_coin():
    assert not os.path.exists(os.environ["FAILS"])
def test_also_fine():
    pass
class TestMore:
    def test_broken(self):
        assert 0
def test_third():
    assert 0
"""


def suite(w, *words, **how):
    path = w.write("fails", "")
    w.write("test_a.py", SUITE)
    return report(w, *words, "--doctor-max=2", "--doctor-budget=8", "-p", "no:randomly",
                  env={"FAILS": str(path)}, **how)


def check_suite(r, found):
    check(r.status == 1, "pytest's own status", r)
    check([f["nodeid"] for f in found] == ["test_a.py::test_coin",
                                          "test_a.py::TestMore::test_broken"], r)
    check("1 more failing test was not diagnosed (--doctor-max=2, " in r.out, r)
    check("  test_a.py::test_third\n" in r.out, r)
    check(re.search(r"3 failed, 2 passed, 2 diagnosed", r.out), r)
    check(r.out.count("━━━ flaky-repro ━") == 2, r)


def case_suite(w):
    r, found = suite(w, "test_a.py")
    check_suite(r, found)
    check(r.out.index("flaky-repro") < r.out.index("short test summary"), r)


def case_suite_of_workers(w):
    """The controller diagnoses when the workers are gone; each worker's order is its own."""
    if subprocess.run([w.python, "-c", "import xdist"], capture_output=True).returncode:
        skip("pytest-xdist is not installed for " + w.python)
    r, found = suite(w, "test_a.py", "-n", "2", "--dist", "loadfile")
    check_suite(r, found)


def case_suite_without_a_failure(w):
    w.write("test_a.py", "def test_x():\n    pass\ndef test_y():\n    pass\n")
    r, found = report(w, "test_a.py")
    check(r.status == 0 and found == [] and "nothing to diagnose" in r.out, r)


def case_order_of_the_run_is_handed_over(w):
    """What ran before each failing test, in order, is what the program is asked about."""
    w.write("test_a.py", "def test_1(): pass\ndef test_2(): assert 0\ndef test_3(): pass\n"
            "def test_4(): assert 0\n")
    w.write("program", "#!/bin/sh\nread line\nprintf '%s\\n' \"$line\" >>asked\n"
            "echo '{\"v\": 1, \"status\": 0, \"text\": \"\", \"diagnosed\": 0}'\n").chmod(0o755)
    r = pytest(w, "test_a.py", "--doctor", "-p", "no:randomly",
               env={"FLAKY_REPRO": str(w.project / "program")})
    check(r.status == 1, r)
    first, last = map(json.loads, (w.project / "asked").read_text().splitlines())
    check(first["ask"] == "check" and last["ask"] == "doctor", first, last)
    check(last["tests"] == [
        {"id": "test_a.py::test_2", "before": ["test_a.py::test_1"]},
        {"id": "test_a.py::test_4", "before": ["test_a.py::test_1", "test_a.py::test_2",
                                              "test_a.py::test_3"]}], last)


def case_one_test_selected(w):
    """A single test is diagnosed, not run, however it was selected."""
    w.write("test_a.py", "def test_x():\n    assert 0\ndef test_y():\n    pass\n")
    r, (f,) = report(w, "-k", "test_x", "--doctor-budget=8")
    check(f["nodeid"] == "test_a.py::test_x" and r.status in (3, 4), r)
    check("1 diagnosed" in r.out and "1 failed" not in r.out, r)


def case_ini(w):
    w.write("pytest.ini", "[pytest]\ndoctor_runs = 0\ndoctor_json = out/o.json\n"
            "doctor_budget = 5\naddopts = --doctor\n")
    w.write("test_a.py", "def test_x():\n    assert 0\n")
    r = pytest(w, "test_a.py::test_x")
    check(r.status == 4 and "doctor_runs: \"0\" is not" in r.err, r)
    r = pytest(w, "test_a.py::test_x", "--doctor-runs=12")
    check(r.status in (3, 4) and findings(w.project / "out" / "o.json"), r)


def case_runs_are_the_least(w):
    w.write("test_a.py", "import os\ndef test_x():\n    assert os.urandom(1)[0] < 128\n")
    r, (f,) = report(w, "test_a.py::test_x", "--doctor-runs=150", "--doctor-budget=60")
    check(sum(e["runs"] for e in f["evidence"] if e["label"].startswith("baseline")) >= 150, r)


def case_beside_a_peer(w):
    """pytest-flakedoctor has options of the same names: where it is installed they are its own."""
    w.write("lib/flakedoctor/__init__.py", "")
    w.write("lib/flakedoctor/_probe.py", "")
    w.write("lib/flakedoctor/plugin.py", "def pytest_addoption(parser):\n"
            "    parser.getgroup('theirs').addoption('--doctor', action='store_true')\n"
            "def pytest_report_header(config):\n    return f'theirs: {config.option.doctor}'\n")
    w.write("test_a.py", "def test_x():\n    pass\ndef test_y():\n    pass\n")
    for words in ([], ["--doctor"]):
        r = pytest(w, "test_a.py", "-p", "flakedoctor.plugin", *words, path=[w.project / "lib"])
        check(r.status == 0 and "2 passed" in r.out and f"theirs: {bool(words)}" in r.out, r)
    r = w.run("test_a.py::test_x", "--", "-p", "flakedoctor.plugin", budget=3,
              env={"PYTHONPATH": w.project / "lib"})
    check(r.status in (0, 3) and "could not run" not in r.out, "trials live with it too", r)


def case_without_the_program(w):
    w.write("test_a.py", "def test_x():\n    pass\n")
    r = pytest(w, "test_a.py", "--doctor", env={"FLAKY_REPRO": "/nowhere/flaky-repro"})
    check(r.status == 4 and "FLAKY_REPRO" in r.err and "Traceback" not in r.err, r)
    r = pytest(w, "test_a.py", env={"FLAKY_REPRO": "/nowhere/flaky-repro"})
    check(r.status == 0, "it is not needed", r)


def case_sessions_inside_tests_are_left_alone(w):
    """A variable asks the outer session for a diagnosis, not what its tests start."""
    w.write("inner/test_b.py", "def test_y():\n    assert 0\n")
    w.write("test_a.py", "import subprocess, sys\ndef test_x():\n"
            "    r = subprocess.run([sys.executable, '-m', 'pytest', '-p', 'flaky_repro.plugin',\n"
            "                        'inner/test_b.py::test_y'], capture_output=True, text=True)\n"
            "    assert '1 failed' in r.stdout, r.stdout\ndef test_z():\n    pass\n")
    r = pytest(w, "test_a.py", env={"PYTEST_ADDOPTS": "--doctor"})
    check(r.status == 0 and "2 passed" in r.out, r)


def case_interrupted(w):
    """Ctrl-C reaches both processes: what is known is printed and written."""
    w.write("test_a.py", "import time\ndef test_x():\n    time.sleep(0.3)\n")
    path = w.folder / "o.json"
    p = subprocess.Popen(
        [w.python, "-m", "pytest", "-p", "flaky_repro.plugin", "test_a.py::test_x", "--doctor",
         f"--doctor-json={path}"], cwd=w.project, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        env=w.env(FLAKY_REPRO=w.program, PYTHONPATH=w.plugin, PYTHONDONTWRITEBYTECODE="1"))
    said = b""
    while b"baseline" not in said and b"diagnosing" not in said:
        said += os.read(p.stderr.fileno(), 4096)
    time.sleep(6)
    os.killpg(p.pid, signal.SIGINT)
    out, err = p.communicate(timeout=60)
    check(p.returncode == 130, p.returncode, out.decode(), err.decode())
    check(b"interrupted" in out and b"Traceback" not in err, out.decode(), err.decode())
    check(findings(path)[0]["verdict"] == "incomplete", path.read_text())
    w.check_clean()


def case_console_script(w):
    w.write("test_a.py", "def test_x():\n    assert 0\n")
    alias = pathlib.Path(w.plugin).parent / "alias"

    def script(*words):
        return subprocess.run(
            [w.python, "-c", "import sys, flakedoctor; sys.exit(flakedoctor.main())", *words],
            cwd=w.project, capture_output=True, text=True, timeout=120,
            env=w.env(PYTHONPATH=f"{alias}:{w.plugin}", FLAKY_REPRO=w.program,
                      PYTHONDONTWRITEBYTECODE="1"))
    for words in ((), ("-h",), ("--help",)):
        r = script(*words)
        check(r.returncode == 0 and r.stdout.startswith("usage: flakedoctor NODEID"), r)
    r = script("test_a.py::test_x", "--doctor-budget=5")
    check(r.returncode in (3, 4) and "test_a.py::test_x" in r.stdout, r)


def case_python_api(w):
    w.write("test_a.py", "def test_x():\n    assert 0\n")
    code = ("import flakedoctor as d, json, sys\n"
            "found = d.diagnose('test_a.py::test_x', runs=10, budget=5, invocation_dir=sys.argv[1])\n"
            "assert d.DoctorSettings().runs == 10 and d.DoctorSettings().verify_runs == 10\n"
            "assert found.nodeid == 'test_a.py::test_x', found\n"
            "assert found.evidence[0]['runs'] and found.repro is None and found.headline\n"
            "try:\n    d.diagnose('test_a.py::test_x', runs=0, invocation_dir=sys.argv[1])\n"
            "except d.DoctorError as why:\n    assert '1 to 1000' in str(why)\n"
            "print(found.verdict)\n")
    alias = pathlib.Path(w.plugin).parent / "alias"
    r = subprocess.run([w.python, "-c", code, str(w.project)], capture_output=True, text=True,
                       cwd=w.folder, timeout=120,
                       env=w.env(PYTHONPATH=f"{alias}:{w.plugin}", FLAKY_REPRO=w.program))
    check(r.returncode == 0 and r.stdout.strip() in ("deterministic-failure", "incomplete"), r)


if __name__ == "__main__":
    main(globals())
