"""Makes the runs of cases, and the items that pass or fail with a verdict, of what pytest
collected."""
import os

import pytest
from _pytest.unittest import TestCaseFunction

from flaky_repro import _bench, _case

NOT_OF_A_VERDICT = ("parametrize", "usefixtures", "skip", "skipif", "xfail", "probability",
                    "asyncio")


def site(template):
    """Path and line of the function, as a traceback would have it."""
    path, line, _ = template.reportinfo()
    return os.fspath(path), line or 0


def definition(template, name, function, nodeid):
    id_ = _case.case_id(template)
    return {"case": f"{function}::{id_}" if id_ else function, "function": function, "input": id_,
            "nodeid": nodeid, "file": name, "parameters": _case.parameters(template),
            "marks": _case.marks(template)}


def bench_nodes(sampling, file):
    """What a bench file holds: a collector for each function, and verdicts about functions."""
    path = file.nodeid.split("::", 1)[0]
    functions, definitions, where = {}, [], {}
    for name, templates in file.templates.items():
        node = _bench.BenchFunction.from_parent(file, name=name)
        function = sampling.unique(name[len("bench_"):], node)
        pairs = []
        for template in templates:
            id_ = _case.case_id(template) or "run1"
            pairs.append((template, definition(template, path, function, f"{node.nodeid}::{id_}")))
        functions[function] = node, pairs
        definitions += [d for _, d in pairs]
        where[function] = site(templates[0])[0], site(templates[0])[1] + 1
    answer = sampling.settle(definitions, where)
    return list(nodes(sampling, file, functions, answer))


def nodes(sampling, file, functions, answer):
    for function, (node, pairs) in functions.items():
        cases = [(template, sampling.cases[d["case"]]) for template, d in pairs]
        about = list(about_function(answer, function))
        node.make = lambda node, cases=cases, about=about: bench_items(
            sampling, node, cases, grouped_by(cases, about))
        yield node
        for tail, question in about:
            yield verdict(sampling, file, f"{node.name}[{tail}]", f"{node.nodeid}[{tail}]",
                          cases, question, f"{question['title']}")


def about_function(answer, function):
    """Verdicts on a function as a whole: the end of their id, the question, a title."""
    for compared in answer.get("compare", ()):
        if compared["function"] == function and compared.get("gate", True):
            for arm in compared["arms"]:
                yield f"compare:{arm}", {"function": function, "arm": arm,
                                         "title": f"compare: {function} {arm}"}
    for based in answer.get("baseline", ()):
        if based["function"] == function:
            yield "baseline", {"function": function, "baseline": True,
                               "title": f"baseline: {function}"}


def grouped_by(cases, about):
    """Under xdist one worker runs all that a verdict is about."""
    return group_of(cases[0][1]) if about and cases else None


def group_of(case):
    return f"prob{case.definition['index']}"  # a case's name may hold what xdist splits at


def bench_items(sampling, node, cases, group):
    made = []
    for template, case in cases:
        id_ = _case.case_id(template)
        single = f"{node.nodeid}::{id_}" if id_ else f"{node.nodeid}::"
        mine = runs(sampling, case, template, node, id_ or None, single, bench=True)
        if case.gate_item:
            tail = f"{id_}[gate]" if id_ else "gate"
            mine.append(verdict(sampling, node, tail, f"{node.nodeid}::{tail}",
                                [(template, case)], {"case": case.name}, f"gate: {case.name}"))
        made += finished(sampling, case, mine, group)
    return made


def of_tests(sampling, collected):
    """Ordinary tests: each function item becomes its runs."""
    found, where = {}, {}
    for item in collected:
        if isinstance(item, pytest.Function) and not hasattr(item, "sample"):
            above = [c.name for c in item.listchain() if isinstance(c, pytest.Class)]
            plain = "::".join([*above, item.originalname or item.name])
            owner = item.nodeid.split("[", 1)[0]
            function = sampling.unique(plain, _Owner(owner))
            found[item] = definition(item, item.nodeid.split("::", 1)[0], function, item.nodeid)
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
        mine = runs(sampling, case, item, item.parent, item.name, item.nodeid, bench=False)
        if case.gate_item:
            mine.append(verdict(sampling, item.parent, f"{item.name}[gate]",
                                f"{item.nodeid}[gate]", [(item, case)], {"case": case.name},
                                f"gate: {case.name}"))
        made += finished(sampling, case, mine, None)
    for function, cases in of_function.items():
        for tail, question in about_function(answer, function):
            item = cases[0][0]
            made.append(verdict(sampling, item.parent, f"{item.originalname}[{tail}]",
                                f"{item.nodeid.split('[', 1)[0]}[{tail}]", cases, question,
                                question["title"]))
    return made


class _Owner:
    def __init__(self, nodeid):
        self.nodeid = nodeid


def runs(sampling, case, template, parent, name, single, bench):
    """`name`: of the item without its number; `single`: the same of its node id."""
    path, line = site(template)
    made = []
    for number in range(1, case.runs + 1):
        tail = f"run{number}" if name is None else f"[run{number}]" if case.runs > 1 else ""
        item = _case.copy_of(template, parent, (name or "") + tail, single + tail)
        item.sample = _case.Sample(case, number, bench)
        if isinstance(template, TestCaseFunction):
            item.method = template.name  # unittest finds it by its name
        title = f"case: {case.name}" + (f" run {number}" if case.runs > 1 else "")
        if bench:
            item.reportinfo = lambda title=title: (path, line, title)
        made.append(item)
    return made


def verdict(sampling, parent, name, nodeid, cases, question, title):
    item = _case.Verdict.from_parent(parent, name=name)
    _case.set_nodeid(item, nodeid)
    template = cases[0][0]
    item.path, item.line = template.path, site(template)[1]
    item.sampling, item.title = sampling, title
    item.question = {k: v for k, v in question.items() if k != "title"}
    item.cases = [case for _, case in cases]
    kind = name[name.rfind("["):] if name.endswith("]") else "[gate]"
    item.what = item.cases[0].function + kind if len(cases) > 1 or "case" not in question else (
        item.cases[0].name + kind)
    for mark in template.own_markers if "case" in question else ():
        if mark.name not in NOT_OF_A_VERDICT:
            item.own_markers.append(mark)
            item.keywords[mark.name] = mark
    item.group = group_of(item.cases[0])
    return item


def finished(sampling, case, items, group):
    """For xdist, and for --lf: a gate that failed is rerun with its runs."""
    for item in items:
        item.group = group or group_of(case)
    last = sampling.config.pluginmanager.get_plugin("lfplugin")
    failed = getattr(last, "lastfailed", None) if getattr(last, "active", False) else None
    if failed and any(isinstance(i, _case.Verdict) and _case.nodeid_key(i) in failed
                      for i in items):
        failed.update((_case.nodeid_key(item), True) for item in items)
    return items
