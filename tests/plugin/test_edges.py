"""Sampling where something beside the runs is not as it should be."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sampling import check, collected, main, pytest  # noqa: E402


def case_program_lost_on_the_way(w):
    """Nothing more is spent on runs that nobody counts; a gate does not ask in vain."""
    w.write("bench_x.py", "import os, signal, time\ndef bench_a():\n    me = os.getpid()\n"
            "    for child in open(f'/proc/self/task/{me}/children').read().split():\n"
            "        os.kill(int(child), signal.SIGKILL)\n    time.sleep(0.1)\n")
    for more in ((), ("--prob-min-rate=0.5", "--prob-stop=curtail"), ("--prob-min-rate=0.5",)):
        r = pytest(w, "--prob-runs=20", *more)
        check(r.status == 3 and "INTERNALERROR" not in r.out, r)
        check("is gone" in r.out and "flaky-repro report JOURNAL" in r.out, r)
        check("20 passed" not in r.out, r)


def case_no_place_for_the_report(w):
    """Said before anything runs; else the session fails at its end."""
    w.write("bench_x.py", "def bench_a(): open('ran', 'w')\n")
    (w.project / "file").write_text("")
    for path in (".", "file/out.json", "/dev/stdout"):
        r = pytest(w, f"--prob-json={path}")
        check(r.status == 4 and "--prob-json: " in r.err and "hint: " in r.err, r)
        check(not (w.project / "ran").exists(), path, r)
    r = pytest(w, "--prob-json=new/folder/out.json")
    check(r.status == 0 and (w.project / "new/folder/out.json").exists(), r)
    r = pytest(w, "--prob-json=/proc/nowhere/out.json")
    check(r.status == 1 and "1 passed" in r.out and "/proc/nowhere" in r.out, r)


def case_nothing_to_gain(w):
    """Inputs that are always right or always wrong: more runs of them show nothing new; with one
    run that was another way, next to nothing."""
    w.write("bench_x.py", "import pytest\n_n = []\n"
            "@pytest.mark.parametrize('i', range(60))\ndef bench_a(i): assert i % 2\n"
            "@pytest.mark.parametrize('i', range(60))\ndef bench_b(i):\n"
            "    _n.append(i)\n    assert i % 2 or len(_n) == 2\n")
    r = pytest(w, "--prob-runs=10", "--tb=no")
    check("interval ±0%" in r.out and "interval −<1%" in r.out, r)


def case_colons_in_an_id(w):
    """pytest takes them for the border of a node."""
    w.write("bench_x.py", "import pytest\n"
            "@pytest.mark.parametrize('x', ['c::d', 'c::de', 'e'])\ndef bench_a(x): pass\n")
    for arg, ids in (("c::d", ["c::d[run1]", "c::d[run2]"]), ("c::d[run2]", ["c::d[run2]"]),
                     ("e", ["e[run1]", "e[run2]"])):
        r = pytest(w, "--co", "-q", "--prob-runs=2", f"bench_x.py::bench_a::{arg}")
        check(collected(r) == [f"bench_a::{i}" for i in ids], arg, r)
    r = pytest(w, "--prob-runs=2", "bench_x.py::bench_a::c::x")
    check(r.status == 4 and "not found: bench_x.py::bench_a::c::x" in r.err, r)


if __name__ == "__main__":
    main(globals())
