"""What a trial tells the runner, and how it stays told whatever the test does to its process."""
import faulthandler
import fcntl
import json
import os
import signal

from flaky_repro import PROTOCOL

STACK_SIGNAL = signal.SIGRTMAX - 1  # the runner's: "say where you stand" before it ends a hang
OUT_OF_THE_WAY = 900  # descriptors from here on: the test shall get the numbers it always gets


def out_of_the_way(fd):
    try:
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, OUT_OF_THE_WAY)
    except OSError:  # a limit below that
        return fd
    os.close(fd)
    return high


class Events:
    """Appends events to the file `r` of a trial, each with one write: what was said survives a
    crash.

    Tests patch the functions of os and json, close descriptors that are not theirs, and open files
    that get the numbers then. So everything needed is kept here, and before each write the
    descriptor is looked at: a line in a file of the test's would be worse than a lost one.
    """

    encode = staticmethod(json.JSONEncoder().encode)
    # Rows of the descriptor's work; staticmethod, since they are looked up in an instance.
    open_, write, fstat, getpid = map(staticmethod, (os.open, os.write, os.fstat, os.getpid))
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC

    def __init__(self, folder):
        self.path = os.path.join(folder, "r")
        self.pid = os.getpid()
        self.fd = out_of_the_way(os.open(self.path, self.flags, 0o600))
        self.file = self.identity()

    def identity(self):
        at = self.fstat(self.fd)
        return at.st_dev, at.st_ino

    def say(self, event, **fields):
        if self.getpid() != self.pid:
            return  # a child that the test forked came back into pytest: it speaks for nobody
        line = self.encode({"v": PROTOCOL, "event": event, **fields}) + "\n"
        try:
            if self.identity() != self.file:
                raise OSError
        except OSError:
            self.fd = self.open_(self.path, self.flags, 0o600)
        self.write(self.fd, line.encode("ascii"))


def register_stack(folder):
    """On STACK_SIGNAL, and in a crash, the Python stack of every thread goes to the file `s`, GIL
    or no GIL."""
    path = os.path.join(folder, "s")
    fd = out_of_the_way(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    faulthandler.register(STACK_SIGNAL, file=fd, all_threads=True, chain=False)
    if faulthandler.is_enabled():
        faulthandler.enable(file=fd, all_threads=True)
    return fd
