"""Recorded failures inside pytest: --doctor-repro=BLOB and the mark flakedoctor_repro, with repros
as the program makes them and as another hand could."""
import base64
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from world import check, main, skip  # noqa: E402
from doctor import blob, plain, pytest, report  # noqa: E402

LEAP = """
import time
def test_x():
    assert time.gmtime().tm_mday != 29
"""
LEAP_TIME = {"time": "2024-02-29T12:00:00Z/freeze"}


def leap(nodeid="test_a.py::test_x", line=4, **more):
    return blob(nodeid, LEAP_TIME, site=f"test_a.py:{line}", **more)


def marked(mark, body=LEAP, name="test_x"):
    return "import pytest\n" + body.replace(f"def {name}", f"{mark}\ndef {name}")


ADDS = "import shop\n\ndef test_adds():\n    shop.ITEMS.append(1)\n"
IS_EMPTY = "import shop\n\ndef test_is_empty():\n    assert shop.ITEMS == []\n"


def case_fd13_the_recorded_order_is_kept(w):
    """However the arguments stand; a test that is gone is named, and nothing is claimed."""
    w.write("shop.py", "ITEMS = []\n")
    w.write("test_a.py", ADDS)
    w.write("test_b.py", IS_EMPTY)
    word = blob("test_b.py::test_is_empty", {"order": "0"}, order=["test_a.py::test_adds"],
                print={"phase": "call", "type": "AssertionError", "site": "test_b.py:4"})
    for arguments in (["test_b.py::test_is_empty", "test_a.py::test_adds"],
                      ["test_b.py::test_is_empty"]):
        r = pytest(w, *arguments, f"--doctor-repro={word}")
        check(r.status == 1 and "reproduced" in r.out + r.err, r)
    w.write("test_a.py", ADDS.replace("test_adds", "test_gone"))
    r = pytest(w, "test_b.py::test_is_empty", f"--doctor-repro={word}")
    check(r.status == 3 and "DID NOT REPRODUCE" in r.out + r.err, r)
    check("test_a.py::test_adds, which ran before it, is not there any more" in r.out + r.err, r)


def case_a_recording_that_names_a_line_of_the_standard_library(w):
    """As they were made once: the line that called it is named now. The type still has to fit."""
    w.write("test_a.py", """
import json, time
def test_x():
    json.loads("{" if time.gmtime().tm_mday == 29 else "{}")
""")
    site = "/opt/python/lib/python3.9/json/decoder.py:355"
    for kind, status in (("JSONDecodeError", 1), ("UnicodeDecodeError", 3)):
        word = blob("test_a.py::test_x", LEAP_TIME,
                    print={"phase": "call", "type": kind, "site": site})
        r = pytest(w, "test_a.py::test_x", f"--doctor-repro={word}")
        check(r.status == status, kind, r)


def case_fd14_refused(w):
    w.write("test_a.py", LEAP + "def test_y():\n    pass\n")
    peer = base64.urlsafe_b64encode(zlib.compress(plain(
        {"v": 1, "tool": "pytest-flakedoctor", "py": "3.11", "axes": {}}))).decode()
    for word, why in (
            (blob("test_a.py::test_x", {"weather": "1"}), '"weather", an axis this version does'),
            (blob("test_a.py::test_x", {"time": {"v": 2, "value": "now"}}), "newer version"),
            (leap(v=2), "newer version"),
            (leap("test_a.py::test_y"), "recorded for test_a.py::test_y, which is not the test"),
            (leap(node="0" * 16), "recorded for another test"),
            (leap(tool=7), "made by"),
            (blob("test_a.py::test_x", {"time": {"v": 1, "value": 7}}), "a value in it"),
            (blob("test_a.py::test_x", ["time"]), "lacks a field"),
            (blob("test_a.py::test_x", {"time": {"v": 1, "value": "now", "tick": 1}}), "a value"),
            (leap(kwargs={"x": 1}), "a field this version does not know"),
            ("fd1:" + peer, 'made by "pytest-flakedoctor"'),
            ("hello", "is not a repro"),
            (leap()[:-9], "damaged")):
        r = pytest(w, "test_a.py::test_x", f"--doctor-repro={word}")
        check(r.status == 4 and "ERROR: " in r.err and why in r.err, why, r)
        check("passed" not in r.out and "failed" not in r.out, "nothing was run", r)
    r = pytest(w, "--doctor", f"--doctor-repro={leap()}")
    check(r.status == 4 and "two different things" in r.err, r)


def case_fd15_hash_seed_of_the_user(w):
    w.write("test_a.py", "def test_x():\n    assert hash('a') % 2\n")
    even = next(n for n in range(1, 99) if not int(subprocess.run(
        [w.python, "-c", "print(hash('a') % 2)"], capture_output=True, text=True,
        env=w.env(PYTHONHASHSEED=n)).stdout))
    word = blob("test_a.py::test_x", {"hashseed": str(even)}, site="test_a.py:2")
    r = pytest(w, "test_a.py", f"--doctor-repro={word}", env={"PYTHONHASHSEED": even + 1})
    check(r.status == 4 and f"PYTHONHASHSEED={even}," in r.err, r)
    for seed in (None, even, "random"):
        r = pytest(w, "test_a.py", f"--doctor-repro={word}", env={"PYTHONHASHSEED": seed})
        check(r.status == 1 and "1 failed" in r.out and "\nreproduced: " in r.out, seed, r)


def case_repro(w):
    w.write("test_a.py", LEAP + "def test_y():\n    pass\n")
    for words in (["test_a.py::test_x"], ["test_a.py"], []):
        r = pytest(w, *words, f"--doctor-repro={leap()}", "-v", "--tb=long")
        check(r.status == 1 and "test_a.py::test_x FAILED" in r.out and "1 failed" in r.out, r)
        check("assert time.gmtime().tm_mday != 29" in r.out, "pytest's own traceback", r)
        check("test_y" not in r.out, "the recorded test alone", r)
    w.write("test_a.py", LEAP.replace("!= 29", "!= 30"))
    r = pytest(w, "test_a.py::test_x", f"--doctor-repro={leap()}")
    check(r.status == 3 and "DID NOT REPRODUCE" in r.out and "1 passed" in r.out, r)
    w.write("test_a.py", LEAP.replace("assert", "raise KeyError if 1 else"))
    r = pytest(w, "test_a.py::test_x", f"--doctor-repro={leap()}")
    check(r.status == 3 and "DID NOT REPRODUCE" in r.out and "KeyError" in r.out, r)


def case_repro_under_a_debugger(w):
    """The recorded setting holds, and the terminal is the debugger's."""
    w.write("test_a.py", LEAP)
    main_, side = pty.openpty()
    p = subprocess.Popen(
        [w.python, "-m", "pytest", "-p", "flaky_repro.plugin", "test_a.py::test_x", "--pdb",
         f"--doctor-repro={leap()}"], cwd=w.project, stdin=side, stdout=side, stderr=side,
        start_new_session=True,
        env=w.env(FLAKY_REPRO=w.program, PYTHONPATH=w.plugin, PYTHONDONTWRITEBYTECODE="1"))
    os.close(side)
    said, answered = b"", 0
    try:
        while True:
            said += os.read(main_, 4096)
            if said.count(b"(Pdb) ") > answered:
                os.write(main_, (b"p time.gmtime()[:3]\n", b"q\n")[min(answered, 1)])
                answered += 1
    except OSError:  # closed: it has ended
        pass
    check(p.wait(60) in (1, 3), said.decode())
    check(b"(2024, 2, 29)" in said, said.decode())


def case_fd16_mark(w):
    """Fails on every ordinary run, alone; the others and what they share are in real time."""
    w.write("test_a.py", marked(f'@pytest.mark.flakedoctor_repro("{leap()}")', """
import time
@pytest.fixture(scope="session")
def built():
    return time.time()
def test_first(built):
    assert time.gmtime().tm_year > 2024
def test_x(built, tmp_path):
    assert time.gmtime().tm_mday != 29
def test_last(built):
    assert time.time() - built < 3600
"""))
    for words in (["-v"], ["-v", "--strict-markers"], ["-p", "no:terminal"]):
        r = pytest(w, "test_a.py", *words)
        check(r.status == 1, r)
    r = pytest(w, "test_a.py", "-v")
    check("test_x FAILED" in r.out and "1 failed, 2 passed" in r.out, r)
    check("tm_mday=29" in r.out and "assert 29 != 29" in r.out, "pytest's own report", r)
    check(r.out.count("test_x FAILED") == 1 and "ERROR" not in r.out, r)
    w.check_clean()


def case_fd16_mark_under_workers(w):
    if subprocess.run([w.python, "-c", "import xdist"], capture_output=True).returncode:
        skip("pytest-xdist is not installed for " + w.python)
    w.write("test_a.py", marked(f'@pytest.mark.flakedoctor_repro("{leap()}")')
            + "def test_y():\n    pass\n")
    r = pytest(w, "test_a.py", "-n", "2")
    check(r.status == 1 and "1 failed, 1 passed" in r.out, r)


def case_fd16_malformed(w):
    w.write("test_a.py", "import pytest\n"
            '@pytest.mark.flakedoctor_repro("fd1:abc")\ndef test_damaged():\n    pass\n'
            "@pytest.mark.flakedoctor_repro\ndef test_empty():\n    pass\n"
            "@pytest.mark.flakedoctor_repro(7)\ndef test_number():\n    pass\n"
            f'@pytest.mark.flakedoctor_repro("{leap()}")\ndef test_other():\n    pass\n'
            f'@pytest.mark.flakedoctor_repro(blob="{leap("test_a.py::test_named", 14)}")\n'
            "def test_named():\n    assert 0\n"
            "def test_fine():\n    pass\n")
    r = pytest(w, "test_a.py", "-v")
    check(r.status == 1 and "1 failed, 1 passed, 4 errors" in r.out, r)
    check("it is damaged" in r.out and "takes one repro" in r.out, r)
    check("recorded for test_a.py::test_x, which is not" in r.out, r)
    check("INTERNALERROR" not in r.out + r.err, r)


def case_fd16_inert(w):
    """Under --doctor and in our own runs the test is as it would be without the mark."""
    w.write("test_a.py", marked(f'@pytest.mark.flakedoctor_repro("{leap(line=6)}")')
            + "def test_y():\n    pass\n")
    r, found = report(w, "test_a.py")
    check(r.status == 0 and "2 passed" in r.out and found == [], r)
    r = pytest(w, "test_a.py::test_x", f"--doctor-repro={leap(line=6)}")
    check(r.status == 1 and "1 failed" in r.out and "reproduced: " in r.out, r)
    w.write("test_a.py", marked(f'@pytest.mark.flakedoctor_repro("{leap(line=6)}")', """
import time
def test_x():
    assert time.gmtime().tm_year > 2024 and next(iter({'a', 'b', 'c', 'd'})) != 'a'
"""))
    r, (f,) = report(w, "test_a.py::test_x", "--doctor-budget=100")
    check(f["verdict"] == "flaky-hashseed", f["verdict"], r)


def case_mark_that_does_not_reproduce(w):
    """Mended: the test passes and a warning says that the mark can go."""
    w.write("test_a.py", marked(f'@pytest.mark.flakedoctor_repro("{leap()}")',
                                LEAP.replace("!= 29", "!= 30")))
    r = pytest(w, "test_a.py")
    check(r.status == 0 and "1 passed, 1 warning" in r.out, r)
    check("DID NOT REPRODUCE" in r.out and "take the mark out" in r.out, r)


def case_mark_for_some_parameters(w):
    w.write("test_a.py", marked(
        f'@pytest.mark.flakedoctor_repro("{leap("test_a.py::test_x[1]")}")\n'
        '@pytest.mark.parametrize("n", [1, 2])', LEAP.replace("test_x()", "test_x(n)")))
    r = pytest(w, "test_a.py", "-v")
    check("test_x[1] FAILED" in r.out, r)
    check(re.search(r"test_x\[2\] (PASSED|FAILED)", r.out), r)
    check("2 passed" not in r.out and "error" not in r.out, r)


def case_mark_of_a_hash_seed_and_of_a_crash(w):
    """What is fixed at the start of an interpreter holds too, since the test gets one of its own."""
    w.write("test_a.py", "import os, sys\ndef test_x():\n"
            "    os.environ['PYTHONHASHSEED'] == '7' and os.kill(os.getpid(), 11)\n")
    text = (w.project / "test_a.py").read_text()
    word = blob("test_a.py::test_x", {"hashseed": "7"}, type_="<SIGSEGV>", site="")
    w.write("test_a.py", marked(f'@pytest.mark.flakedoctor_repro("{word}")', text))
    r = pytest(w, "test_a.py", "-v")
    check(r.status == 1 and "test_x FAILED" in r.out and "<SIGSEGV>" in r.out, r)


def case_mark_leaves_scopes_in_order(w):
    """A fixture of a module ends before the next module, with a marked test at its end."""
    word = leap("test_a.py::test_x")
    w.write("conftest.py", "import pytest\n@pytest.fixture(scope='module', autouse=True)\n"
            "def box(request):\n    open('log', 'a').write(f'+{request.module.__name__} ')\n"
            "    yield\n    open('log', 'a').write(f'-{request.module.__name__} ')\n")
    w.write("test_a.py", "def test_before():\n    pass\n"
            + marked(f'@pytest.mark.flakedoctor_repro("{word}")'))
    w.write("test_b.py", "def test_after():\n    pass\n")
    r = pytest(w)
    check(r.status == 1 and "1 failed, 2 passed" in r.out, r)
    log = (w.project / "log").read_text()
    check(log == "+test_a +test_a -test_a -test_a +test_b -test_b ", log)


def case_time_repro_warns_of_the_zone(w):
    w.write("test_a.py", "import time\ndef test_x():\n    assert time.time() % 1 < 0.6\n")
    r, (f,) = report(w, "test_a.py::test_x", "--doctor-budget=100")
    check(f["verdict"] == "flaky-time", r)
    check(any("unless TZ is set" in x for x in f["warnings"]), f["warnings"])


if __name__ == "__main__":
    main(globals())
