#!/usr/bin/env python3
"""How often a pure coin is blamed on an axis, end to end: a long campaign, not part of the tests.

    tests/e2e/coins.py PATH/flaky-repro [--coins 200] [--budget 10] [--python PATH]

The coins draw from /proc/sys/kernel/random/uuid, which no axis holds, at p = .1, .3 and .5 in turn.
At most one of 200 may be blamed. Exit status 0: so it is.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

COIN = """import pathlib


def test_coin():
    drawn = pathlib.Path("/proc/sys/kernel/random/uuid").read_text()
    assert int(drawn[:8], 16) / 0x100000000 >= {p}
"""


def diagnose(a, p, seed):
    with tempfile.TemporaryDirectory(prefix="coin-") as folder:
        pathlib.Path(folder, "test_coin.py").write_text(COIN.format(p=p))
        words = [a.program, "test_coin.py::test_coin", "--budget", str(a.budget), "--json", "o.json",
                 "--seed", str(seed), "--log", "none", "-q"]
        if a.python:
            words += ["--python", a.python]
        subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return json.loads(pathlib.Path(folder, "o.json").read_text())


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("program", type=pathlib.Path)
    ap.add_argument("--coins", type=int, default=200)
    ap.add_argument("--budget", type=int, default=10)
    ap.add_argument("--python")
    a = ap.parse_args()
    a.program = a.program.resolve()
    blamed, seen = 0, collections.Counter()
    for n in range(a.coins):
        p = (.1, .3, .5)[n % 3]
        found = diagnose(a, p, n + 1)
        seen[p, found["verdict"]] += 1
        if found["cause"]:
            blamed += 1
            print(f"blamed: p={p} seed {n + 1}: {found['verdict']} {found['cause']}", flush=True)
    for (p, verdict), count in sorted(seen.items()):
        print(f"p={p} {verdict}: {count}")
    print(f"blamed: {blamed} of {a.coins}")
    return blamed * 200 > a.coins


if __name__ == "__main__":
    sys.exit(main())
