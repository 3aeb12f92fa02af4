"""What code under test may say about the run it is in, and what a run may hand back."""
import contextlib
import dataclasses
import math
import time
import types
import warnings


class InfeasibleGateWarning(UserWarning):
    """A gate cannot pass with the runs that are planned."""


class CurtailmentWarning(UserWarning):
    """Runs were to be left out as soon as the verdict is certain, and cannot be here."""


@dataclasses.dataclass
class TokenUsage:
    """What the calls of one model took within a run."""
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    cost: float = 0.0


NAMELESS = "unknown"
FIELDS = tuple((f.name, type(f.default)) for f in dataclasses.fields(TokenUsage))


class Run:
    """One run of a case while it lasts. Lists only grow: helper threads of the run may add."""

    def __init__(self, number=1):
        self.number = number
        self.outcome = self.message = self.error = None
        self.elapsed = 0.0
        self.costs, self.usages, self.steps = [], [], None
        self.sink = None  # hears at once what is recorded, where the process may be lost
        self.begun = None

    def add(self, kind, value):
        (self.costs if kind == "cost" else self.usages).append(value)
        if self.sink is not None:
            self.sink({kind: value})

    def ended(self, outcome, message=None, error=None):
        self.outcome, self.message, self.error = outcome, message, error

    def state(self):
        kept = ("outcome", "message", "error", "elapsed", "costs", "usages", "steps")
        return {name: getattr(self, name) for name in kept}

    def restore(self, state):
        for name, value in state.items():
            setattr(self, name, value)

    def start_clock(self):
        self.begun = time.perf_counter()

    def stop_clock(self):
        if self.begun is not None:
            self.elapsed = time.perf_counter() - self.begun
            self.begun = None

    def record(self, case):
        made = {"case": case, "run": self.number, "outcome": self.outcome,
                "message": self.message, "error": self.error, "elapsed": self.elapsed,
                "cost": sum(self.costs) if self.costs else None, "usage": self.usages}
        if self.steps is not None:
            made["steps"] = self.steps
        return made


_now = None  # the run of this process; of all its threads, so no context variable


@contextlib.contextmanager
def lasting(sample):
    """While the sample's run lasts. A test may hold a whole session of pytest, with runs in it."""
    global _now
    before, _now = _now, Run(sample.number)
    sample.run = _now
    try:
        yield
    finally:
        _now, sample.run = before, None


def current(what):
    if _now is None:
        raise RuntimeError(f"{what}() was called outside a run of a case")
    return _now


def number(value, kind, what):
    value = kind(value)
    if not math.isfinite(value):
        raise ValueError(f"{what} must be a finite number, not {value}")
    return value


def entry(usage, fields=()):
    """A plain dict of any object or dict with the fields of TokenUsage; others are ignored."""
    found = {}
    for name, kind in FIELDS:
        value = usage.get(name) if isinstance(usage, dict) else getattr(usage, name, None)
        value = dict(fields).get(name, value)
        if value is None:
            value = kind()
        found[name] = str(value) if kind is str else number(value, kind, name)
    found["model"] = found["model"] or NAMELESS
    return found


def record_cost(amount):
    """Adds a cost other than that of tokens to the run."""
    current("record_cost").add("cost", number(amount, float, "a cost"))


def record_usage(usage=None, /, **fields):
    """Adds what one call of a model took: an object or dict with the fields of TokenUsage, or the
    fields themselves."""
    run = current("record_usage")
    unknown = set(fields) - {name for name, _ in FIELDS}
    if unknown:  # said, but no reason for the run to break
        warnings.warn(f"record_usage() does not count {', '.join(sorted(unknown))}", stacklevel=2)
    run.add("usage", entry(usage, fields))


def look(step, name, default=None):
    return step.get(name, default) if isinstance(step, dict) else getattr(step, name, default)


def is_step(thing):
    absent = object()
    return all(look(thing, name, absent) is not absent for name in ("label", "passed"))


def plain_step(step):
    elapsed, cost, usage = (look(step, name) for name in ("elapsed", "cost", "usage"))
    usage = [] if usage is None else usage if isinstance(usage, (list, tuple)) else [usage]
    error, message = look(step, "error"), look(step, "message")
    return {"label": str(look(step, "label")), "passed": bool(look(step, "passed")),
            "elapsed": None if elapsed is None else number(elapsed, float, "elapsed"),
            "error": None if error is None else str(error),
            "message": None if message is None else str(message),
            "cost": None if cost is None else number(cost, float, "a cost"),
            "usage": [entry(one) for one in usage]}


def unrun(result):
    """What a body handed back in place of running it."""
    for kind in (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType):
        if isinstance(result, kind):
            if hasattr(result, "close"):  # or Python complains of it as well
                result.close()
            return kind.__name__.replace("_", " ")
    return None


def steps(result):
    """The steps that a function returned, as plain dicts, or None if it returned none."""
    if result is None or isinstance(result, (str, bytes)):
        return None
    if is_step(result):
        return [plain_step(result)]
    if isinstance(result, (list, tuple)) and result and all(map(is_step, result)):
        return [plain_step(step) for step in result]
    return None


def take_steps(run, made):
    """What they cost is the run's. Returns (outcome, text) of the first that failed, or None."""
    run.steps = made
    for step in made:
        if step["cost"] is not None:
            run.add("cost", step["cost"])
        for one in step["usage"]:
            run.add("usage", one)
    for step in made:
        if step["error"] is not None:
            return "error", f"{step['label']}: {step['error']}"
    for step in made:
        if not step["passed"]:
            return "fail", f"{step['label']}: {step['message'] or 'failed'}"
    return None
