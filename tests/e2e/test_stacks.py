"""Where a hang stands and where a crash happened: the Python stack of every thread, or what the
kernel knows."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from world import check, main  # noqa: E402

HEAD = "import ctypes, os, signal, sys, threading, time\n"


def diagnose(w, text, budget=24):
    w.write("test_a.py", HEAD + text)
    path = w.folder / "o.json"
    r = w.run("test_a.py::test_x", "--json", str(path), budget=budget)
    report = json.loads(path.read_text())
    return r, report, report["stack"] or ""


def hangs(w, text, *words):
    r, report, stack = diagnose(w, text)
    check(r.status == 4 and report["verdict"] == "hang", r)
    for word in words:
        check(word in stack, word, stack)
    check("where it stood" in r.out, r)
    return report, stack


def crashes(w, text, name, *words):
    r, report, stack = diagnose(w, text, budget=12)
    check(report["failure"]["exception"] == f"<{name}>", report["failure"], r)
    for word in words:
        check(word in stack, word, stack)
    check(r.status in (3, 4) and "where it crashed" in r.out, r)
    return report


def case_a_hang_in_the_main_thread(w):
    report, stack = hangs(w, "def wait():\n    time.sleep(3600)\ndef test_x():\n    wait()\n",
                          "line 3 in wait", "line 5 in test_x")
    check(report["failure"]["line"] == 3 and "_pytest" not in stack, report["failure"], stack)


def case_every_thread_of_a_hang(w):
    hangs(w, "def one():\n    time.sleep(3600)\ndef test_x():\n"
          "    t = threading.Thread(target=one)\n    t.start()\n    t.join()\n",
          "line 3 in one", "line 7 in test_x", "Current thread")


def case_a_hang_that_does_not_answer(w):
    """Every signal is blocked: the kernel tells the system call."""
    report, _ = hangs(w, "def test_x():\n    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
                      "    time.sleep(3600)\n", "no Python answered", "nanosleep", "libc")
    check(report["failure"]["file"] is None, report["failure"])


def case_a_hang_in_c_code(w):
    hangs(w, "def test_x():\n    while True:\n        ctypes.PyDLL(None).pause()\n",
          "in test_x")


def case_a_crash_has_its_signal_and_stack(w):
    report = crashes(w, "def deep():\n    ctypes.string_at(0)\ndef test_x():\n    deep()\n", "SIGSEGV",
                     "Segmentation fault", "line 3 in deep", "line 5 in test_x")
    check(report["failure"]["file"] == "test_a.py" and report["failure"]["line"] == 3, report)
    crashes(w, "def test_x():\n    os.abort()\n", "SIGABRT", "Aborted", "line 3 in test_x")


def case_a_crash_in_another_thread(w):
    report = crashes(w, "def deep():\n    ctypes.string_at(0)\ndef test_x():\n"
                     "    t = threading.Thread(target=deep)\n    t.start()\n    t.join()\n",
                     "SIGSEGV", "line 3 in deep", "in test_x")
    check(report["failure"]["line"] == 3, report["failure"])


def case_a_crash_while_a_module_is_imported(w):
    w.write("test_a.py", HEAD + "ctypes.string_at(0)\ndef test_x():\n    pass\n")
    r = w.run("test_a.py::test_x", budget=6)
    check(r.status in (2, 3) and "Traceback" not in r.err, r)


def case_a_crash_by_chance(w):
    r, report, stack = diagnose(w, "import random\ndef test_x():\n    if random.random() < 0.5:\n"
                                "        ctypes.string_at(0)\n", budget=90)
    check(report["verdict"] == "flaky-rng", r)
    check(report["failure"]["exception"] == "<SIGSEGV>" and "line 5 in test_x" in stack, report)


if __name__ == "__main__":
    main(globals())
