"""Providers in Python: what they are written against, and the process they run in."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from triage import ALIAS, check, main, pytest  # noqa: E402

DESCRIBED = '''
from pytest_triage.providers import BaseTriageClient
class MyClient(BaseTriageClient):
    model = "mine-1"
    def __init__(self): self._session = []
    def _request(self, prompt):
        self._session.append(prompt)
        return "Sure: ```json\\n" + REPLY + "\\n``` " + str(len(self._session))
    def close(self): open("closed", "w").write(str(len(self._session)))
REPLY = '{"category": "Env", "confidence": "HIGH", "hypothesis": "down", "suggested_fix": null}'
'''
OWN_PROMPT = '''
from pytest_triage.providers import BaseTriageClient, Verdict, redact_nodeid, render_sections
from pytest_triage.context import FailureContext
class Own(BaseTriageClient):
    def _render_prompt(self, ctx):
        assert isinstance(ctx, FailureContext)
        return render_sections([("nodeid: ", redact_nodeid(ctx.nodeid)),
                                ("traceback:\\n", ctx.traceback), ("out:\\n", ctx.stdout_tail)])
    def _request(self, prompt): self.seen = prompt; return "none"
    def _parse(self, raw, ctx): return Verdict("flaky", self.seen, "medium")
'''
CONTEXT = {"nodeid": "t.py::test_a[1]", "phase": "call", "outcome": "failed", "exc_type": "OSError",
           "exc_message": "no", "traceback": "E  no", "duration": 0.5, "stdout_tail": "",
           "stderr_tail": "", "later_field": 1}


def start(w, name, env=None):
    env = {"PYTHONPATH": w.plugin, "FR_PROVIDER_PATH": str(w.project), **(env or {})}
    (w.project / "sub").mkdir(exist_ok=True)  # where nothing lies beside it
    return subprocess.Popen([w.python, "-m", "flaky_repro._provider", name], env=w.env(**env),
                            cwd=w.project / "sub", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def ask(w, name, *questions, **how):
    p = start(w, name, **how)
    said = "".join(json.dumps({"v": 1, **q}) + "\n" for q in questions)
    out, err = p.communicate(said.encode(), timeout=60)
    lines = [json.loads(line) for line in out.splitlines()]
    check(p.returncode == 0 and len(lines) == len(questions), p.returncode, out, err)
    check(all(x.pop("v") == 1 for x in lines), out)
    return lines


def failure(**other):
    return {"prompt": "PROMPT", "context": {**CONTEXT, **other}}


def case_provider_as_described(w):
    """Written for pytest-triage, with its alias installed and without it."""
    w.write("mine.py", DESCRIBED)
    for path in (w.plugin, os.pathsep.join((w.plugin, ALIAS))):
        ready, *said = ask(w, "mine:MyClient", {"check": True}, failure(), failure(),
                           env={"PYTHONPATH": path})
        check(ready == {"ready": True, "model": "mine-1"}, ready)
        check(said == [{"model": "mine-1", "verdict": {
            "category": "env", "confidence": "high", "hypothesis": "down",
            "suggested_fix": None}}] * 2, said)
        check((w.project / "sub" / "closed").read_text() == "2", "closed once, at the end")


def case_provider_with_its_own_prompt(w):
    w.write("mine.py", OWN_PROMPT)
    (said,) = ask(w, "mine:Own", failure())
    check(said["verdict"]["hypothesis"] == "nodeid: t.py::test_a[1]\ntraceback:\nE  no\n", said)
    check(said["verdict"]["category"] == "flaky" and said["model"] is None, said)


def case_provider_gets_the_prompt(w):
    w.write("mine.py", "from pytest_triage.providers import BaseTriageClient, Verdict\n"
            "class A(BaseTriageClient):\n    def _request(self, p): return p\n"
            "    def _parse(self, raw, ctx): return Verdict('env', raw, 'low', ctx.nodeid)\n")
    (said,) = ask(w, "mine:A", failure())
    check(said["verdict"]["hypothesis"] == "PROMPT", said)
    (said,) = ask(w, "mine:A", {"context": CONTEXT})  # nobody rendered one
    text = said["verdict"]["hypothesis"]
    check("test: t.py::test_a[1]\n" in text and "OSError: no\n" in text and "stdout" not in text,
          text)


def case_provider_by_entry_point(w):
    w.write("mine.py", DESCRIBED)
    w.write("mine-1.dist-info/entry_points.txt", "[pytest_triage.providers]\nmyco = mine:MyClient\n")
    w.write("mine-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    (said,) = ask(w, "myco", failure())
    check(said["verdict"]["category"] == "env", said)
    (said,) = ask(w, "other", failure())
    check('no provider "other"' in said["error"] and "myco" in said["error"], said)


def case_provider_kinds(w):
    """A class, a function that makes one, an object, and one inside another."""
    w.write("mine.py", """
from pytest_triage.providers import Verdict
class A:
    __slots__ = ()
    def analyze(self, ctx): return Verdict("env", ctx.nodeid, "low")
def make(): return A()
one = A()
class Outer: Inner = A
""")
    for attr in ("A", "make", "one", "Outer.Inner"):
        (said,) = ask(w, f"mine:{attr}", failure())
        check(said["verdict"]["hypothesis"] == CONTEXT["nodeid"], attr, said)


def case_provider_that_is_bad(w):
    """Each question has one answer, whatever the provider does or prints."""
    w.write("mine.py", r"""
import os, sys
from pytest_triage.providers import Verdict
print("noise at import"); os.write(1, b"\xff noise\n")
class Base:
    def analyze(self, ctx): print("noise"); os.write(1, b"noise"); return self.said(ctx)
    def close(self): raise SystemExit(5)
class Broken(Exception):
    def __str__(self): raise ValueError
class Raises(Base):
    def said(self, ctx): raise OSError("down \ud800")
class Unprintable(Base):
    def said(self, ctx): raise Broken()
class Exits(Base):
    def said(self, ctx): sys.exit(3)
class Garbage(Base):
    def said(self, ctx): return {"category": "env"}
class Category(Base):
    def said(self, ctx): return Verdict("nope", "h", "low")
class Hypothesis(Base):
    def said(self, ctx): return Verdict("env", b"h", "low")
class Unmade(Base):
    def __init__(self): raise RuntimeError("no key")
class Once(Base):
    def said(self, ctx):
        if ctx.phase == "setup": raise ConnectionError("reset")
        return Verdict("env", "h", "low", "fix")
class NoAnalyze: pass
""")
    for attr, word in (("Raises", "OSError: down"), ("Unprintable", "<unprintable Broken>"),
                       ("Exits", "SystemExit: 3"), ("Garbage", "dict is no Verdict"),
                       ("Category", "nope"), ("Hypothesis", "hypothesis is a str"),
                       ("Unmade", "RuntimeError: no key"), ("NoAnalyze", "has no analyze"),
                       ("nothing", "AttributeError")):
        first, second = ask(w, f"mine:{attr}", failure(), failure())
        check(word in first["error"] and second == first and "verdict" not in first, attr, first)
    (said,) = ask(w, "no_such_module:A", {"check": True})
    check("no_such_module" in said["error"], said)
    said = ask(w, "mine:Once", failure(phase="setup"), {"check": True}, failure(), {}, failure())
    check("reset" in said[0]["error"] and said[1]["ready"] and said[2]["verdict"], said)
    check("error" in said[3] and said[4]["verdict"]["suggested_fix"] == "fix", said)


def case_provider_ends_with_its_input(w):
    w.write("mine.py", DESCRIBED)
    p = start(w, "mine:MyClient")
    out, err = p.communicate(b"garbage\n", timeout=60)
    check(p.returncode == 0 and "error" in json.loads(out), out, err)
    check((w.project / "sub" / "closed").read_text() == "0", "closed")


CONTRACT = r'''
import pytest
from pytest_triage.context import FailureContext
from pytest_triage.providers import (PROVIDER_API_VERSION, BaseTriageClient, TriageClient, Verdict,
                                     redact_nodeid, render_sections)
from pytest_triage.testing import assert_conforms
CTX = FailureContext("t.py::t", "call", "failed")
class Says(BaseTriageClient):
    def __init__(self, reply): self.reply = reply
    def _request(self, prompt): return self.reply
@pytest.mark.parametrize("reply,category,confidence,hypothesis,fix", [
    ('{"category":"flaky","confidence":"high","hypothesis":"h","suggested_fix":"f"}',
     "flaky", "high", "h", "f"),
    ('x\n```json\n{"category":"nope","confidence":9,"hypothesis":"h"}\n```', "unknown", "low", "h",
     None),
    ('{"hypothesis":["a"]}', "unknown", "low", "['a']", None),
    ("no", "unknown", "low", None, None), ("[1]", "unknown", "low", None, None),
    ("{{}", "unknown", "low", None, None), ("{" * 100000 + "}", "unknown", "low", None, None),
    (None, "unknown", "low", None, None), ("", "unknown", "low", None, None)])
def test_parse(reply, category, confidence, hypothesis, fix):
    v = Says(reply).analyze(CTX)
    assert (v.category, v.confidence, v.suggested_fix) == (category, confidence, fix)
    assert hypothesis in (None, v.hypothesis)
def test_long(): assert len(Says('{"hypothesis":"%s"}' % ("x" * 9999)).analyze(CTX).hypothesis) == 2000
def test_version(): assert PROVIDER_API_VERSION == 1
def test_sections():
    assert render_sections([("a: ", "x"), ("b:\n", ""), ("c:\n", "y"), ("d", None)]) == (
        "a: x\nc:\ny\n")
@pytest.mark.parametrize("id_,want", [
    ("a.py::t[password=hunter22-x]", "a.py::t[[REDACTED]]"),
    ("a.py::t[sk-live-abcdefgh]", "a.py::t[[REDACTED]]"),
    ("a.py::t[Bearer abcdef-1]", "a.py::t[Bearer [REDACTED]]"),
    ("a.py::t[http://me:pw@host/x]", "a.py::t[http://[REDACTED]@host/x]"),
    ("a.py::t[ghp_0123456789abcdef]", "a.py::t[[REDACTED]]"),
    ("a.py::t[3f2504e04f8911d39a0c0305e82c3301]", "a.py::t[[REDACTED]]"),
    ("a[1]/token=xyzzy.py::t", "a[1]/token=xyzzy.py::t"), ("a.py::t[abc-1]", "a.py::t[abc-1]"),
    ("a.py::t[x[y]]", "a.py::t[x[y]]"), ("a.py::t", "a.py::t"), ("", ""),
    ("a.py::T::t[a_long_name_made_of_ordinary_words]", "a.py::T::t[a_long_name_made_of_ordinary_words]")])
def test_redact_nodeid(id_, want): assert redact_nodeid(id_) == want
def test_redact_is_linear(): redact_nodeid("t[" + "a" * 500000 + "-" * 500000 + "]")
def test_frozen():
    with pytest.raises(AttributeError): CTX.nodeid = "x"
    with pytest.raises(AttributeError): Verdict("env", "h", "low").category = "x"
    assert (CTX.traceback, CTX.log_tail, CTX.exc_type) == ("", "", None)
def test_conforms():
    assert_conforms(Says("{}"))
    assert isinstance(Says("{}"), TriageClient)
class Partial:
    def analyze(self, ctx): return Verdict("env", "h", "low")
class Wrong(Says):
    def analyze(self, ctx): return self.reply
class Later(Says):  # only the second context, which has next to nothing, is too much
    def analyze(self, ctx): return Verdict("env" if ctx.exc_type else "x", "h", "low")
@pytest.mark.parametrize("client", [
    Partial(), Wrong(None), Wrong("env"), Wrong(Verdict("x", "h", "low")), Later(""),
    Wrong(Verdict("env", "h", "x")), Wrong(Verdict("env", None, "low")),
    Wrong(Verdict("env", "h", "low", 1))])
def test_does_not_conform(client):
    with pytest.raises(AssertionError): assert_conforms(client)
def test_no_request():
    with pytest.raises(NotImplementedError): BaseTriageClient().analyze(CTX)
'''


def case_provider_contract(w):
    """The names of the described tool, in a test of somebody who writes a provider."""
    w.write("test_c.py", CONTRACT)
    r = pytest(w, "-q", env={"PYTHONPATH": os.pathsep.join((w.plugin, ALIAS))})
    check(r.status == 0 and "passed" in r.out and r.took < 20, r)


main(globals())
