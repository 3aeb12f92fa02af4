#!/usr/bin/env python3
"""Prints what triage costs, all measured in one run; asserts nothing about speed.

    triage.py TOOL PLUGIN PYTHON [ROUNDS]

Off: a suite with the plugin installed, as a package that pytest finds, and without it. On: failures
with --ai-report and without. Measured in turn (A B A B …); medians are compared. Memory is the peak of
each process.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOOL, PLUGIN, PYTHON = (os.path.abspath(p) if os.sep in p else p for p in sys.argv[1:4])
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 7
ENTRY_POINTS = (pathlib.Path(__file__).resolve().parents[2] / "packaging" / "deb" / "dist-info"
                / "entry_points.txt")
TESTS = "def test_{}():\n    assert sum(range(100)) == 4950\n"
FAILING = """
def test_{0}():
    print("x" * 10000)
    raise ValueError({0})
"""
PEAK = """import os, resource
def pytest_unconfigure():
    with open(os.environ["PEAK"], "w") as out:
        out.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
"""
WATCHED = """#!{python}
import os, resource, subprocess, sys
status = subprocess.run([{tool!r}, *sys.argv[1:]]).returncode
with open(os.environ["PEAK"] + ".tool", "w") as out:
    out.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)
"""


class Bench:
    def __init__(self, folder):
        self.folder = folder
        site = folder / "site"
        info = site / "flaky_repro_plugin-0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: flaky-repro-plugin\nVersion: 0\n")
        shutil.copy(ENTRY_POINTS, info)
        self.with_plugin = os.pathsep.join((str(site), PLUGIN))
        for name in ("nothing", "neither"):  # a search for modules is as long without it
            (folder / name).mkdir()
        self.without = os.pathsep.join(str(folder / name) for name in ("nothing", "neither"))
        (folder / "peak.py").write_text(PEAK)
        self.watched = folder / "watched"
        self.watched.write_text(WATCHED.format(python=sys.executable, tool=TOOL))
        self.watched.chmod(0o755)

    def run(self, where, path, *words, status=0, **env):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("FD_", "LD_", "PYTEST_"))}
        env = {**kept, "FLAKY_REPRO": TOOL, "PYTHONPATH": path, **env}
        began, before = time.perf_counter(), os.times()
        done = subprocess.run([PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
                              cwd=where, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
        took, after = time.perf_counter() - began, os.times()
        assert done.returncode == status, done.stdout[-2000:] + done.stderr[-2000:]
        return took, (after.children_user + after.children_system
                      - before.children_user - before.children_system)

    def suite(self, files, tests, body=TESTS):
        where = self.folder / f"suite-{files}-{tests}"
        where.mkdir()
        for i in range(files):
            (where / f"test_{i}.py").write_text("".join(body.format(k) for k in range(tests)))
        return where

    def peaks(self, where, path, *words):
        """In MB: of pytest, and of the program, 0 where it was not asked."""
        peak = self.folder / "peak"
        tool = pathlib.Path(f"{peak}.tool")
        tool.unlink(missing_ok=True)
        self.run(where, os.pathsep.join((path, str(self.folder))), "-p", "peak", *words, status=1,
                 PEAK=str(peak), FLAKY_REPRO=str(self.watched))
        return (int(peak.read_text()) / 1024,
                int(tool.read_text()) / 1024 if tool.exists() else 0)


def row(what, ours, other, more):
    print(f"{what:34s} {ours:>10s} {other:>10s}   {more}", flush=True)


def ratios(pairs):
    """Of wall time and of processors' time, which other programs on the machine disturb less."""
    return [statistics.median(x[i] / y[i] for x, y in pairs) for i in (0, 1)]


def seconds(pairs):
    return [f"{statistics.median(side[i][0] for side in pairs):.2f} s" for i in (0, 1)]


def off(bench, files, tests):
    where = bench.suite(files, tests)
    pairs = [(bench.run(where, bench.with_plugin), bench.run(where, bench.without))
             for _ in range(ROUNDS + 1)][1:]  # the first writes what Python compiles
    wall, work = ratios(pairs)
    row(f"off: {files * tests} tests in {files} files", *seconds(pairs),
        f"{wall:.3f}, of processors {work:.3f}; wanted at most 1.01")


def on(bench, n, rounds):
    where = bench.suite(n // 100, 100, FAILING)
    quiet = ("--tb=short", "--show-capture=no", "-rN")
    reported = (*quiet, f"--ai-report={bench.folder / 'report.json'}")
    pairs = [(bench.run(where, bench.with_plugin, *reported, status=1),
              bench.run(where, bench.with_plugin, *quiet, status=1)) for _ in range(rounds)]
    added, work = (statistics.median(x[i] - y[i] for x, y in pairs) for i in (0, 1))
    row(f"report on: {n} failures", *seconds(pairs),
        f"{added:+.2f} s, of processors {work:+.2f} s"
        + ("; wanted at most 2" if n == 1000 else ""))
    (mine, tool), (plain, _) = (bench.peaks(where, bench.with_plugin, *words)
                                for words in (reported, quiet))
    row("  peak of pytest", f"{mine:.0f} MB", f"{plain:.0f} MB",
        f"{mine / plain:.2f}; {(mine - plain) * 1024 / n:.1f} KB a failure")
    row("  peak of the program", f"{tool:.0f} MB", "", f"{tool * 1024 / n:.1f} KB a failure")


def main():
    print(f"{'':34s} {'ours':>10s} {'other':>10s}")
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(pathlib.Path(name))
        off(bench, 100, 30)
        off(bench, 10, 300)
        on(bench, 1000, ROUNDS)
        on(bench, 4000, 1)


main()
