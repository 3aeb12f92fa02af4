#!/usr/bin/env python3
"""What flaky-ci costs on a suite in which nothing fails: runs in pairs, with and without it, which
goes first by turns; the median of the ratios.

usage: ci.py FLAKY_CI PYTHON [PAIRS [TESTS]]
"""
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def seconds(words, folder):
    """Of the clock, and of the processor for all that was started."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        sys.exit(done.stdout.decode() + done.stderr.decode())
    took, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime


def compare(name, bare, wrapped, folder, pairs):
    for words in (bare, wrapped):
        seconds(words, folder)  # what is compiled and cached once
    pair = []
    for i in range(pairs):
        both = [None, None]
        for k in ((0, 1) if i % 2 else (1, 0)):
            both[k] = seconds((bare, wrapped)[k], folder)
        pair.append(both)
    for i, what in enumerate(("clock", "processor")):
        low, middle, high = statistics.quantiles([b[i] / a[i] for a, b in pair], n=4)
        bare_ms = statistics.median(a[i] for a, _ in pair) * 1e3
        print(f"{name:28} {what:10} {bare_ms:6.0f} ms bare   ratio {middle:.3f} "
              f"(quartiles {low:.3f} to {high:.3f}, {pairs} pairs)")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    ci, python = (os.path.abspath(word) for word in sys.argv[1:3])
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    tests = int(sys.argv[4]) if len(sys.argv) > 4 else 200
    bare = [python, "-m", "pytest", "-q"]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "test_green.py").write_text(
            f"import pytest\n\n\n@pytest.mark.parametrize('n', range({tests}))\n"
            "def test_one(n, tmp_path):\n    assert n >= 0\n")
        files = ["--junit", "j.xml", "--json", "r.json", "--summary", "s.md", "--code-quality",
                 "q.json"]
        compare(f"flaky-ci, {tests} tests", bare, [ci, "--", *bare], folder, pairs)
        compare("the same, with all files", [*bare, "--junitxml=k.xml"],
                [ci, *files, "--", *bare], folder, pairs)


if __name__ == "__main__":
    main()
