"""A program that lives as long as the session: it is told what happened and asked what follows.

See runner/cli/session_sample.h for what is said.
"""
import json
import os
import subprocess
import time

import pytest

from flaky_repro import PROTOCOL
from flaky_repro._session import NAME, program, refusal

ROOM = 1 << 16  # as much as a pipe takes at once
PATIENCE = 0.02  # seconds that something told may wait for company


class Gone(Exception):
    """The program ended before its time."""


class Program:
    encode = staticmethod(json.JSONEncoder(separators=(",", ":")).encode)

    def __init__(self, cwd):
        path = program()
        if not path:
            raise pytest.UsageError(f"the program {NAME} was not found\nhint: install it, or name "
                                    "it in the variable FLAKY_REPRO")
        try:
            # Of its own session: what the terminal sends is for pytest, and this is still needed.
            self.child = subprocess.Popen([path, "session"], stdin=subprocess.PIPE, cwd=cwd,
                                          stdout=subprocess.PIPE, start_new_session=True)
        except OSError as why:
            raise pytest.UsageError(f"{path} does not start: {why.strerror}\nhint: install "
                                    "flaky-repro whole, or name it in FLAKY_REPRO") from None
        self.pid = os.getpid()
        self.out = self.child.stdin.fileno()
        self.waiting, self.size, self.written = [], 0, 0.0
        self.lost = False

    def ours(self):
        """A child that a test forked came back into pytest: it speaks for nobody."""
        return os.getpid() == self.pid

    def tell(self, what, fields):
        if not self.ours():
            return
        line = self.encode({"v": PROTOCOL, "tell": what, **fields}) + "\n"
        self.waiting.append(line)
        self.size += len(line)
        if self.size >= ROOM or time.monotonic() - self.written > PATIENCE:
            self.flush()

    def flush(self):
        data = memoryview("".join(self.waiting).encode())
        self.waiting, self.size = [], 0
        try:
            while data and not self.lost:
                data = data[os.write(self.out, data):]
        except OSError:
            self.lost = True
        self.written = time.monotonic()

    def ask(self, what, **fields):
        if not self.ours():
            raise Gone("asked from a forked child")
        self.waiting.append(self.encode({"v": PROTOCOL, "ask": what, **fields}) + "\n")
        self.flush()
        try:
            line = b"" if self.lost else self.child.stdout.readline()
        except KeyboardInterrupt:
            self.child.stdout.readline()  # or the next question has this answer
            raise
        try:
            answer = json.loads(line.decode("utf-8", "replace"))
        except ValueError:
            self.lost = True
            raise Gone(f"{NAME} gave no answer to \"{what}\" (exit status {self.child.poll()})"
                       ) from None
        if "refused" in answer:
            raise pytest.UsageError(refusal({"hint": "", **answer}))
        return answer

    def begin(self, what, **fields):
        """Asks; if that is refused, there is nothing more to say."""
        try:
            return self.ask(what, **fields)
        except pytest.UsageError:
            self.close()
            raise
        except Gone as why:
            self.close()
            raise pytest.UsageError(str(why)) from None

    def close(self):
        if self.ours():
            self.flush()
            for pipe in (self.child.stdin, self.child.stdout):
                try:
                    pipe.close()
                except OSError:
                    pass
            self.child.wait()
