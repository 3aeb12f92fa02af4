#!/usr/bin/env python3
"""Prints a table of ratios, all measured in one run; asserts nothing about speed.

    bench.py TOOL LIBFD BENCH_CLOCK TRIAL_TOOL PYTHON [RUNS]

Machines are noisy: pairs are measured in turn (A B A B …) and medians are compared.
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

TOOL, LIB, CLOCK, TRIAL, PYTHON = (os.path.abspath(p) if os.sep in p else p
                                   for p in sys.argv[1:6])
RUNS = int(sys.argv[6]) if len(sys.argv) > 6 else 15
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLUGIN = ROOT / "runner" / "plugin"

def clean_env(**more):
    """Without what only some have set: bytecode that is compiled anew in each run, for one."""
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("FD_", "LD_", "PYTEST_")) and
           k not in ("PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH")}
    env.update(more)
    return env


def timed(argv, env, cwd):
    began = time.perf_counter()
    subprocess.run(argv, env=env, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - began


def paired(a, b, runs=RUNS):
    """Median seconds of both, and the median of the ratios pair by pair."""
    pairs = [(a(), b()) for _ in range(runs)]
    return (statistics.median(x for x, _ in pairs), statistics.median(y for _, y in pairs),
            statistics.median(x / y for x, y in pairs))


def row(what, ours, other, ratio, target):
    print(f"{what:44s} {ours:>12s} {other:>12s} {ratio:>8s}   {target}", flush=True)


def warm_run(folder):
    """One at a time, as the bare fork is; then as a diagnosis has them, two at a time."""
    said = subprocess.run([sys.executable, str(ROOT / "tests/plugin/bench_warm.py"), TRIAL, LIB,
                           str(PLUGIN), PYTHON], env=clean_env(), capture_output=True,
                          text=True).stdout
    warm, bare, ratio = (float(word) for word in re.findall(r"[0-9.]+", said))
    row("warm run of an empty test / bare fork", f"{warm / 1e3:.2f} ms", f"{bare / 1e3:.2f} ms",
        f"{ratio:.2f}", "<= 4")
    out = folder / "finding.json"
    subprocess.run([TOOL, "test_empty.py::test_empty", "--python", PYTHON, "--budget", "8", "-q",
                    "--json", str(out)], cwd=folder, env=clean_env(), stdout=subprocess.DEVNULL)
    took = json.loads(out.read_text())["baseline"]["median_seconds"]
    row("  the same in a diagnosis, two at a time", f"{took * 1e3:.2f} ms", "", "", "")


def fresh_run(folder):
    plain = [PYTHON, "-m", "pytest", "test_empty.py"]
    ours = [PYTHON, "-m", "pytest", "-p", "flaky_repro._trial", "test_empty.py"]

    def with_us():
        trial = tempfile.mkdtemp(dir=folder)
        return timed(ours, clean_env(LD_PRELOAD=LIB, PYTHONPATH=str(PLUGIN), FR_TRIAL=trial),
                     folder)

    a, b, ratio = paired(with_us, lambda: timed(plain, clean_env(), folder))
    row("fresh run / the same pytest without us", f"{a * 1e3:.0f} ms", f"{b * 1e3:.0f} ms",
        f"{ratio:.3f}", "<= 1.05")


def clock_call():
    def ask(**env):
        return float(subprocess.run([CLOCK], env=clean_env(**env), capture_output=True,
                                    text=True).stdout)
    a, b, ratio = paired(lambda: ask(LD_PRELOAD=LIB), ask, 5)
    row("clock_gettime, nothing held / bare", f"{a:.1f} ns", f"{b:.1f} ns", f"{ratio:.2f}",
        f"difference {a - b:+.1f} ns, <= 10")


def startup(folder):
    argv = [PYTHON, "-c", "pass"]
    a, b, ratio = paired(lambda: timed(argv, clean_env(LD_PRELOAD=LIB), folder),
                         lambda: timed(argv, clean_env(), folder), 2 * RUNS)
    row("python start-up with libfd.so / without", f"{a * 1e3:.1f} ms", f"{b * 1e3:.1f} ms",
        f"{ratio:.3f}", f"difference {(a - b) * 1e3:+.2f} ms, <= 3")


def hash_order(folder):
    example = ROOT / "examples" / "hash_order"
    target = next(example.glob("test_*.py"))
    seconds, right = [], 0
    for _ in range(5):
        out = folder / "hash.json"
        began = time.perf_counter()
        subprocess.run([TOOL, str(target), "--python", PYTHON, "-q", "--json", str(out)],
                       cwd=example, env=clean_env(), stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - began)
        found = json.loads(out.read_text())
        found = found.get("findings", [found])[-1]
        right += found["verdict"] == "flaky-hashseed" and found["verify"]["failed"] == 10
    row("hash-order example, diagnosed and verified", f"{statistics.median(seconds):.1f} s",
        f"{min(seconds):.1f}-{max(seconds):.1f} s", f"{right}/5", "<= 6 s (a peer: 8.7 s)")


STABLE = """import os
import time


def test_stable(tmp_path):
    began = time.time()
    (tmp_path / "f").write_text(os.environ.get("USER", "nobody"))
    assert sorted(os.listdir(tmp_path)) == ["f"]
    assert time.time() - began < 60
"""


def stable(folder):
    """Cleared, in the time of the 44 runs a peer makes of a stable test: its budget here."""
    (folder / "test_stable.py").write_text(STABLE)
    plain = [PYTHON, "-m", "pytest", "-q", "test_stable.py"]
    peer = 44 * statistics.median(timed(plain, clean_env(), folder) for _ in range(RUNS))
    out = folder / "stable.json"
    began = time.perf_counter()
    subprocess.run([TOOL, "test_stable.py::test_stable", "--python", PYTHON, "-q", "--json",
                    str(out), "--budget", f"{peer:.1f}"], cwd=folder, env=clean_env(),
                   stdout=subprocess.DEVNULL)
    took = time.perf_counter() - began
    found = json.loads(out.read_text())
    base = found["baseline"]
    row("a stable test cleared / 44 fresh runs", f"{took:.1f} s", f"{peer:.1f} s",
        f"{took / peer:.2f}", f"<= 1; {found['verdict']}, {base['runs']} runs, "
        f"{base['processes']} processes")


def order(folder):
    (folder / "state.py").write_text("SEEN = []\n")
    tests = "".join(f"def test_{i}():\n    {'state.SEEN.append(1)' if i == 31 else 'pass'}\n"
                    for i in range(49))
    (folder / "test_order.py").write_text(
        f"import state\n{tests}def test_victim():\n    assert not state.SEEN\n")
    seconds, right = [], 0
    for _ in range(5):
        out = folder / "order.json"
        began = time.perf_counter()
        subprocess.run([TOOL, "test_order.py::test_victim", "--python", PYTHON, "-q", "--json",
                        str(out)], cwd=folder, env=clean_env(), stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - began)
        found = json.loads(out.read_text())
        right += (found["verdict"] == "flaky-order" and found["verify"]["failed"] == 10
                  and found["counterfactual"] == {"value": "order=alone", "runs": 10, "failed": 0})
    row("50 tests with one polluter, verified 10/10", f"{statistics.median(seconds):.1f} s",
        f"{min(seconds):.1f}-{max(seconds):.1f} s", f"{right}/5", "<= 6 s (a peer: 21 s)")


def main():
    print(f"{'':44s} {'ours':>12s} {'other':>12s} {'ratio':>8s}   target")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "test_empty.py").write_text("def test_empty():\n    pass\n")
        warm_run(folder)
        fresh_run(folder)
        clock_call()
        startup(folder)
        hash_order(folder)
        order(folder)
        stable(folder)


main()
