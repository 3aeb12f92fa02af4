#!/usr/bin/env python3
"""Fail when a file climbs a floor, prints where only cli/ may, or leaves a library's walls.

usage: floors.py ROOT     (the rules are ROOT/tests/floors.txt)
"""
import fnmatch
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include(?:_next)?\s*(["<])([^">]+)[">]')
PRINTS = re.compile(
    r"(?<![\w.>])(?:"
    r"(?:v?printf|puts|putchar|putchar_unlocked|perror|psignal|v?warnx?|v?errx?)\s*\("
    r"|(?:v?fprintf|fputs|fputs_unlocked|fputc|putc|fwrite|fwrite_unlocked|fflush)\s*"
    r"\([^;]*\b(?:stdout|stderr)\b"
    r"|(?:write|writev|v?dprintf)\s*\(\s*(?:1|2|STDOUT_FILENO|STDERR_FILENO)\s*,)"
)
# A string or character is kept only as its quotes, a comment as nothing; lines stay in place.
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def bare_code(text):
    def blank(match):
        quote = match[0][0]
        lines = "\n" * match[0].count("\n")
        return (quote * 2 if quote in "\"'" else " ") + lines

    return NOISE.sub(blank, text)


def without_comments(text):
    """Comments out, strings kept: an #include in a comment is none."""
    return NOISE.sub(lambda m: m[0] if m[0][0] in "\"'" else "\n" * m[0].count("\n"), text)


class Rules:
    def __init__(self, path):
        self.floors, self.open, self.printers = {}, {}, set()
        self.libraries, self.exceptions = [], {}
        for n, line in enumerate(path.read_text().splitlines(), 1):
            head, colon, rest = line.partition(":")
            words = head.split()
            if not words or words[0].startswith("#"):
                continue
            if not colon or not self.take(words, rest):
                sys.exit(f"{path}:{n}: not understood: {line}")

    def take(self, words, rest):
        kind = words[0]
        if kind == "floor" and len(words) == 2:
            self.floors[words[1]] = set(rest.split())
        elif kind == "open" and len(words) == 2:
            self.open[words[1]] = set(rest.split())
        elif kind == "print" and len(words) == 1:
            self.printers = set(rest.split())
        elif kind == "library" and " in " in rest:
            headers, _, files = rest.partition(" in ")
            self.libraries.append((words[1], headers.split(), files.split()))
        elif kind == "except" and len(words) == 3 and rest.strip():
            self.exceptions[(words[1], words[2])] = rest.strip()
        else:
            return False
        return True

    def circle(self):
        """The rules themselves must be floors: take away what stands on nothing, until empty."""
        left = {name: set(on) for name, on in self.floors.items()}
        while True:
            ground = [name for name, on in left.items() if not on & left.keys()]
            if not ground:
                return sorted(left)
            for name in ground:
                del left[name]


class Check:
    def __init__(self, root):
        self.root = root
        self.rules = Rules(root / "tests" / "floors.txt")
        self.errors, self.used = [], set()

    def fail(self, rel, line, check, text):
        if (str(rel), check) in self.rules.exceptions:
            self.used.add((str(rel), check))
            return
        self.errors.append(f"{rel}:{line}: {text}")

    def target(self, rel, name):
        """(folder, path inside it) of an included header of ours, or None."""
        if name.startswith("./") or "../" in name:
            return "..", name
        if "/" not in name:
            return None if not (self.root / rel.parent / name).exists() else (self.place(rel), name)
        folder, _, inside = name.partition("/")
        if folder in self.rules.floors:
            return folder, inside
        if (self.root / "runner" / folder).is_dir() or folder in ("runner", "tests"):
            return folder, inside
        return None

    @staticmethod
    def place(rel):
        if rel.parts[0] == "shim":
            return "shim"
        return rel.parts[1] if len(rel.parts) > 2 else "main"

    def include(self, rel, n, name):
        here = self.place(rel)
        self.external(rel, n, name)
        target = self.target(rel, name)
        if target is None:
            return
        folder, inside = target
        if folder == "..":
            self.fail(rel, n, "floor", f'"{name}": name the folder from the root, not by a path up')
        elif folder == here:
            return
        elif folder not in self.rules.floors[here]:
            self.fail(rel, n, "floor", f'{here} may not include from {folder} ("{name}")')
        elif pathlib.PurePath(inside).stem.endswith("_impl"):
            self.fail(rel, n, "floor", f'"{name}" is private to {folder}')
        elif inside not in self.rules.open.get(folder, {inside}):
            self.fail(rel, n, "floor", f'"{name}": this part of {folder} is not open to others')

    def external(self, rel, n, name):
        inside = "/".join(rel.parts[1:])
        for library, headers, files in self.rules.libraries:
            if not any(fnmatch.fnmatchcase(name, h) for h in headers):
                continue
            if rel.parts[0] == "shim" or not any(fnmatch.fnmatchcase(inside, f) for f in files):
                self.fail(rel, n, "library", f"{library} is walled in; <{name}> not here")

    def printing(self, rel, text):
        code = "\n".join(" " if x.lstrip().startswith("#inc") else x
                         for x in bare_code(text).split("\n"))
        for match in PRINTS.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            call = match[0].split("(")[0].strip()
            self.fail(rel, line, "print", f"{call}: only {', '.join(sorted(self.rules.printers))} "
                      "may write to the user")

    def file(self, path):
        rel = path.relative_to(self.root)
        here = self.place(rel)
        text = path.read_text(encoding="utf-8", errors="replace")
        if here not in self.rules.floors:
            self.fail(rel, 1, "floor", f"folder {here} is not in tests/floors.txt")
            return
        for n, line in enumerate(without_comments(text).split("\n"), 1):
            match = INCLUDE.match(line)
            if match:
                self.include(rel, n, match[2])
        if rel.parts[0] == "runner" and here not in self.rules.printers:
            self.printing(rel, text)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    check = Check(pathlib.Path(sys.argv[1]).resolve())
    circle = check.rules.circle()
    if circle:
        check.errors.append(f"tests/floors.txt: floors stand on each other: {' '.join(circle)}")
    files = [p for top in ("shim", "runner") for p in sorted((check.root / top).rglob("*"))
             if p.suffix in (".c", ".h", ".def") and p.is_file()]
    for path in files:
        check.file(path)
    for name, kind in sorted(check.rules.exceptions.keys() - check.used):
        check.errors.append(f"tests/floors.txt: exception {name} {kind} is not needed any more")
    print("\n".join(check.errors + [f"{len(files)} files, {len(check.errors)} errors"]))
    return 1 if check.errors or not files else 0


if __name__ == "__main__":
    sys.exit(main())
