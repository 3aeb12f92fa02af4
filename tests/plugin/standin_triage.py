#!/usr/bin/env python3
"""In the place of `flaky-repro session` where pytest triages: says what STANDIN_SAYS names, at the
question that STANDIN_AT names ("" is any), and writes down what it was asked (STANDIN_LOG)."""
import json
import os
import signal
import sys
import time

VERDICT = {"category": "env", "hypothesis": "h", "confidence": "low", "suggested_fix": None}


def check(q):
    values = {name: value for name, value, _ in q["options"]}
    for name, value, origin in q["options"]:
        if name == "budget" and not value.isdigit():
            return {"refused": f"{origin}: a number, not {value}", "hint": "such as 10"}
    on = values.get("triage", "off") in ("on", "true")
    provider = values.get("provider")
    warnings = ["pytest-triage: triage is on without a provider"] if on and not provider else [
        "pytest-triage: the provider will not be asked"] if provider and not on else []
    if provider == "nope":
        warnings = ['pytest-triage: no provider is called "nope"']
    return {"warnings": warnings, "active": on or bool({"report", "evidence"} & set(values)), "triage": on,
            "evidence": float(values.get("evidence-budget", 5)) if values.get("evidence") == "on" else 0,
            "calls": int(values.get("budget", 10)) if on else 0,
            "timeout": float(values.get("timeout", 30))}


def triage(q):
    rows = [{"nodeid": f["nodeid"], "phase": f["phase"], "outcome": "failed", "later": 1,
             "exc_type": f["exc_type"], "verdict": VERDICT} for f in q["failures"]]
    values = {name: value for name, value, _ in q["options"]}
    if "report" in values:
        with open(os.path.join(q["cwd"], values["report"]), "w", encoding="utf-8") as out:
            json.dump(rows, out)
    said = {"text": f"triage: {len(rows)} failures\n", "error": None}
    if q.get("want_report"):
        said["report"] = {"failures": rows, "triage_duration": 0.5, "ai_model": "m"}
    return said


def say(how, q):
    if how == "die":
        sys.exit(3)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "raise":
        raise RuntimeError("boom")
    if how == "leaves":  # a child behind that would live on
        if not os.fork():
            time.sleep(100)
        print(json.dumps({"text": "left", "active": True, "warnings": []}), flush=True)
        os._exit(0)
    if how == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if not os.fork():
            time.sleep(100)
        time.sleep(100)
    if how == "flood":
        sys.stderr.write("noise " * 100000)
        while True:
            sys.stdout.write("x" * 65536)
    if how == "wrong":
        print(json.dumps({"text": ["x"], "error": 7, "warnings": 1, "active": "y", "report": [1]}))
    if how == "escapes":
        print(json.dumps({"text": "\x1b]0;title\x07\x1b[31mred\ud800\n" + "y" * (1 << 20),
                          "warnings": ["\x1b[2J"], "active": True}))
    print({"garbage": "\xff\xfe no JSON", "list": "[1]", "deep": "[" * 100000}.get(how, ""))


def main():
    how = os.environ.get("STANDIN_SAYS", "")
    if how == "deaf" and os.path.exists(os.environ["STANDIN_LOG"]):  # at the second question
        os.close(0)
        print(json.dumps({"text": "did not listen"}))
        return
    line = sys.stdin.readline()
    q = json.loads(line)
    with open(os.environ["STANDIN_LOG"], "a", encoding="utf-8") as log:
        log.write(f"{os.getpid()} {line}")
    if how and how != "deaf" and os.environ.get("STANDIN_AT", "") in ("", q["ask"]):
        say(how, q)
        return
    print(json.dumps({"v": 1, **{"triage-check": check, "triage": triage}[q["ask"]](q)}))


main()
