"""What the tests of sampling share: pytest with our plugin, and benchmarks that end as written."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from world import Result, check, main, skip  # noqa: E402,F401

# nth(key, "PFE"): the next run of this key passes, fails, errors, skips.
SCRIPT = """
import itertools, pytest
_at = {}
def nth(key, script):
    at = _at.setdefault(key, itertools.cycle(script))
    word = next(at)
    if word == "E":
        raise ValueError("boom")
    if word == "S":
        pytest.skip("not now")
    assert word == "P", "wrong answer"
"""


def words(w, *args, plugins=()):
    # Others that are installed beside pytest come in where a test names them.
    return [w.python, "-m", "pytest", "-p", "flaky_repro.plugin", "-p", "no:cacheprovider",
            *(x for name in plugins for x in ("-p", name)), *args]


def pytest(w, *args, env=None, standin=False, plugins=(), cwd=None):
    env = dict(env or {})
    env.setdefault("PYTHONPATH", w.plugin)
    env.setdefault("FLAKY_REPRO", str(HERE / "standin.py") if standin else w.program)
    env.setdefault("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    if standin:
        env["STANDIN_LOG"] = str(w.folder / "log")
    began = time.monotonic()
    args = [a for a in words(w, *args, plugins=plugins)]
    if "--cache" in args:  # --lf needs it
        args.remove("--cache")
        at = args.index("no:cacheprovider")
        del args[at - 1:at + 1]
    done = subprocess.run(args, cwd=cwd or w.project, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=150,
                          env=w.env(PYTHONDONTWRITEBYTECODE="1", **env))
    return Result(done, time.monotonic() - began)


def installed(w):
    """PYTHONPATH with the plugin as a package that pytest finds by itself."""
    folder = w.folder / "site"
    info = folder / "flaky_repro_plugin-0.dist-info"
    if not info.exists():
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: flaky-repro-plugin\nVersion: 0\n")
        shutil.copy(HERE.parents[1] / "packaging" / "deb" / "dist-info" / "entry_points.txt", info)
    return os.pathsep.join((str(folder), w.plugin))


def said(w):
    """What the stand-in was told and asked."""
    text = (w.folder / "log").read_text(encoding="utf-8")
    return [json.loads(line.split(" ", 1)[1]) for line in text.splitlines()]


def told(w, what="run"):
    return [m for m in said(w) if m.get("tell") == what]


def ids(r):
    """Node ids with how they ended, of -v, in the order they ran."""
    found = re.findall(r"^(\S+\.py::.*?) (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)\b", r.out, re.M)
    found += [(i, o) for o, i in re.findall(
        r"^\[gw\d+\] \[ *\d+%\] (\w+) (\S+\.py::.*?) *$", r.out, re.M)]
    return found


def names(r):
    return [i.partition("::")[2] for i, _ in ids(r)]


def collected(r):
    return re.findall(r"^\S+\.py::(.*)$", r.out, re.M)


def sections(r):
    """Title -> its lines, of the terminal's summary."""
    parts = re.split(r"^=+ ([^=\n]+) =+$", r.out, flags=re.M)
    return {title: [x for x in body.splitlines() if x.strip()]
            for title, body in zip(parts[1::2], parts[2::2])}


def row(r, case, section="probability"):
    lines = [x for x in sections(r).get(section, ()) if x.split()[:1] == [case]]
    check(len(lines) == 1, f"no single row {case}", r)
    return " ".join(lines[0].split()[1:])


def has(w, module):
    return subprocess.run([w.python, "-c", f"import {module}"], capture_output=True).returncode == 0


def needs(w, module):
    if not has(w, module):
        skip(f"{module} is not installed")


def report(w, name="out.json"):
    return json.loads((w.project / name).read_text(encoding="utf-8"))


def version(w):
    done = subprocess.run([w.python, "-c", "import pytest; print(pytest.__version__)"],
                          capture_output=True, text=True)
    return tuple(int(x) for x in re.findall(r"\d+", done.stdout)[:2])


def leftovers(w):
    return [name for name in os.listdir(w.project) if "journal" in name]
