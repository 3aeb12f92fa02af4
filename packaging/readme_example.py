#!/usr/bin/env python3
"""Runs the example by hand of a README, word for word, and compares what it says.

usage: readme_example.py README.md     (in an empty folder, with libfd.so and pytest in place)

The example is the first block marked sh below the heading "By hand"; the next block is what it
prints on stdout. Only the seconds that pytest took may differ. On stderr a plugin that happens to be
installed may warn of its own affairs; libfd.so has nothing to say there.
"""
import os
import re
import subprocess
import sys

BLOCKS = re.compile(r"^## By hand$.*?^```sh\n(.*?)^```$.*?^```\n(.*?)^```$", re.M | re.S)


def timeless(text):
    return re.sub(r"\bin \d+\.\d+s\b", "in 0.00s", text)


def run(readme, folder=".", env=None):
    """What is wrong, or None."""
    with open(readme, encoding="utf-8") as f:
        blocks = BLOCKS.search(f.read())
    if not blocks:
        return f"{readme} has no example by hand"
    script, want = blocks.groups()
    done = subprocess.run(["sh", "-c", script], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    got = done.stdout.decode("utf-8", "replace")
    said = done.stderr.decode("utf-8", "replace")
    if timeless(got) == timeless(want) and "libfd" not in said:
        return None
    return f"the example\n{script}should print\n{want}and prints\n{got}{said}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problem = run(os.path.abspath(sys.argv[1]))
    if problem:
        sys.exit(problem)


if __name__ == "__main__":
    main()
