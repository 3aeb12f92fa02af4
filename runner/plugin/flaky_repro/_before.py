"""Tests that run before the one under diagnosis, in the same process.

A fresh run picks them out of what was collected. A warm process forks: a child runs the tests that
come before and then stays, so that the next request which begins with the same tests is answered by
a fork of that child and not by running them again.
"""
import copy
import json
import os
import socket

import pytest

from flaky_repro._events import out_of_the_way

KEPT_MOST = 16  # children that wait; the oldest goes first


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read().split("\0")[:-1]


def twin(item):
    """Another item of the same test. pytest tears down what an item set up when another comes next,
    and an instance of a test class is used by one item alone."""
    from flaky_repro import _case
    try:
        other = _case.copy_of(item, item.parent, item.name, item.nodeid)
    except Exception:  # no function, or of a plugin's class that wants to be made otherwise
        other = copy.copy(item)
        other.stash = pytest.Stash()
        if hasattr(other, "_initrequest"):
            other._initrequest()
    for name, value in vars(item).items():  # what a conftest or a plugin put there
        if not name.startswith("_"):
            vars(other).setdefault(name, value)
    return other


def pick(items, ids):
    """Leaves the tests of `ids` in their order. One that is named twice runs twice; one that is no
    longer there is left out, and the runner sees that in what was collected."""
    by_id = {}
    for item in items:
        by_id.setdefault(item.nodeid, []).append(item)
    picked, last = [], {}
    for id_ in ids:
        have = by_id.get(id_)
        if have:
            last[id_] = have.pop(0)
        elif id_ in last:
            last[id_] = twin(last[id_])
        else:
            continue
        picked.append(last[id_])
    items[:] = picked


def run(items, last):
    """Runs them as a session would in which `last` comes next."""
    for item, following in zip(items, items[1:] + [last]):
        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)


def settle(item):
    """What was set up for others is torn down, as when `item` comes next: in a forked copy of the
    past another test comes next than the one that was expected."""
    try:
        item.session._setupstate.teardown_exact(item)
    except Exception:  # a teardown that fails is the business of the test it belongs to
        pass


def threads():
    return len(os.listdir("/proc/self/task"))


def sockets():
    found = set()
    for fd in os.listdir("/proc/self/fd"):
        try:
            found.add(os.readlink("/proc/self/fd/" + fd))
        except OSError:  # the one that lists them
            pass
    return {name for name in found if name.startswith("socket:")}


def has_children():
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as f:
            return bool(f.read().split())
    except OSError:  # a kernel that does not tell
        return False


def has_fixtures(session):
    """Of a class, a module or the session, which are there until these end."""
    try:
        stack = session._setupstate.stack
        return any(len(finalizers) > 1 for finalizers, _ in stack.values())
    except (AttributeError, TypeError, ValueError):  # another pytest
        return True


class Kept:
    """A child that ran some tests and waits for requests that go on from there."""

    def __init__(self, key, ids, pid, sock):
        self.key = key
        self.ids = ids
        self.pid = pid
        self.sock = sock
        self.lines = sock.makefile("r", encoding="utf-8")

    def fits(self, key, ids):
        return self.key == key and self.ids == ids[:len(self.ids)]

    def close(self):
        self.lines.close()
        self.sock.close()


class Past:
    """The tests that this process has run, and its children that went on from there.

    `say(event, **fields)` reaches whoever asked. `prepare(request, folder)` makes a forked child
    fit to run tests; `last(request)` forks, runs the test under diagnosis and returns its pid.
    """

    def __init__(self, items, say, prepare, last):
        self.items = items
        self.say = say
        self.prepare = prepare
        self.last = last
        self.kept = []

    def answer(self, request):
        """Returns the wait status of the process that had the test, or that died on the way; and
        how many threads there were, if they kept it from being forked."""
        ids = request["before"]
        if not ids:
            pid = self.last(request)
            self.say("forked", pid=pid)
            return {"status": os.waitpid(pid, 0)[1]}
        fitting = [k for k in self.kept if k.fits(request["held"], ids)]
        child = max(fitting, key=lambda k: len(k.ids)) if fitting else self.fork(request)
        rest = {**request, "before": ids[len(child.ids):]}
        return self.relay(child, rest)

    def relay(self, child, request):
        try:
            child.sock.sendall((json.dumps(request) + "\n").encode())
            for line in child.lines:
                event = json.loads(line)
                if event["event"] == "done":
                    if event.pop("last", False):
                        self.let_go(child)
                    del event["event"]
                    return event
                self.say(**event)
        except OSError:
            pass
        return {"status": self.let_go(child)}  # it was ended: a test before hangs or crashes

    def let_go(self, child):
        self.kept.remove(child)
        child.close()
        return os.waitpid(child.pid, 0)[1]

    def fork(self, request):
        while len(self.kept) >= KEPT_MOST:
            self.let_go(self.kept[0])
        ours, theirs = (socket.socket(fileno=out_of_the_way(end.detach()))
                        for end in socket.socketpair())
        pid = os.fork()
        if pid == 0:
            leave = os._exit
            try:
                ours.close()
                self.go_on(request, theirs)
            finally:
                leave(0)
        theirs.close()
        child = Kept(request["held"], request["before"], pid, ours)
        self.kept.append(child)
        self.say("forked", pid=pid)
        return child

    def go_on(self, request, sock):
        """In the child: the tests, then requests until nobody has any more.

        A thread is not there in a fork: whoever has more than one is asked in vain. What tests
        share beyond this process (a connection, a program, what a fixture of theirs set up) would
        be torn down by the first fork and missed by the next: then there is one.
        """
        for child in self.kept:
            child.close()
        self.kept = []
        lines, out = sock.makefile("r", encoding="utf-8"), sock.fileno()
        encode, write = json.JSONEncoder().encode, os.write

        def say(event, **fields):
            write(out, (encode({"event": event, **fields}) + "\n").encode())

        self.say = say
        folder = os.path.join(os.path.dirname(request["dir"]), f"q{os.getpid()}")
        os.mkdir(folder, 0o700)
        self.prepare(request, folder)
        last = self.items[request["id"]]
        items = [twin(last) if i == request["id"] else self.items[i]
                 for i in request["before"] if i in self.items]
        had = sockets()
        if items:
            settle(items[0])
            run(items, last)
        shared = sockets() - had or has_children() or has_fixtures(last.session)
        for line in lines:
            running = threads()
            if running > 1:
                self.say("done", status=0, threads=running)
                continue
            answer = self.answer(json.loads(line))
            if shared:
                answer["last"] = True
            self.say("done", **answer)
            if shared:
                break
