"""Benchmark files and what their functions become: items of pytest, one for each run."""
import fnmatch
import inspect
import re
import sys

import pytest
from _pytest.assertion.rewrite import assertstate_key

import flaky_repro
from flaky_repro import _case, _record


class BenchFile(pytest.Module):
    """Functions bench_*; setup() and teardown() of the module once, around all of them."""

    def funcnamefilter(self, name):
        return name.startswith("bench_")

    def classnamefilter(self, name):
        return False

    def _inject_setup_module_fixture(self):
        """pytest 7 makes a fixture of a function called setup, for nose's sake."""
        names = vars(self.obj)
        ours = {name: names.pop(name) for name in ("setup", "teardown") if name in names}
        try:
            super()._inject_setup_module_fixture()
        finally:
            names.update(ours)

    begin = None  # what it takes before the first is imported; not yet where pytest makes nodes
                  # of all files of a folder, and then takes the one that was asked for

    def _getobj(self):
        self.begin(self.config)  # plugins may want the module before it is collected
        return super()._getobj()

    def collect(self):
        collecting = self.begin(self.config)
        if collecting is None:  # refused, and said so
            return []
        self.templates = {}
        for template in super().collect():
            if isinstance(template, pytest.Function):
                self.templates.setdefault(template.originalname, []).append(template)
        return collecting.bench_nodes(self)

    def setup(self):
        super().setup()
        self.call("setup")

    def teardown(self):
        self.call("teardown")
        super().teardown()

    def call(self, name):
        function = getattr(self.obj, name, None)
        if inspect.isfunction(function):
            function()


class BenchFunction(pytest.Collector):
    """Holds the runs of one function, so that ids read bench_x.py::bench_f::case[run3]."""

    @property
    def obj(self):
        return self.parent.obj

    def collect(self):
        return self.make(self)


def rejection(function):
    """Why its body cannot be run. Not of what it wraps: a wrapper may well know how to run it."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return "a bench function is a plain test body: it asserts, it does not yield"
    if inspect.iscoroutinefunction(function):
        return "a coroutine: it takes a plugin that runs it, such as pytest-asyncio"
    return None


def is_bench_file(config, path):
    name = path.name
    if not fnmatch.fnmatch(name, config.getini("prob_pattern")):
        return False
    return not any(fnmatch.fnmatch(name, p) for p in config.getini("python_files"))


class Collecting:
    """What a session that samples and a single trial have in common."""

    def __init__(self, config):
        self.config = config
        self.names = {}  # of functions -> the node id they stand for
        self.cases = {}  # name -> case

    def unique(self, name, owner):
        """A function of the same name in another file is told apart by its file."""
        if self.names.setdefault(name, owner) == owner:
            return name
        name = f"{owner.split('::', 1)[0]}::{name}"
        self.names[name] = owner
        return name

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector, name, obj):
        if not isinstance(collector, BenchFile) or not inspect.isfunction(obj):
            return None
        if not collector.funcnamefilter(name):
            return None
        return list(collector._genfunctions(name, obj))  # generators too: their runs are errors

    @pytest.hookimpl
    def pytest_pyfunc_call(self, pyfuncitem):
        """After plugins that know how to run coroutines, before pytest itself."""
        sample = getattr(pyfuncitem, "sample", None)
        if sample is None or not sample.bench:
            return None
        why = rejection(pyfuncitem.obj)
        if why is not None:
            raise TypeError(f"{pyfuncitem.originalname}: {why}")
        names = pyfuncitem._fixtureinfo.argnames
        arguments = {name: pyfuncitem.funcargs[name] for name in names}
        body, run = pyfuncitem.obj, sample.run
        run.start_clock()
        try:
            result = body(**arguments)
        finally:
            run.stop_clock()
        left = _record.unrun(result)
        if left is not None:
            raise TypeError(f"{pyfuncitem.originalname}: it returned a {left}, and nobody ran that")
        steps = _record.steps(result)
        failed = steps and _record.take_steps(run, steps)
        if failed:
            outcome, text = failed
            run.ended(outcome, **{"message" if outcome == "fail" else "error": text})
            pytest.fail(text, pytrace=False)
        return True


class Single(Collecting):
    """In the processes that diagnose: each case is one item that runs once."""

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        sample = getattr(item, "sample", None)
        if sample is None:
            yield
            return
        with _record.lasting(sample):
            yield

    def bench_nodes(self, file):
        nodes = []
        for name, templates in file.templates.items():
            node = BenchFunction.from_parent(file, name=name)
            node.templates = templates
            node.make = self.items
            nodes.append(node)
        return nodes

    def items(self, node):
        return [self.item(node, template) for template in node.templates]

    def item(self, node, template):
        # A run that was asked for keeps its name: it is the one that is looked for.
        id_ = _case.case_id(template)
        run = re.compile(re.escape(f"{node.name}::{id_}") + (r"\[run\d+\]" if id_ else r"run\d+"))
        widened = self.config.pluginmanager.get_plugin("flaky_repro.asked")
        asked = (tail for _, tail, _ in widened.meant) if widened is not None else (
            str(arg).partition("::")[2] for arg in self.config.args)
        name = next((tail[len(node.name) + 2:] for tail in asked if run.fullmatch(tail)),
                    id_ or "run1")
        item = _case.copy_of(template, node, name, f"{node.nodeid}::{name}")
        item.sample = _case.Sample(None, 1, bench=True)
        return item


def file_node(file_path, parent, begin):
    if not is_bench_file(parent.config, file_path):
        return None
    node = BenchFile.from_parent(parent, path=file_path)
    node.begin = begin
    return node


def begin_in_trial(config):
    single = config.pluginmanager.get_plugin("flaky_repro.sampling")
    if single is None:
        single = Single(config)
        config.pluginmanager.register(single, "flaky_repro.sampling")
        prepare(config)
    return single


def prepare(config):
    """Before the first bench file is imported: its asserts are to be rewritten, and what it imports
    from pytest_probability it finds with us."""
    sys.modules.setdefault("pytest_probability", flaky_repro)
    state = config.stash.get(assertstate_key, None)
    hook = getattr(state, "hook", None)
    if hook is not None:
        hook.fnpats = [*hook.fnpats, config.getini("prob_pattern")]  # the list itself is the ini's
