#!/usr/bin/env python3
"""Prints what sampling costs, all measured in one run; asserts nothing about speed.

    sampling.py TOOL PLUGIN BENCH_BOOTSTRAP PYTHON [ROUNDS]

Side by side: N cases sampled K times, and plain pytest on the same file with K parameters more a
case. Measured in turn (A B A B …); medians are compared.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

TOOL, PLUGIN, BOOTSTRAP, PYTHON = (os.path.abspath(p) if os.sep in p else p
                                   for p in sys.argv[1:5])
ROUNDS = int(sys.argv[5]) if len(sys.argv) > 5 else 5
BODY = """import pytest

{times}@pytest.mark.parametrize("case", range({cases}))
def {name}(case{argument}):
    assert case >= 0
"""


def environment(**more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("FD_", "LD_", "PYTEST_"))}
    return {**env, "PYTHONPATH": PLUGIN, "FLAKY_REPRO": TOOL, **more}


def timed(folder, *words):
    began = time.perf_counter()
    done = subprocess.run([PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
                          cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    return time.perf_counter() - began


def row(what, ours, other, more):
    print(f"{what:34s} {ours:>10s} {other:>10s}   {more}", flush=True)


def sampled(folder, cases, runs, rounds):
    plain = folder / "plain"
    bench = folder / "bench"
    for place in (plain, bench):
        place.mkdir(exist_ok=True)
    (plain / "test_same.py").write_text(BODY.format(
        times=f'@pytest.mark.parametrize("run", range({runs}))\n', cases=cases, name="test_same",
        argument=", run"))
    (bench / "bench_same.py").write_text(BODY.format(times="", cases=cases, name="bench_same",
                                                     argument=""))
    ours = ("-p", "flaky_repro.plugin", f"--prob-runs={runs}",
            f"--prob-json={folder / 'report.json'}", "bench_same.py")
    pairs = [(timed(bench, *ours), timed(plain, "test_same.py")) for _ in range(rounds)]
    a, b = (statistics.median(side) for side in zip(*pairs))
    ratio = statistics.median(x / y for x, y in pairs)
    row(f"{cases} cases x {runs} runs / plain pytest", f"{a:.2f} s", f"{b:.2f} s",
        f"{ratio:.2f}; {(a - b) / (cases * runs) * 1e3:+.3f} ms a run, at most 0.4 (a peer)")


def main():
    print(f"{'':34s} {'ours':>10s} {'other':>10s}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sampled(folder, 10, 100, ROUNDS)
        sampled(folder, 100, 1000, 1)
    said = subprocess.run([BOOTSTRAP], capture_output=True, text=True, check=True).stdout
    for line in said.splitlines():
        print(f"{line.strip()} (a peer: 290)")


main()
