#!/usr/bin/env python3
"""Hold the size budget of shim/ and runner/: a warning beyond it, an error beyond the hard line.

usage: sizes.py ROOT
C functions are found by their braces at the outermost level, Python's by ast.
Nesting counts the statements around the innermost one; an `else if` or `elif` is no new level.
"""
import ast
import pathlib
import re
import sys

# what: (budget, hard line)
LIMITS = {
    "file lines": (400, 500),
    "function lines": (60, 80),
    "nesting": (4, 5),
    "parameters": (5, 6),
    "columns": (100, 100),
}
# (what, file, function): why it may.  An exception that nothing needs any more is an error too.
EXCEPTIONS = {
    ("parameters", "shim/names.c", "getnameinfo"): "as in libc",
    ("parameters", "shim/names.c", "gethostbyname2_r"): "as in libc",
    ("parameters", "shim/names.c", "gethostbyaddr_r"): "as in libc",
    ("parameters", "shim/syscall.c", "fd_syscall_hook"): "a system call has six and its number",
}
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
TOKEN = re.compile(r"[A-Za-z_]\w*|[0-9][\w.]*|\S")
PAIRS = {"(": ")", "[": "]", "{": "}"}


def spaced(text):
    """As many lines of nothing."""
    return " " + "\n" * text.count("\n")


def bare_code(text):
    """Without comments, strings and directives, so that every brace left is one; of an
    #if/#else only the first branch, because both may open the same brace."""
    text = NOISE.sub(lambda m: (m[0][0] * 2 if m[0][0] in "\"'" else "") + spaced(m[0]), text)
    text = re.sub(r"\\\n", "\v", text)  # one logical line
    kept, branches = [], []
    for line in text.split("\n"):
        word = re.match(r"\s*#\s*(\w*)", line)
        if word and word[1] in ("if", "ifdef", "ifndef"):
            branches.append(True)
        elif word and word[1] in ("else", "elif") and branches:
            branches[-1] = False
        elif word and word[1] == "endif" and branches:
            branches.pop()
        kept.append(line.count("\v") * "\n" if word or not all(branches)
                    else line.replace("\v", "\n"))
    return "\n".join(kept)


class Tokens:
    def __init__(self, text):
        self.list, line, at = [], 1, 0
        for match in TOKEN.finditer(text):
            line += text.count("\n", at, match.start())
            at = match.start()
            self.list.append((match[0], line))
        self.pos = 0

    def peek(self, ahead=0):
        at = self.pos + ahead
        return self.list[at][0] if at < len(self.list) else ""

    def line(self):
        return self.list[min(self.pos, len(self.list) - 1)][1]

    def take(self):
        self.pos += 1
        return self.list[self.pos - 1][0] if self.pos <= len(self.list) else ""

    def group(self):
        """Steps over a bracket and all inside; returns its commas at the first level or, if
        there is nothing inside, None."""
        close, commas, empty = PAIRS[self.take()], 0, True
        while self.peek() not in (close, ""):
            empty = False
            if self.peek() in PAIRS:
                self.group()
            else:
                commas += self.take() == ","
        self.take()
        return None if empty else commas


def statement(tokens, level):
    """Steps over one statement and returns its deepest level."""
    word = tokens.peek()
    if word == "{":
        return block(tokens, level)
    if word in ("case", "default") or (tokens.peek(1) == ":" and re.match(r"[A-Za-z_]", word)):
        while tokens.peek() and tokens.take() != ":":
            pass
        return level if tokens.peek() == "}" else statement(tokens, level)
    if word in ("if", "for", "while", "switch"):
        tokens.take()
        if tokens.peek() == "(":
            tokens.group()
        deep = statement(tokens, level + 1)
        while word == "if" and tokens.peek() == "else":
            tokens.take()
            chained = tokens.peek() == "if"
            return max(deep, statement(tokens, level if chained else level + 1))
        return deep
    if word == "do":
        tokens.take()
        deep = statement(tokens, level + 1)
        return max(deep, statement(tokens, level))  # the `while (...);` after it
    while tokens.peek() not in (";", "}", ""):
        if tokens.peek() in PAIRS:
            tokens.group()
        else:
            tokens.take()
    if tokens.peek() == ";":
        tokens.take()
    return level


def block(tokens, level):
    tokens.take()
    deep = level
    while tokens.peek() not in ("}", ""):
        before = tokens.pos
        deep = max(deep, statement(tokens, level))
        if tokens.pos == before:
            tokens.take()
    tokens.take()
    return deep


def skip_attribute(tokens):
    while tokens.peek() in ("__attribute__", "__asm__", "_Alignas", "__attribute"):
        tokens.take()
        if tokens.peek() == "(":
            tokens.group()


def c_functions(text):
    """(name, line, lines, nesting, parameters) of each function."""
    tokens = Tokens(bare_code(text))
    start, name, parameters, found = None, None, 0, []
    while tokens.peek():
        skip_attribute(tokens)
        word, line = tokens.peek(), tokens.line()
        start = start or line
        if word == "{" and name:
            deep = block(tokens, 0)
            end = tokens.list[tokens.pos - 1][1]
            found.append((name, start, end - start + 1, deep, parameters))
            start = name = None
        elif word == "(":
            before = tokens.peek(-1) if tokens.pos else ""
            first = tokens.peek(1)
            single = first == "void" and tokens.peek(2) == ")"
            commas = tokens.group()
            if name is None and re.match(r"[A-Za-z_]", before):
                name = before
                parameters = 0 if commas is None or single else commas + 1
        elif word in ("{", "["):
            tokens.group()
        else:
            tokens.take()
            if word in (";", "=", "}"):
                name = None
            if word in (";", "}"):
                start = None
    return found


PY_LEVELS = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try)
PY_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def py_nesting(node, level=0):
    deep = level
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, PY_FUNCTIONS + (ast.ClassDef,)):
                continue
            chained = (isinstance(node, ast.If) and field == "orelse" and len(value) == 1
                       and isinstance(child, ast.If))
            down = isinstance(child, PY_LEVELS) and not chained
            deep = max(deep, py_nesting(child, level + down))
    return deep


def py_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, PY_FUNCTIONS):
            a = node.args
            names = [x.arg for x in getattr(a, "posonlyargs", []) + a.args]
            own = len(names) - (names[:1] in (["self"], ["cls"]))
            count = own + len(a.kwonlyargs) + bool(a.vararg) + bool(a.kwarg)
            yield (node.name, node.lineno, node.end_lineno - node.lineno + 1, py_nesting(node),
                   count)


def measure(path, where):
    """Rows (what, size, place)."""
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    yield "file lines", len(lines), where
    for n, line in enumerate(lines, 1):
        # A table's row is one line whatever its length: its readers read lines.
        if len(line) > LIMITS["columns"][0] and path.suffix != ".def":
            yield "columns", len(line), f"{where}:{n}"
    if path.suffix == ".def":
        return
    functions = py_functions(text) if path.suffix == ".py" else c_functions(text)
    for name, line, length, nesting, parameters in functions:
        place = f"{where}:{line} {name}"
        yield "function lines", length, place
        yield "nesting", nesting, place
        yield "parameters", parameters, place


def files(root):
    for top in ("shim", "runner"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".c", ".h", ".def") and path.is_file():
                yield path
    yield from sorted((root / "runner" / "plugin").rglob("*.py"))


def excepted(what, place):
    path, _, rest = place.partition(":")
    return (what, path, rest.partition(" ")[2]) in EXCEPTIONS


def verdict(what, size, place=""):
    budget, hard = LIMITS[what]
    if excepted(what, place):
        return "" if size <= budget else "known"
    return "error" if size > hard else "warn" if size > budget else ""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    rows = [row for path in files(root) for row in measure(path, path.relative_to(root).as_posix())]
    # Relative to the hard line, so that a long file and a deep function can be compared.
    rows.sort(key=lambda row: -row[1] / LIMITS[row[0]][1])
    bad = [row for row in rows if verdict(*row)]
    errors = sum(verdict(*row) == "error" for row in rows)
    known = sum(verdict(*row) == "known" for row in rows)
    for what, size, place in bad + [row for row in rows if row not in bad][:max(0, 10 - len(bad))]:
        print(f"{verdict(what, size, place):5}  {what:14} {size:4} of {LIMITS[what][0]:3}  {place}")
    functions = sum(what == "function lines" for what, _, _ in rows)
    total = sum(what == "file lines" for what, _, _ in rows)
    print(f"{total} files, {functions} functions, {errors} errors, "
          f"{len(bad) - errors - known} warnings, {known} exceptions")
    if known < len(EXCEPTIONS):
        print("an exception in sizes.py is not needed any more")
    return 1 if errors or known < len(EXCEPTIONS) or not functions else 0


if __name__ == "__main__":
    sys.exit(main())
