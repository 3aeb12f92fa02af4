"""Which variables the project reads through os.environ: those reads make no call that libfd.so
could see."""
import os
import sys

from flaky_repro._own import MACHINERY, is_own

OPTIONAL, DEMANDED = "o", "d"
# get(), `in` and os.getenv() come through these.
INDIRECT = (os.__file__, "<frozen os>", "<frozen _collections_abc>",
            sys.modules["_collections_abc"].__file__)


class Reads:
    """Tells found(name, kind, frame) of each read: the frame is that of the project's own code that
    made it or called the library that did. Reads of pytest's own, of modules of others as they are
    imported, and those of a walk over all variables are left out."""

    def __init__(self, found):
        self.found = found
        # A walk over all variables reads what it gave last, or all of them later in the same call.
        self.walked = self.walk = None

    def start(self):
        cls, reads = type(os.environ), self
        getitem, iterate = cls.__getitem__, cls.__iter__

        def __getitem__(environ, key):
            reads.note(key, sys._getframe(1))
            return getitem(environ, key)

        def __iter__(environ):
            for key in iterate(environ):
                reads.walked, reads.walk = key, place(sys._getframe(1))
                yield key

        cls.__getitem__, cls.__iter__ = __getitem__, __iter__

    def note(self, key, frame):
        walked, self.walked = self.walked, None
        if walked is not None and key == walked:
            return
        if self.walk == place(frame):
            return
        self.walk = None
        kind, own = whose(frame)
        if own is not None:
            name = os.fsdecode(key) if isinstance(key, bytes) else key
            if isinstance(name, str) and name.isascii() and name.isidentifier():
                self.found(name, kind, own)


def place(frame):
    return id(frame), frame.f_lasti


def whose(frame):
    """How the variable was asked for, and the project's own frame that is behind it, or None."""
    kind = DEMANDED
    while frame is not None:
        name = frame.f_code.co_filename
        if name in INDIRECT:
            kind = OPTIONAL
        elif is_own(name):
            return kind, frame
        elif name.startswith("<frozen importlib") or name.startswith(MACHINERY):
            return kind, None
        else:
            kind = OPTIONAL  # a library knows what to do without it
        frame = frame.f_back
    return kind, None


def watch(putenv=os.putenv):
    """For the runner: libfd.so notes them on the page of the watched run."""
    known = set()

    def found(name, kind, frame):
        if (name, kind) not in known:
            known.add((name, kind))
            putenv("FD_CTL", f"seen:env:{kind}{name}")

    Reads(found).start()
