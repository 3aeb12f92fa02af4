"""What the test programs of e2e/, faults/ and plugin/ share: a project in a folder of its own, the
program under test, and a look at what is left behind.

A test program defines functions `case_…(w)` with a World and calls main(). Each case is one CTest.
"""
import argparse
import contextlib
import os
import pathlib
import re
import shutil
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIP = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Bad(AssertionError):
    pass


class Skip(Exception):
    pass


def check(holds, *why):
    if not holds:
        raise Bad("\n".join(str(w) for w in why))


def skip(why):
    raise Skip(why)


class Result:
    def __init__(self, done, took):
        self.status, self.took = done.returncode, took
        self.out = done.stdout.decode("utf-8")  # what we print is UTF-8, whatever a test printed
        self.err = done.stderr.decode("utf-8")

    def __str__(self):
        return f"exit {self.status} after {self.took:.1f} s\n--- out\n{self.out}--- err\n{self.err}"


class World:
    """A project, a HOME and a TMPDIR, all empty at first and watched."""

    def __init__(self, options, folder):
        self.options = options
        self.program = options.program
        self.lib, self.plugin = options.lib, options.plugin
        self.python = options.python
        self.folder = pathlib.Path(folder)
        self.project = self.folder / "p"
        self.home = self.folder / "h"
        self.tmp = self.folder / "t"
        # Where a trial's files are seen from outside: none of what its sandbox shows another of.
        self.outside = pathlib.Path(options.tool).parent / f"outside-{self.folder.name}"
        for made in (self.project, self.home, self.tmp, self.outside):
            made.mkdir()
        self.outside.chmod(0o1777)

    def done(self):
        shutil.rmtree(self.outside)

    def write(self, name, text):
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def env(self, **more):
        kept = {k: v for k, v in os.environ.items()
                if not k.startswith(("FD_", "FR_", "PYTEST_", "FLAKY_REPRO", "PYTHON", "XDG_"))
                and k != "LD_PRELOAD"}
        kept.update(HOME=str(self.home), TMPDIR=str(self.tmp), NO_COLOR="1")
        kept.update({k: str(v) for k, v in more.items() if v is not None})
        for name, value in more.items():
            if value is None:
                kept.pop(name, None)
        return kept

    def other_installation(self, release=None, page_version=None):
        """A folder for FLAKY_REPRO_LIBDIR: the plugin as it is, and a libfd.so of another release
        or with another version of the page, the same library in every other way."""
        if not shutil.which("cc"):
            skip("there is no cc to build another libfd.so")
        folder, source = self.folder / "lib", self.folder / "source"
        shutil.copytree(pathlib.Path(self.plugin) / "flaky_repro", folder / "flaky_repro")
        shutil.copytree(ROOT / "shim", source / "shim")
        wire = source / "shim" / "wire.h"
        if page_version:
            wire.write_text(re.sub(r"#define FD_VERSION \d+u", f"#define FD_VERSION {page_version}u",
                                   wire.read_text()))
        names = sorted(f"shim/{p.name}" for p in (source / "shim").glob("*.c"))
        done = subprocess.run(["cc", "-std=gnu17", "-D_GNU_SOURCE", "-O1", "-fPIC", "-shared", "-w",
                               "-fvisibility=hidden", "-fno-builtin", "-I.",
                               f'-DFR_VERSION="{release or self.release()}"',
                               "-o", folder / "libfd.so", *names], cwd=source, capture_output=True)
        check(done.returncode == 0, done.stderr.decode())
        return folder

    def release(self):
        done = subprocess.run([self.program, "--version"], capture_output=True, text=True)
        return done.stdout.split()[1]

    def words(self, target, *args, budget=20, python=True):
        words = [self.program, *([target] if target else []), "--seed", "1",
                 *(["--budget", str(budget)] if budget is not None else [])]
        if python:
            words += ["--python", self.python if python is True else str(python)]
        return words + list(args)

    def start(self, target, *args, env=None, cwd=None, **how):
        return subprocess.Popen(self.words(target, *args, **how), cwd=cwd or self.project,
                                env=self.env(**(env or {})), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, target, *args, timeout=150, **how):
        began = time.monotonic()
        p = self.start(target, *args, **how)
        return self.finish(p, began, timeout)

    def ask(self, *words, env=None, timeout=60):
        """Another command than a diagnosis."""
        began = time.monotonic()
        p = subprocess.Popen([self.program, *words], cwd=self.project, env=self.env(**(env or {})),
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        return self.finish(p, began, timeout)

    def finish(self, p, began, timeout=150):
        try:
            out, err = p.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
            raise Bad(f"still running after {timeout} s\n{out!r}\n{err!r}") from None
        return Result(subprocess.CompletedProcess(p.args, p.returncode, out, err),
                      time.monotonic() - began)

    def strays(self):
        """Processes with our folder in their environment: the runner's children have it there as
        FD_PAGE, whatever became of their parents."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                env = pathlib.Path("/proc", pid, "environ").read_bytes()
                if int(pid) != os.getpid() and os.fsencode(str(self.tmp)) in env:
                    state = pathlib.Path("/proc", pid, "stat").read_text().rsplit(")", 1)[1]
                    if state.split()[0] != "Z":
                        cmd = pathlib.Path("/proc", pid, "cmdline").read_bytes()
                        found.append((int(pid), cmd[:200]))
        return found

    def left(self):
        """What there is now that should not be: processes, files."""
        bad = [f"process {s}" for s in self.strays()]
        bad += [f"in TMPDIR: {p.name}" for p in self.tmp.iterdir()]
        bad += [f"in HOME: {p.name}" for p in self.home.iterdir()]
        for path in self.project.rglob("*"):
            if path.name in (".pytest_cache", ".coverage", "htmlcov", "reports"):
                bad.append(f"in the project: {path}")
        return bad

    def check_clean(self, within=5.0):
        """The keeper of a runner that was killed needs a moment."""
        until = time.monotonic() + within
        while self.left() and time.monotonic() < until:
            time.sleep(0.05)
        bad = self.left()
        for pid, _ in self.strays():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        check(not bad, "left behind:", *bad)


def main(cases):
    parser = argparse.ArgumentParser()
    for name in ("--program", "--lib", "--plugin", "--python", "--tool"):
        parser.add_argument(name)
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    known = {n[5:]: f for n, f in cases.items() if n.startswith("case_")}
    failed, skipped, names = [], 0, options.case or list(known)
    for name in names:
        # Short: a socket's path below it holds 108 bytes, and rundir wants less than 40.
        with tempfile.TemporaryDirectory(prefix="e", dir="/tmp") as folder:
            world = World(options, folder)
            try:
                known[name](world)
            except Bad as bad:
                failed.append(name)
                print(f"not ok - {name}\n  " + str(bad).replace("\n", "\n  "), flush=True)
            except Skip as why:
                skipped += 1
                print(f"skip - {name}: {why}", flush=True)
            else:
                print(f"ok - {name}", flush=True)
            finally:
                world.done()
    sys.exit(1 if failed else SKIP if skipped == len(names) else 0)
