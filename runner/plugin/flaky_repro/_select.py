"""Which items a session runs, and in which order."""
import fnmatch
import os
import re

import pytest

from flaky_repro import _case

VERDICT = re.compile(r"(.*?)(\[gate\]|::gate|\[compare:.*\]|\[baseline\])$")
RUN = re.compile(r"\[run\d+\]$")


def widened(arg, bench):
    """(what pytest can find, the ids that are meant by it) of an argument for which pytest has no
    item of that name: all runs of a case, or a verdict with the runs it is about."""
    path, sep, tail = arg.partition("::")
    if bench and tail.count("::") > 1:  # of a case's id: pytest would split there
        about = VERDICT.match(tail)
        return path + sep + tail.partition("::")[0], about[1] if about else tail
    if not tail or RUN.search(tail):
        return arg, tail
    about = VERDICT.match(tail)
    tail = about[1] if about else tail
    last = tail.rfind("::") + 2 if "::" in tail else 0
    bracket = tail.find("[", last)
    return path + sep + (tail if bracket < 0 else tail[:bracket]), tail


def widen(config):
    """Called before pytest looks at the arguments."""
    pattern = config.getini("prob_pattern")
    tests = getattr(config.option, "prob_tests", False)

    def bench(arg):
        return fnmatch.fnmatch(os.path.basename(arg.partition("::")[0]), pattern)

    pairs = [widened(arg, bench(arg)) if tests or bench(arg) else (arg, arg.partition("::")[2])
             for arg in config.args]
    if not config.option.pyargs and any(wide != arg for (wide, _), arg in zip(pairs, config.args)):
        asked = Asked(config, pairs)
        config.args = [wide for wide, _ in pairs]
        config.pluginmanager.register(asked, "flaky_repro.asked")


class Asked:
    """Arguments that were widened; narrowed again when all is collected."""

    def __init__(self, config, pairs):
        folder = config.invocation_params.dir
        self.changed = [arg for arg, (wide, _) in zip(config.args, pairs) if wide != arg]
        self.meant = [(os.path.realpath(folder / arg.partition("::")[0]), tail, arg)
                      for arg, (_, tail) in zip(config.args, pairs)]

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items):
        found, kept, known = set(), [], {}
        for item in items:
            path = known.get(item.path)
            if path is None:
                path = known[item.path] = os.path.realpath(item.path)
            tail = item.nodeid.partition("::")[2]
            by = [arg for at, names, arg in self.meant if covers(at, names, path, tail)]
            found.update(by)
            if by:
                kept.append(item)
        missing = [arg for arg in self.changed if arg not in found]
        items[:] = kept  # also where that is refused: pytest says what it collected all the same
        if missing:
            raise pytest.UsageError("\n".join(f"not found: {arg}" for arg in missing))
        yield


def covers(at, names, path, tail):
    if not names:
        return path == at or path.startswith(at.rstrip(os.sep) + os.sep)
    return path == at and (tail == names or tail.startswith((names + "[", names + "::")))


def run_major(items):
    """Run 1 of every case, then run 2: within a file, whose setup() holds for all of it."""
    files = {}
    for i, item in enumerate(items):
        if hasattr(item, "sample"):
            files.setdefault(item.path, []).append(i)
    for at in files.values():
        ordered = sorted((items[i] for i in at), key=lambda item: item.sample.number)
        for i, item in zip(at, ordered):
            items[i] = item


def is_verdict(item):
    return isinstance(item, _case.Verdict)


def bring_runs(config, before, items):
    """A verdict that was selected without any of the runs it is about gets all of them."""
    have = {i.sample.case for i in items if hasattr(i, "sample")}
    alone = [i for i in items if is_verdict(i) and not any(c in have for c in i.cases)]
    if not alone:
        return
    needed = {case for item in alone for case in item.cases}
    brought = [i for i in before if hasattr(i, "sample") and i.sample.case in needed]
    chosen = {*items, *brought}
    items[:] = [i for i in before if i in chosen] + [i for i in items if i not in set(before)]
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and brought:
        deselected = reporter.stats.get("deselected", [])
        deselected[:] = [i for i in deselected if i not in chosen]
        if reporter.verbosity >= 0 or config.option.collectonly:
            verdicts = f"{len(alone)} verdict{'s' if len(alone) > 1 else ''}"
            reporter.ensure_newline()
            reporter.write_line(f"probability: {verdicts} selected without runs; added "
                                f"{len(brought)} runs")


def place_verdicts(items):
    """Whatever shuffled the items: a verdict comes after the last run it is about."""
    verdicts = [i for i in items if is_verdict(i)]
    if not verdicts:
        return
    rest = [i for i in items if not is_verdict(i)]
    last = {i.sample.case: at for at, i in enumerate(rest) if hasattr(i, "sample")}
    after = {}
    for item in verdicts:
        at = max((last.get(case, -1) for case in item.cases), default=-1)
        after.setdefault(len(rest) - 1 if at < 0 else at, []).append(item)
    items[:] = after.get(-1, [])
    for at, item in enumerate(rest):
        items.append(item)
        items += after.get(at, ())


def group(items):
    """One worker of xdist runs a case whole: the group stands at the end of the node id. Appended
    last, since all others know the ids without it; and not by the mark that xdist has for it,
    whose name for a node id pytest 9.2 no longer reads."""
    for item in items:
        name = getattr(item, "group", None)
        if name is None:
            continue
        told = getattr(item, "_nodeid", item.nodeid)
        if item.get_closest_marker("xdist_group") is None:
            _case.set_nodeid(item, f"{item.nodeid}@{name}")
        elif told != item.nodeid:
            _case.set_nodeid(item, told)
