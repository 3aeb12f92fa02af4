"""What the tests of triage share: failures of every phase, and pytest over a stand-in."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sampling import (HERE, check, main, needs, pytest as run,  # noqa: F401
                      words)

ON = ("--ai-triage=on", "--ai-provider=fake")
XDIST = ["xdist.plugin"]
ALIAS = str(HERE.parent.parent / "runner" / "alias")
FAILING = r'''
import sys, unittest, pytest
@pytest.fixture
def broken_setup(): raise ConnectionError("no route")
@pytest.fixture
def broken_teardown():
    yield
    raise OSError("left open")
def test_passes(): print("quiet")
def test_call():
    print("to stdout"); print("to stderr", file=sys.stderr)
    assert 1 == 2
def test_setup(broken_setup): pass
def test_teardown(broken_teardown): pass
def test_both(broken_teardown): raise KeyError("k")
@pytest.mark.parametrize("s", ["a[1]", "\u00e9"])
def test_value(s): raise ValueError(s)
@pytest.mark.xfail(strict=True)
def test_strict(): pass
def test_fail(): pytest.fail("by hand")
def test_skip(): pytest.skip("no")
class TestOld(unittest.TestCase):
    def test_it(self): self.assertEqual("x", "y")
'''
FAILED = [  # as FAILING ends: test, phase, exception
    ("test_call", "call", "AssertionError"), ("test_setup", "setup", "ConnectionError"),
    ("test_teardown", "teardown", "OSError"), ("test_both", "call", "KeyError"),
    ("test_both", "teardown", "OSError"), ("test_value[a[1]]", "call", "ValueError"),
    ("test_value[\\xe9]", "call", "ValueError"), ("test_strict", "call", None),
    ("test_fail", "call", "Failed"), ("TestOld::test_it", "call", "AssertionError")]


def pytest(w, *args, says="", at="", env=None, **how):
    """Over the stand-in, which says this at that question."""
    env = {"FLAKY_REPRO": str(HERE / "standin_triage.py"), "STANDIN_LOG": str(w.folder / "log"),
           "STANDIN_SAYS": says, "STANDIN_AT": at, **(env or {})}
    (w.folder / "log").unlink(missing_ok=True)
    return run(w, *args, env=env, **how)


def asked(w, what="triage"):
    """The one question of this kind; None if there was none."""
    log = w.folder / "log"
    text = log.read_text(encoding="utf-8") if log.exists() else ""
    found = [json.loads(line.split(" ", 1)[1]) for line in text.splitlines()]
    found = [q for q in found if q["ask"] == what]
    check(len(found) <= 1, f"asked {len(found)} times")
    return found[0] if found else None


def failures(w):
    return {(f["nodeid"].partition("::")[2], f["phase"]): f for f in asked(w)["failures"]}


def rest(text):
    """What was printed, without our own lines and without what differs from run to run."""
    text = re.sub(r"\bin \d+\.\d+s(?: \(\d+:\d+:\d+\))?", "in T", text)
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
    text = re.sub(r"=+ (.*in T) =+", r"= \1 =", text)
    return [line for line in text.splitlines() if not line.startswith(("pytest-triage: ",
                                                                       "triage: "))]
