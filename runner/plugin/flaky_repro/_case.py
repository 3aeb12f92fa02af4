"""A case, the items that are its runs, and what the program is told about it."""
import math

import pytest

try:
    from _pytest.nodeid import coerce_node_id  # pytest 9.2
except ImportError:
    coerce_node_id = None


class Case:
    """One function with one set of arguments; `definition` is what the program knows of it."""

    def __init__(self, definition):
        self.definition = definition
        self.name = definition["case"]
        self.function = definition["function"]
        self.runs = 1
        self.gated = self.gate_item = False
        self.stop = self.idle = None  # per number of runs: when nothing can change any more
        self.stop_ask = False  # only the program can say it
        self.passes = self.fails = self.errors = 0
        self.cut = None  # why no more runs are needed
        self.shipped = False  # the definition, to the process that reports

    def decide(self, settled):
        self.runs = settled["runs"]
        self.gated = settled["gated"]
        self.gate_item = settled.get("gate_item", False)
        self.stop, self.idle = settled.get("stop"), settled.get("idle")
        self.stop_ask = settled.get("stop_ask", False)

    def count(self, outcome):
        if outcome == "pass":
            self.passes += 1
        elif outcome == "fail":
            self.fails += 1
        else:
            self.errors += 1

    @property
    def ran(self):
        return self.passes + self.fails + self.errors

    def certain(self):
        """Whether the tables say that no further run can change the verdict."""
        if not self.stop or not 0 < self.ran <= len(self.stop):
            return False
        enough, too_many = self.stop[self.ran - 1]
        idle = self.idle[self.ran - 1] if self.idle else None
        return (enough is not None and self.passes >= enough
                or too_many is not None and self.ran - self.passes >= too_many
                or idle is not None and idle[0] <= self.passes <= idle[1])


class Sample:
    """What is written on an item that is one run of a case."""

    def __init__(self, case, number, bench):
        self.case = case
        self.number = number
        self.bench = bench  # of a bench file
        self.run = None  # while it lasts
        self.cut = False


def set_nodeid(node, text):
    """Names are made up of more than pytest makes them of."""
    if coerce_node_id is not None and hasattr(node, "_id"):
        node._id = coerce_node_id(text)
    else:
        node._nodeid = text


def nodeid_key(item):
    """By which --lf knows an item."""
    return getattr(item, "id", item.nodeid)


def plain(value):
    """A value of a mark that the program understands, or its repr."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, (list, tuple)) and len(value) == 2:
        pair = [plain(v) for v in value]
        if all(isinstance(v, (int, float)) for v in pair):
            return pair
    return {"repr": repr(value)}


def marks(template):
    """The arguments of @pytest.mark.probability, closest first."""
    callspec = getattr(template, "callspec", None)
    of_case = list(callspec.marks) if callspec is not None else []
    rest = [m for m in template.iter_markers("probability") if not any(m is c for c in of_case)]
    named = [(m, True) for m in reversed(of_case) if m.name == "probability"]
    return [{"of_case": case, "args": [plain(a) for a in m.args],
             "kwargs": {k: plain(v) for k, v in m.kwargs.items()}}
            for m, case in [*named, *((m, False) for m in rest)]]


def parameters(template):
    """Each argument of parametrize with its part of the case's id."""
    callspec = getattr(template, "callspec", None)
    if callspec is None:
        return []
    groups = []
    for mark in template.iter_markers("parametrize"):
        names = mark.args[0] if mark.args else mark.kwargs.get("argnames", ())
        names = names.split(",") if isinstance(names, str) else names
        groups.append([str(name).strip() for name in names])
    known = {name for group in groups for name in group}
    # Those of a pytest_generate_tests in a conftest are asked first.
    others = [[n] for n in {**callspec.params, **getattr(callspec, "funcargs", {})}
              if n not in known]
    groups = [*others, *groups]
    parts = list(callspec._idlist)
    if len(parts) != len(groups):
        return [[name, callspec.id] for group in groups for name in group]
    return [[name, str(part)] for group, part in zip(groups, parts) for name in group]


def case_id(template):
    callspec = getattr(template, "callspec", None)
    return callspec.id if callspec is not None else ""


def copy_of(template, parent, name, nodeid):
    """Another item of the same test, of whatever class the plugins made of it."""
    more = {} if parent is template.parent else {"callobj": template.obj}
    if hasattr(template, "callspec"):
        more.update(callspec=template.callspec, keywords={template.callspec.id: True})
    item = type(template).from_parent(
        parent, name=template.name, fixtureinfo=template._fixtureinfo,
        originalname=template.originalname, **more)
    item.name = name
    set_nodeid(item, nodeid)
    if len(item.own_markers) != len(template.own_markers):  # a plugin added some
        item.own_markers = list(template.own_markers)
    return item


class Verdict(pytest.Item):
    """Passes or fails with what was judged: a case, or a function against something."""

    sampling = None  # who asks

    def __init__(self, **fields):
        super().__init__(**fields)
        self.question = self.what = self.title = None
        self.cases = ()  # whose runs it is about
        self.line = 0

    def reportinfo(self):
        return self.path, self.line, self.title

    def runtest(self):
        self.sampling.judge(self)

    def repr_failure(self, excinfo):
        if isinstance(excinfo.value, pytest.fail.Exception):
            return str(excinfo.value)
        return super().repr_failure(excinfo)
