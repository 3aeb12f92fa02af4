"""What the shim's Python tests share: run a program with and without libfd.so, make and read pages.

A test is a function registered with @case; CTest runs one by name, without a name all run.
Exit status 0 right, 1 wrong, 77 cannot be tried here."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

CASES = {}
AXES = re.findall(r'^AXIS\(\w+, "(\w+)"\)',
                  (pathlib.Path(__file__).resolve().parents[2] / "shim" / "axes.def").read_text(), re.M)
OWN = ("FD_", "LD_PRELOAD", "PYTEST_CURRENT_TEST", "PYTHON")


class Skip(Exception):
    pass


def case(function):
    CASES[function.__name__] = function
    return function


def bare(**more):
    """The environment without anything of ours."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(OWN)}
    env.update({k: str(v) for k, v in more.items()})
    return env


class Bench:
    def __init__(self, lib, programs, python):
        self.lib = os.path.abspath(lib)
        self.programs = pathlib.Path(programs).resolve()
        self.python = python
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="fd-shim-"))
        self.pages = 0

    def run(self, *argv, shim=True, status=0, timeout=30, cwd=None, **env):
        full = bare(**env)
        if shim:
            full["LD_PRELOAD"] = self.lib
        done = subprocess.run([str(a) for a in argv], env=full, capture_output=True, text=True,
                              timeout=timeout, cwd=cwd)
        if status is not None and done.returncode != status:
            raise AssertionError(f"{argv} ended with {done.returncode}, want {status}\n"
                                 f"{done.stdout}{done.stderr}")
        return done

    def out(self, *argv, **more):
        return self.run(*argv, **more).stdout

    def probe(self, name):
        path = self.programs / name
        if not path.exists():
            raise Skip(f"{name} was not built")
        return path

    def code(self, text, *args, python=None, **more):
        # -S: a site may import anything, random among it
        return self.out(python or self.python, "-S", "-c", text, *args, **more)

    def page(self, **settings):
        self.pages += 1
        path = self.dir / f"page{self.pages}"
        words = [f"{k}={v}" for k, v in settings.items()]
        subprocess.run([self.probe("page_tool"), "make", path, *words], check=True)
        return path

    def release(self):
        """As the runner finds it in the file."""
        return self.lib_bytes().split(b"libfd.so of flaky-repro ", 1)[1].split(b"\0", 1)[0].decode()

    def lib_bytes(self):
        return pathlib.Path(self.lib).read_bytes()

    def counters(self, page):
        text = subprocess.run([self.probe("page_tool"), "dump", page], check=True,
                              capture_output=True, text=True).stdout
        rows = [line.split(" ", 1) for line in text.splitlines()]
        texts = ("zone", "site", "need", "port", "path", "act", "env",
                 "fixed", "missed", "made")
        found = {k: int(v) for k, v in rows if k not in texts}
        found["zones"] = [v for k, v in rows if k == "zone"]
        found["sites"] = [v.split() for k, v in rows if k == "site"]
        found["needs"] = dict(v.split(" ", 1) for k, v in rows if k == "need")
        found["ports"] = {int(v) for k, v in rows if k == "port"}
        found["acts"] = [tuple(v.split(" ", 1)) for k, v in rows if k == "act"]
        found["paths"] = [v for k, v in rows if k == "path"]
        found["fixed"] = {int(v) for k, v in rows if k == "fixed"}
        found["missed"] = [v for k, v in rows if k == "missed"]
        found["made"] = [v for k, v in rows if k == "made"]
        found["variables"] = [v for k, v in rows if k == "env"]
        return found


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--lib", required=True)
    ap.add_argument("--programs", required=True)
    ap.add_argument("--python", default=sys.executable)
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    bench = Bench(a.lib, a.programs, a.python)
    wrong = skipped = 0
    for name in a.names or CASES:
        try:
            CASES[name](bench)
            print(f"ok - {name}", flush=True)
        except Skip as why:
            skipped += 1
            print(f"ok - {name} # skip {why}", flush=True)
        except Exception:
            wrong += 1
            print(f"not ok - {name}\n{traceback.format_exc(limit=-3)}", flush=True)
    sys.exit(1 if wrong else 77 if a.names and skipped == len(a.names) else 0)
