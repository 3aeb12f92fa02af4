"""How a run ended, from what pytest says about its phases."""
import pytest

NOT_A_SAMPLE = (pytest.skip.Exception, pytest.xfail.Exception)


def first_line(exception):
    try:
        text = str(exception)
    except Exception:
        text = f"<unprintable {type(exception).__name__}>"
    return text.strip("\n").split("\n", 1)[0]


def described(exception):
    line, name = first_line(exception), type(exception).__name__
    if getattr(exception, "says_all", False):
        return line
    return f"{name}: {line}" if line else name


def note(run, call, report):
    """A return is a pass, an AssertionError a fail, anything else an error, SystemExit too: pytest
    goes on after it. Skips and xfails are no samples. A fixture that fails is an error."""
    exception = call.excinfo.value if call.excinfo is not None else None
    if isinstance(exception, NOT_A_SAMPLE):  # an xfail is a kind of pytest.fail()
        return
    if report.when == "call":
        if run.outcome is not None:  # its steps said so already
            return
        if exception is None:
            run.ended("pass")
        elif isinstance(exception, (AssertionError, pytest.fail.Exception)):
            run.ended("fail", message=first_line(exception) or type(exception).__name__)
        else:
            run.ended("error", error=described(exception))
    elif exception is not None:
        if report.when == "setup" or run.outcome == "pass":
            run.ended("error", error=described(exception))
        if report.when == "setup":
            run.elapsed = call.duration


def excuse(run, report, errors_excluded):
    """A run of a gated case does not fail the session: the verdict does."""
    if not report.failed or report.when == "teardown":
        return
    if run.outcome == "fail":
        report.wasxfail = f"probability gate: {run.message}"
    elif run.outcome == "error" and errors_excluded:
        report.wasxfail = f"probability gate, error excluded: {run.error}"
    else:
        return
    report.outcome = "skipped"


def place_skip(item, report):
    """Runs that are left out are counted together, at the test."""
    if report.skipped and isinstance(report.longrepr, tuple):
        _, line, _ = item.location
        report.longrepr = (str(item.path), (line or 0) + 1, report.longrepr[2])
