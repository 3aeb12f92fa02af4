"""Every run in a forked child: what it does to its process is gone with it, and if it crashes or
hangs, that is one errored run.

The parent sets up the collectors and the fixtures wider than one run, so that they exist once. The
child does the rest with pytest's own hooks and sends each report back as a line.
"""
import contextlib
import faulthandler
import json
import os
import random
import select
import signal
import sys
import tempfile
import threading
import time
import warnings
import zlib

import pytest
from _pytest.outcomes import Exit
from _pytest.runner import CallInfo, call_and_report
from _pytest.skipping import evaluate_skip_marks
from _pytest.unittest import TestCaseFunction

from flaky_repro._events import STACK_SIGNAL, out_of_the_way

STACK_WAIT = 0.5  # seconds for the stack of a run that hangs
MACHINERY = ("/_pytest/", "/pluggy/", "/flaky_repro/")


class Lost(Exception):
    """A run whose process did not come back."""
    says_all = True


class Child:
    """What the parent keeps of one forked run."""

    def __init__(self, pid, pipe):
        self.pid, self.pipe = pid, pipe
        self.lines, self.rest = [], b""
        self.stopped = None  # why it was ended
        self.in_time = None  # how many lines were sent before that

    def drain(self):
        os.set_blocking(self.pipe, False)
        with contextlib.suppress(BlockingIOError):  # others may hold its other end
            while self.read():
                pass

    def read(self):
        """False at the end."""
        data = os.read(self.pipe, 1 << 16)
        *lines, self.rest = (self.rest + data).split(b"\n")
        self.lines += lines
        return bool(data)


class Isolate:
    def __init__(self, sampling):
        self.sampling = sampling
        self.out = None  # in a child: the pipe
        self.pid = None  # in a child: its own, for what a run forks may come back into pytest
        self.stacks = None
        self.lock = threading.Lock()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        sample = getattr(item, "sample", None)
        if sample is None or sample.cut or item.config.option.usepdb:
            return None
        if not self.sampling.isolate[sample.bench]:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = self.reports(item, sample.run)
        item._request, item.funcargs = False, None
        # Fixtures that no run needs any more; what they write belongs to this one.
        item._report_sections.clear()
        with captured(item, "teardown"):
            call = CallInfo.from_call(lambda: item.session._setupstate.teardown_exact(nextitem),
                                      when="teardown", reraise=(Exit, KeyboardInterrupt))
        reports[-1].sections += [(f"Captured {key} {when}", text)
                                 for when, key, text in item._report_sections]
        if call.excinfo is not None:
            sample.run.outcome = None  # it has been noted
            reports.append(item.ihook.pytest_runtest_makereport(item=item, call=call))
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_unconfigure(self):
        if self.stacks is not None:
            self.stacks.close()

    def reports(self, item, run):
        with captured(item, "setup"):
            call = CallInfo.from_call(lambda: self.prepare(item), when="setup",
                                      reraise=(Exit, KeyboardInterrupt))
        if call.excinfo is not None:
            return self.made(item, [call])
        child = self.fork(item, run)
        try:
            self.wait(child)
        except pytest.fail.Exception as why:  # of pytest-timeout, from its signal
            self.stop(child, str(why).split("\n", 1)[0])
        finally:
            status = end(child)
        return self.collect(item, run, child, status)

    def made(self, item, calls):
        calls.append(CallInfo.from_call(lambda: None, when="teardown"))
        return [item.ihook.pytest_runtest_makereport(item=item, call=call) for call in calls]

    def prepare(self, item):
        """What is shared: collectors and wide fixtures."""
        setup = item.session._setupstate
        setup.setup(item.parent)
        if evaluate_skip_marks(item) is not None:
            return  # and before anything was set up for it
        give_instance(item)
        setup.stack[item] = ([], None)  # or pytest takes it for one that is over
        try:
            for name in item.fixturenames:
                if wide(item, name):
                    item._request.getfixturevalue(name)
        finally:
            del setup.stack[item]
        factory = getattr(item.config, "_tmp_path_factory", None)
        if factory is not None and "tmp_path_factory" in item._fixtureinfo.name2fixturedefs:
            factory.getbasetemp()  # one for all children

    # The child

    def fork(self, item, run):
        if self.stacks is None:
            self.stacks = tempfile.TemporaryFile()
        self.stacks.seek(0)
        self.stacks.truncate()
        reading, writing = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        drawn = random.getstate()  # the module seeds itself anew in a child
        pid = os.fork()
        if pid == 0:
            leave = os._exit
            try:
                os.close(reading)
                random.setstate(drawn)
                self.child(item, run, out_of_the_way(writing))
            finally:
                leave(0)
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        os.close(writing)
        return Child(pid, reading)

    def child(self, item, run, pipe):
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
        self.out, self.pid = pipe, os.getpid()
        faulthandler.enable(file=self.stacks, all_threads=True)
        faulthandler.register(STACK_SIGNAL, file=self.stacks, all_threads=True, chain=False)
        reseed(item.nodeid)
        run.sink = self.send
        with warnings.catch_warnings(record=True) as noted:
            try:
                if call_and_report(item, "setup", log=False).passed and not (
                        item.config.option.setuponly):
                    call_and_report(item, "call", log=False)
                call_and_report(item, "teardown", log=False, nextitem=item.parent)
            except Exit as asked:
                self.send({"exit": [str(asked.msg), asked.returncode]})
            except KeyboardInterrupt:
                self.send({"interrupt": True})
        for one in noted:
            self.send({"warning": [str(one.message), type(one.message).__module__,
                                   type(one.message).__qualname__, one.filename, one.lineno]})
        save_coverage()
        sys.stdout.flush()
        sys.stderr.flush()

    def send(self, fields, encode=json.JSONEncoder(default=str).encode):
        if os.getpid() != self.pid:
            return
        data = memoryview((encode(fields) + "\n").encode())
        with self.lock:  # threads of the test send what they record
            while data:
                data = data[os.write(self.out, data):]

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item):
        outcome = yield
        if self.out is not None:
            data = item.config.hook.pytest_report_to_serializable(
                config=item.config, report=outcome.get_result())
            self.send({"report": data, "state": item.sample.run.state()})

    # The parent

    def wait(self, child):
        """Until the child has ended, or its time is over."""
        timeout = self.sampling.timeout
        deadline = None if timeout is None else time.monotonic() + timeout
        ended = os.pidfd_open(child.pid)
        try:
            poll = select.poll()
            poll.register(child.pipe, select.POLLIN)
            poll.register(ended, select.POLLIN)
            ready = ()
            while ended not in ready:
                left = None if deadline is None else max(0, deadline - time.monotonic()) * 1000
                ready = [fd for fd, _ in poll.poll(left)]
                if not ready:
                    self.stop(child, f"timed out after {timeout:g} s")
                    deadline = None
                if child.pipe in ready and not child.read():
                    poll.unregister(child.pipe)
        finally:
            os.close(ended)
        child.drain()

    def stop(self, child, why):
        child.drain()
        child.stopped, child.in_time = why, len(child.lines)
        with contextlib.suppress(OSError):
            os.kill(child.pid, STACK_SIGNAL)
        give_up = time.monotonic() + STACK_WAIT
        while not os.fstat(self.stacks.fileno()).st_size and time.monotonic() < give_up:
            time.sleep(0.01)
        time.sleep(0.02)  # the rest of it
        with contextlib.suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)

    def collect(self, item, run, child, status):
        """The reports of the child; those it could not send are made here."""
        reports = []
        for at, line in enumerate(child.lines):
            said = json.loads(line)
            if "report" in said:
                if child.in_time is not None and at >= child.in_time:
                    continue  # the signal for its stack ended what it waited for
                run.restore(said["state"])
                reports.append(report_from(item.config, said["report"]))
            elif "cost" in said or "usage" in said:
                run.add(*next(iter(said.items())))
            elif "warning" in said:
                warn_again(*said["warning"])
            elif "exit" in said:
                raise Exit(*said["exit"])
            elif "interrupt" in said:
                raise KeyboardInterrupt
        if not reports or reports[-1].when != "teardown":
            reports += self.lost(item, reports, how(child, status))
        return reports

    def lost(self, item, reports, text):
        when = "setup"
        if reports:
            when = "call" if reports[-1].when == "setup" and reports[-1].passed else "teardown"
        capture = item.config.pluginmanager.get_plugin("capturemanager")
        if capture is not None and capture.is_globally_capturing():
            # What it wrote before its end is in the files that are captured into.
            for name, written in zip(("stdout", "stderr"), capture.read_global_capture()):
                item.add_report_section(when, name, written)
        trace = self.stack()

        def fail():
            raise Lost(text)

        shown = f"{text}, in its {when}" + (f"\n\n{trace}" if trace else "")
        item.repr_failure = item._repr_failure_py = lambda excinfo, style=None: shown
        call = CallInfo.from_call(fail, when=when)
        if when == "teardown":
            return [item.ihook.pytest_runtest_makereport(item=item, call=call)]
        return self.made(item, [call])

    def stack(self):
        self.stacks.seek(0)
        kept, below = [], False
        for line in self.stacks.read().decode("utf-8", "replace").splitlines():
            below = line.startswith(" ") and (below or any(part in line for part in MACHINERY))
            if not below:
                kept.append(line)
        return "\n".join(kept)


def captured(item, when):
    capture = item.config.pluginmanager.get_plugin("capturemanager")
    return capture.item_capture(when, item) if capture else contextlib.nullcontext()


def give_instance(item):
    """Before pytest 8.2 an item of unittest had none until its own setup, and the fixtures of its
    class were called in vain."""
    if isinstance(item, TestCaseFunction) and item.instance is None:
        item._testcase = item.parent.obj(item.name)
        item._obj = getattr(item._testcase, item.name)


def wide(item, name):
    """Whether the fixture outlives one run."""
    found = item._fixtureinfo.name2fixturedefs.get(name)
    if not found:
        return False
    scopes = {found[-1].scope}
    given = getattr(getattr(item, "callspec", None), "_arg2scope", {}).get(name)
    scopes.add(getattr(given, "value", found[-1].scope))
    if "class" in scopes and item.getparent(pytest.Class) is None:
        return False
    return "function" not in scopes


def end(child):
    """Nothing that a run started is left behind. Returns its wait status."""
    with contextlib.suppress(OSError):
        os.killpg(child.pid, signal.SIGKILL)
    os.close(child.pipe)
    return os.waitpid(child.pid, 0)[1]


def how(child, status):
    if child.stopped:
        return child.stopped
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"signal {number}"
        return f"killed by {name}"
    return f"the process ended with exit status {os.WEXITSTATUS(status)}"


def report_from(config, data):
    report = config.hook.pytest_report_from_serializable(config=config, data=data)
    report.user_properties = [tuple(pair) for pair in report.user_properties]
    report.location = tuple(report.location)
    if isinstance(report.longrepr, list):  # of a skip
        report.longrepr = tuple(report.longrepr)
    return report


def warn_again(text, module, name, filename, line):
    category = sys.modules.get(module)
    for part in name.split("."):
        category = getattr(category, part, None)
    if not (isinstance(category, type) and issubclass(category, Warning)):
        category = UserWarning
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn_explicit(text, category, filename, line)


def reseed(nodeid):
    """All children are copies of one process: what they draw must differ between them as it would
    in one process. It still follows from a seed that the program has set."""
    random.seed(f"{random.getrandbits(64)}:{nodeid}")
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        drawn = int(numpy.randint(0, 1 << 31 - 1))
        numpy.seed((drawn + zlib.crc32(nodeid.encode())) % (1 << 32))


def save_coverage():
    coverage = sys.modules.get("coverage")
    with contextlib.suppress(Exception):  # of another version
        measured = coverage.Coverage.current() if coverage is not None else None
        if measured is not None:
            measured.stop()
            measured.save()
