"""The thin part of flaky-repro that has to be Python: pytest hooks that talk to the runner.

Nothing here decides anything. A trial reports what happened, one JSON object a line, and the
runner (a C program) counts, compares and concludes.

Code under test may import record_cost, record_usage and TokenUsage from here, and the categories
of our warnings.
"""

__version__ = "0.1.0"
PROTOCOL = 1
_RECORD = ("record_cost", "record_usage", "TokenUsage", "InfeasibleGateWarning",
           "CurtailmentWarning")


def __getattr__(name):
    if name not in _RECORD:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from flaky_repro import _record  # not in an ordinary session
    return getattr(_record, name)
