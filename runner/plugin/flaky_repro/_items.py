"""Makes the runs of cases, and the items that pass or fail with a verdict, of what pytest
collected."""
import collections
import os

import pytest
from _pytest.unittest import TestCaseFunction

from flaky_repro import _bench, _case

NOT_OF_A_VERDICT = ("parametrize", "usefixtures", "skip", "skipif", "xfail", "probability",
                    "asyncio")

# Where an item is to be: its parent, its name and its node id. Of runs, without their number.
Place = collections.namedtuple("Place", "parent name nodeid")


def site(template):
    """Path and line of the function, as a traceback would have it."""
    path, line, _ = template.reportinfo()
    return os.fspath(path), line or 0


def definition(template, function, nodeid):
    id_ = _case.case_id(template)
    return {"case": f"{function}::{id_}" if id_ else function, "function": function, "input": id_,
            "nodeid": nodeid, "file": nodeid.split("::", 1)[0],
            "parameters": _case.parameters(template), "marks": _case.marks(template)}


def bench_nodes(sampling, file):
    """What a bench file holds: a collector for each function, and verdicts about functions."""
    functions, definitions, where = {}, [], {}
    for name, templates in file.templates.items():
        node = _bench.BenchFunction.from_parent(file, name=name)
        function = sampling.unique(name[len("bench_"):], node.nodeid)
        pairs = [(template, definition(
            template, function, f"{node.nodeid}::{_case.case_id(template) or 'run1'}"))
            for template in templates]
        functions[function] = node, pairs
        definitions += [d for _, d in pairs]
        where[function] = site(templates[0])[0], site(templates[0])[1] + 1
    answer = sampling.settle(definitions, where)
    made = []
    for function, (node, pairs) in functions.items():
        cases = [(template, sampling.cases[d["case"]]) for template, d in pairs]
        node.cases, node.about = cases, list(about_function(answer, function))
        node.make = lambda node: bench_items(sampling, node)
        made.append(node)
        for tail, question in node.about:
            place = Place(file, f"{node.name}[{tail}]", f"{node.nodeid}[{tail}]")
            made.append(verdict(sampling, place, cases, question))
    return made


def about_function(answer, function):
    """Verdicts on a function as a whole: how their id ends, and what is asked."""
    for compared in answer.get("compare", ()):
        if compared["function"] == function and compared.get("gate", True):
            for arm in compared["arms"]:
                yield f"compare:{arm}", {"function": function, "arm": arm}
    for based in answer.get("baseline", ()):
        if based["function"] == function:
            yield "baseline", {"function": function, "baseline": True}


def bench_items(sampling, node):
    """The runs of a function of a bench file."""
    made = []
    for template, case in node.cases:
        id_ = _case.case_id(template)
        mine = runs(case, template, Place(node, id_, f"{node.nodeid}::{id_}"), bench=True)
        if case.gate_item:
            tail = f"{id_}[gate]" if id_ else "gate"
            mine.append(verdict(sampling, Place(node, tail, f"{node.nodeid}::{tail}"),
                                [(template, case)], {"case": case.name}))
        # Under xdist one worker runs all that a verdict is about.
        made += finished(sampling, mine, node.cases[0][1] if node.about else case)
    return made


def of_tests(sampling, collected):
    """Ordinary tests: each function item becomes its runs."""
    found, where = {}, {}
    for item in collected:
        if isinstance(item, pytest.Function) and not hasattr(item, "sample"):
            above = [c.name for c in item.listchain() if isinstance(c, pytest.Class)]
            function = sampling.unique("::".join([*above, item.originalname]),
                                       item.nodeid.split("[", 1)[0])
            found[item] = definition(item, function, item.nodeid)
            where.setdefault(function, (site(item)[0], site(item)[1] + 1))
    if not found:
        return collected
    answer = sampling.settle(list(found.values()), where)
    made, of_function = [], {}
    for item in collected:
        if item not in found:
            made.append(item)
            continue
        case = sampling.cases[found[item]["case"]]
        of_function.setdefault(case.function, []).append((item, case))
        mine = runs(case, item, Place(item.parent, item.name, item.nodeid), bench=False)
        if case.gate_item:
            place = Place(item.parent, f"{item.name}[gate]", f"{item.nodeid}[gate]")
            mine.append(verdict(sampling, place, [(item, case)], {"case": case.name}))
        made += mine
    for function, cases in of_function.items():
        first = cases[0][0]
        about = list(about_function(answer, function))
        for tail, question in about:
            place = Place(first.parent, f"{first.originalname}[{tail}]",
                          f"{first.nodeid.split('[', 1)[0]}[{tail}]")
            made.append(verdict(sampling, place, cases, question))
        for _, case in cases:
            mine = [i for i in made if getattr(i, "about", None) is case]
            finished(sampling, mine, cases[0][1] if about else case)
    return made


def runs(case, template, place, bench):
    path, line = site(template)
    made = []
    for number in range(1, case.runs + 1):
        tail = f"[run{number}]" if case.runs > 1 else ""
        if not place.name:
            tail = f"run{number}"
        item = _case.copy_of(template, place.parent, place.name + tail, place.nodeid + tail)
        item.sample, item.about = _case.Sample(case, number, bench), case
        if isinstance(template, TestCaseFunction):
            item.method = template.name  # unittest finds it by its name
        if bench:
            title = f"case: {case.name}" + (f" run {number}" if case.runs > 1 else "")
            item.reportinfo = lambda title=title: (path, line, title)
        made.append(item)
    return made


def verdict(sampling, place, cases, question):
    """An item that asks this question when all runs of these cases are over."""
    item = _case.Verdict.from_parent(place.parent, name=place.name)
    _case.set_nodeid(item, place.nodeid)
    template = cases[0][0]
    item.path, item.line = template.path, site(template)[1]
    item.sampling, item.question, item.cases = sampling, question, [case for _, case in cases]
    if "case" in question:
        item.title, item.about = f"gate: {question['case']}", cases[0][1]
        item.what = f"{question['case']}[gate]"
        for mark in template.own_markers:
            if mark.name not in NOT_OF_A_VERDICT:
                item.own_markers.append(mark)
                item.keywords[mark.name] = mark
    else:
        kind, arm = ("compare", question["arm"]) if "arm" in question else ("baseline", "")
        item.title = f"{kind}: {question['function']} {arm}".rstrip()
        item.what = f"{question['function']}[{kind}{':' if arm else ''}{arm}]"
    item.group = group_of(cases[0][1])
    return item


def group_of(case):
    return f"prob{case.definition['index']}"  # a case's name may hold what xdist splits at


def finished(sampling, items, first):
    """For xdist: `first` names the group. For --lf: a gate that failed is rerun with its runs."""
    for item in items:
        item.group = group_of(first)
    last = sampling.config.pluginmanager.get_plugin("lfplugin")
    failed = getattr(last, "lastfailed", None) if getattr(last, "active", False) else None
    if failed and any(isinstance(i, _case.Verdict) and _case.nodeid_key(i) in failed
                      for i in items):
        failed.update((_case.nodeid_key(item), True) for item in items)
    return items
