"""A provider in Python, in a process of its own: python -m flaky_repro._provider NAME

NAME is module:attr or the name of an entry point. One JSON object a line:

    {"v":1,"check":true}                     -> {"v":1,"ready":true,"model":null}
    {"v":1,"prompt":"…","context":{…}}       -> {"v":1,"verdict":{…},"model":null}

and {"v":1,"error":"…"} to each of them if the provider cannot be had, raises or gives no verdict.
At the end of the input it is closed. What it prints goes to stderr.
"""
import dataclasses
import importlib
import json
import os
import sys
import types

from flaky_repro import PROTOCOL, _contract
from flaky_repro._text import message

GROUP = "pytest_triage.providers"
ALIAS = {"providers": ("PROVIDER_API_VERSION", "BaseTriageClient", "TriageClient", "Verdict",
                       "redact_nodeid", "render_sections"),
         "context": ("FailureContext",), "testing": ("assert_conforms",)}


def prepare():
    """The modules that a provider imports from are where the tests found them; those it is
    written against are ours unless pytest-triage or its alias is there."""
    listed = os.environ.pop("FR_PROVIDER_PATH", "").split(os.pathsep)
    sys.path += [folder for folder in listed if folder and folder not in sys.path]
    try:
        importlib.import_module("pytest_triage.providers")
    except ImportError:
        package = sys.modules["pytest_triage"] = types.ModuleType("pytest_triage")
        package.__path__ = []
        for name, words in ALIAS.items():
            module = types.ModuleType(f"pytest_triage.{name}")
            module.__dict__.update((word, getattr(_contract, word)) for word in words)
            setattr(package, name, module)
            sys.modules[module.__name__] = module


def installed():
    from importlib.metadata import entry_points
    found = entry_points()
    return list(found.select(group=GROUP) if hasattr(found, "select") else found.get(GROUP, ()))


def entry_point(name):
    found = installed()
    for point in found:
        if point.name == name:
            return point.load()
    raise LookupError(f"there is no provider \"{name}\"; known are "
                      f"{', '.join(sorted({p.name for p in found})) or 'none'}")


def load(name):
    module, colon, attr = name.partition(":")
    if colon:
        found = importlib.import_module(module)
        for part in attr.split("."):
            found = getattr(found, part)
    else:
        found = entry_point(name)
    if isinstance(found, type) or not hasattr(found, "analyze"):
        found = found()
    if not callable(getattr(found, "analyze", None)):
        raise TypeError(f"{name} has no analyze(ctx)")
    return found


def told(why):
    return {"error": f"{type(why).__name__}: {message(why)}"}


class Provider:
    def __init__(self, name):
        self.client, self.broken = None, None
        try:
            prepare()
            self.client = load(name)
        except (Exception, SystemExit) as why:
            self.broken = told(why)

    def answer(self, question):
        if self.broken:
            return self.broken
        model = getattr(self.client, "model", None)
        model = {"model": model if isinstance(model, str) else None}
        if question.get("check"):
            return {"ready": True, **model}
        try:
            self.client._prompt = question.get("prompt")
        except AttributeError:  # it has no room for it, and does without
            pass
        said = self.client.analyze(self.context(question))
        wrong = _contract.nonconformity(said)
        if wrong is not None:
            return {"error": wrong}
        return {"verdict": {f.name: getattr(said, f.name)
                            for f in dataclasses.fields(_contract.Verdict)}, **model}

    @staticmethod
    def context(question):
        """Of pytest-triage, if that is what the provider imports from; else ours."""
        cls = importlib.import_module("pytest_triage.context").FailureContext
        return _contract.known(cls, question.get("context") or {})

    def close(self):
        close = getattr(self.client, "close", None)
        try:
            if callable(close):
                close()
        except (Exception, SystemExit):
            pass


def main(name):
    # What the provider prints must not be taken for an answer.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace")
    os.dup2(2, 1)
    provider = Provider(name)
    for line in sys.stdin.buffer:
        try:
            answer = provider.answer(json.loads(line))
        except (Exception, SystemExit) as why:
            answer = told(why)
        out.write(json.dumps({"v": PROTOCOL, **answer}) + "\n")
        out.flush()
    provider.close()


if __name__ == "__main__":
    main(sys.argv[1])
