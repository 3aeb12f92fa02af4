#!/usr/bin/env python3
"""In the place of `flaky-repro session`: the same questions, answered by fixed rules, and a log of
all that was said (STANDIN_LOG). A gate passes at its rate, whatever the number of runs; with
--prob-stop the table says that 3 fails are enough."""
import json
import os
import sys


def truth(word):
    return str(word) == "true"


class Standin:
    def __init__(self):
        self.cases, self.o = {}, {}

    def sample(self, q):
        for name, value, origin in q["options"]:
            self.o[name] = value
            if name == "runs" and not value.isdigit():
                return {"refused": f"{origin}: a number, not {value}", "hint": "such as 10"}
        o = self.o
        self.runs = int(o.get("runs", 1))
        timeout = float(o["timeout"]) if "timeout" in o else None
        fork = o.get("isolate", "fork" if truth(o.get("tests")) or timeout else "off") == "fork"
        return {"runs": self.runs, "delay": float(o.get("delay", 0)), "isolate": fork,
                "isolate_tests": fork, "errors": o.get("errors", "count"),
                "transpose": truth(o.get("transpose")), "stop": o.get("stop", "off"),
                "gate_items": o.get("gate-items", "true") != "false", "timeout": timeout,
                "plan": truth(o.get("plan")), "json": o.get("json")}

    def add(self, d):
        case = self.cases.setdefault(d["case"], {
            "def": d, "pass": 0, "fail": 0, "error": 0, "runs": self.runs, "rate": None,
            "rows": []})
        rate = self.o.get("min-rate")
        for mark in reversed(d["marks"]):
            rate = mark["kwargs"].get("min_rate", rate)
            if "--runs" not in self.o:
                case["runs"] = mark["kwargs"].get("runs", case["runs"])
        case["rate"] = None if rate is None else float(rate)
        return case

    def ask_cases(self, q):
        out, compare = [], {}
        for d in q["cases"]:
            case = self.add(d)
            rate, runs = case["rate"], case["runs"]
            gated = rate is not None
            items = gated and self.o.get("gate-items", "true") != "false"
            bad = rate is not None and not 0 < rate < 1
            stop = [[None, 3]] * runs if gated and self.o.get("stop", "off") != "off" else None
            out.append({"runs": runs, "gated": gated, "stop": stop, "gate_item": items,
                        "error": f"min_rate={rate}: between 0 and 1" if bad else None})
            axis = next((m["kwargs"]["compare"] for m in d["marks"] if m["kwargs"].get("margin")),
                        None)
            for name, value in d["parameters"]:
                if name == axis and value not in compare.setdefault(d["function"], []):
                    compare[d["function"]].append(value)
        warn = [{"category": "InfeasibleGateWarning", "function": d["function"],
                 "text": f"{d['case']}: too few runs"} for d, c in zip(q["cases"], out)
                if c["gated"] and c["runs"] < 3]
        return {"cases": out, "warnings": warn,
                "compare": [{"function": f, "arms": arms[1:], "gate": True}
                            for f, arms in compare.items()], "baseline": []}

    def ask_selected(self, q):
        if not truth(self.o.get("plan")) or not q["cases"]:
            return {"warnings": [], "plan": None}
        rows = "".join(f"  {c}  {n}\n" for c, n in zip(q["cases"], q["runs"]))
        return {"warnings": [], "plan": rows}

    def verdict(self, q):
        if "case" in q:
            of = [self.cases[q["case"]]]
        else:
            of = [c for c in self.cases.values() if c["def"]["function"] == q["function"]]
        passed = sum(c["pass"] for c in of)
        total = passed + sum(c["fail"] + c["error"] for c in of)
        word = "pass" if passed >= (of[0]["rate"] or 0.5) * total else "fail"
        name = q.get("case") or f"{q['function']} {q.get('arm')}"
        return {"verdict": word, "passed": word == "pass",
                "text": f"{name}  {passed}/{total}  {word.upper()}"}

    def finish(self, q):
        text, failed = "", False
        for name, c in self.cases.items():
            total = c["pass"] + c["fail"] + c["error"]
            if total:
                text += f"  {name}  {c['pass']}/{total}" + (
                    f"  {c['error']} ERRORED" if c["error"] else "") + "\n"
            if total and c["rate"] is not None:
                failed = failed or c["pass"] < c["rate"] * total
        error = None
        if "json" in self.o:
            with open(self.o["json"], "w") as out:
                json.dump({"rows": [r for c in self.cases.values() for r in c["rows"]]}, out)
        status = q["exitstatus"] or int(failed)
        return {"status": status, "error": error,
                "flaky": [c["def"]["nodeid"] for c in self.cases.values() if c["pass"] and c["fail"]],
                "sections": [{"title": "probability", "text": text}] if text else []}

    def told(self, m):
        if m["tell"] == "run":
            case = self.cases.get(m["case"]) or self.add(m["def"])
            case[m["outcome"]] += 1
            case["rows"].append(m)


def main():
    me = Standin()
    log = open(os.environ["STANDIN_LOG"], "a") if "STANDIN_LOG" in os.environ else None
    asked = {"sample": me.sample, "cases": me.ask_cases, "selected": me.ask_selected,
             "verdict": me.verdict, "finish": me.finish}
    for line in sys.stdin:
        m = json.loads(line)
        if log:
            print(f"{os.getpid()} {line.strip()}", file=log, flush=True)
        if "tell" in m:
            me.told(m)
            continue
        answer = asked[m["ask"]](m)
        print(json.dumps({"v": 1, **answer}), flush=True)


if __name__ == "__main__":
    main()
