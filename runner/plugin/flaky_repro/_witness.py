"""A witness run: which line of the test's own code gets at what decides the outcome.

FR_WITNESS=draws   notes the lines that draw from Python's global generator: those make no call that
                   libfd.so could see.
FR_WITNESS=values  notes, line by line, a digest of the values that executing it gave. The runner
                   compares a failing with a passing run: the first difference is the line where
                   hash order, say, gets in.
"""
import hashlib
import os
import random
import sys
import threading

from flaky_repro._environ import Reads
from flaky_repro._own import is_own, own_frame

MOST_RECORDS = 50_000
DEEPEST = 4
LONGEST = 64
# Of an open file: what io itself asks of each file it opens is no call of Python's.
ASKING = (os.stat, os.fstat)


class Draws:
    """Counts the lines from which the global generator's own methods are called, those that ask for
    the state of an open file, and those that read a variable of the environment."""

    def __init__(self):
        self.lines = {}
        self.asked = {}
        self.variables = {}

    def start(self):
        Reads(self.read).start()
        sys.setprofile(self.profile)
        threading.setprofile(self.profile)

    def profile(self, frame, event, function):
        if event != "c_call":
            return
        if function in ASKING:
            self.note(self.asked, own_frame(frame), f"os.{function.__name__}")
        elif getattr(function, "__self__", None) is random._inst \
                and function.__name__ in ("random", "getrandbits"):
            own = own_frame(frame)
            # The function of the module that the line called, if it is a Python function of random.
            name = frame.f_code.co_name if frame is not own else function.__name__
            self.note(self.lines, own, f"random.{name}")

    def note(self, lines, own, call):
        if own is not None:
            key = (own.f_code.co_filename, own.f_lineno, own.f_code.co_name, call)
            lines[key] = lines.get(key, 0) + 1

    def read(self, name, kind, own):
        key = (own.f_code.co_filename, own.f_lineno, own.f_code.co_name, name)
        self.variables[key] = self.variables.get(key, 0) + 1

    def stop(self, events):
        sys.setprofile(None)
        for (file, line, function, name), count in list(self.variables.items())[:64]:
            events.say("witness", file=file, line=line, function=function, call="os.environ",
                       text=name, count=count)
        for (file, line, function, call), count in (list(self.lines.items())[:64]
                                                    + list(self.asked.items())[:64]):
            events.say("witness", file=file, line=line, function=function, call=call, count=count)


class Values:
    """Writes one record for each line that ran: where, and a digest of the frame's values after."""

    def __init__(self, folder):
        self.out = open(os.path.join(folder, "v"), "w", encoding="utf-8", errors="replace")
        self.records = 0

    def start(self):
        sys.settrace(self.enter)

    def enter(self, frame, event, arg):
        if not is_own(frame.f_code.co_filename):
            return None
        line = frame.f_lineno

        def step(frame, event, arg):
            nonlocal line
            if event == "line":
                self.record(frame, line, masked(frame.f_locals, 0))
                line = frame.f_lineno
            elif event == "return":
                self.record(frame, line, masked([frame.f_locals, arg], 0))
            return step

        return step

    def record(self, frame, line, values):
        if self.records >= MOST_RECORDS:
            sys.settrace(None)
            return
        self.records += 1
        digest = hashlib.blake2b(values.encode("utf-8", "replace"), digest_size=8).hexdigest()
        code = frame.f_code
        self.out.write(f"{code.co_filename}:{line}\t{code.co_name}\t{digest}\n")

    def stop(self, events):
        sys.settrace(None)
        self.out.close()
        events.say("trace")


def masked(value, depth):
    """A text of the value that is equal in two runs unless something decided otherwise: no
    addresses, no order where there is none, no code of the test's own called."""
    if value is None or isinstance(value, (bool, int, float, complex)):
        return repr(value)
    if isinstance(value, (str, bytes)):
        return repr(value[:200]) + str(len(value))
    if type(value).__module__ in ("decimal", "fractions"):
        return repr(value)[:200]
    if depth >= DEEPEST:
        return type(value).__name__
    if isinstance(value, (set, frozenset)):
        return "{" + ",".join(sorted(masked(v, depth + 1) for v in list(value)[:LONGEST])) + "}"
    if isinstance(value, dict):
        items = list(value.items())[:LONGEST]
        return "{" + ",".join(f"{masked(k, depth + 1)}:{masked(v, depth + 1)}"
                              for k, v in items if not is_plumbing(k)) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(masked(v, depth + 1) for v in value[:LONGEST]) + "]"
    own = getattr(value, "__dict__", None)
    if isinstance(own, dict) and not isinstance(value, type) and not callable(value):
        return type(value).__name__ + masked(own, depth + 1)
    return type(value).__name__


def is_plumbing(key):
    """Names that modules have for the interpreter's use: __builtins__, @py_assert1 …"""
    return isinstance(key, str) and (key.startswith("__") or key.startswith("@"))
