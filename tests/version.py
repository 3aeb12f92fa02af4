#!/usr/bin/env python3
"""The version of a release is written in few places, and all say the same.

usage: version.py ROOT     (the first word is project(... VERSION ...) in ROOT/CMakeLists.txt)
"""
import pathlib
import re
import sys

# Each place: file, what finds the version there.
PLACES = [
    ("CMakeLists.txt", r"^project\([^)]*\bVERSION\s+(\S+)"),
    ("runner/plugin/flaky_repro/__init__.py", r'^__version__ = "([^"]+)"$'),
    ("CHANGELOG.md", r"^## \[(\d[^]]*)\]"),  # the newest that is released
]
# The wheel takes the plugin's: a number of its own would be one more to forget.
DERIVED = ("pyproject.toml", 'version = {attr = "flaky_repro.__version__"}')


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    found = {}
    for file, pattern in PLACES:
        match = re.search(pattern, (root / file).read_text(encoding="utf-8"), re.M)
        found[file] = match[1] if match else None
        print(f"{found[file] or 'no version':12} {file}")
    bad = len(set(found.values())) != 1 or None in found.values()
    if bad:
        print("the versions differ; CMakeLists.txt has the word")
    file, line = DERIVED
    if line not in (root / file).read_text(encoding="utf-8").splitlines():
        print(f"{file}: want the line {line}")
        bad = True
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
