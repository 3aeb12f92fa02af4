"""What stands around a test and differs from machine to machine: zone, variables, limits, the
collector."""
import datetime
import json
import zoneinfo

from world import check, main


def diagnose(w, body, *args, name="test_it", budget=90, **how):
    w.write("test_case.py", body)
    report = w.folder / "report.json"
    got = w.run(f"test_case.py::{name}", "--json", str(report), *args, budget=budget, timeout=240,
                **how)
    check(report.exists(), got)
    return got, json.loads(report.read_text())


def is_blamed(got, report, axis, value=None):
    check(report["verdict"] == f"flaky-{axis}", report["verdict"], got)
    if value is not None:
        check(report["cause"][0]["value"] == value, report["cause"], got)
    check(report["verify"]["failed"] == report["verify"]["runs"], report["verify"], got)


def is_not_blamed(got, report):
    check(report["verdict"] == "not-flaky" and not report["cause"], report["verdict"], got)


def case_a_zone_read_at_import(w):  # campaign
    """By the time a window opens it is a constant."""
    got, report = diagnose(w, """
import time

OFFSET = time.localtime(1700000000).tm_gmtoff


def test_it():
    assert OFFSET == 0
""", "--axes=zone,rng", env={"TZ": "UTC"})
    is_blamed(got, report, "zone")


def case_a_zone_at_some_hours(w):
    """In New York it is now an hour that it will not be for long: the command holds the clock."""
    hour = datetime.datetime.now(zoneinfo.ZoneInfo("America/New_York")).hour
    got, report = diagnose(w, f"""
import time


def test_it():
    assert time.localtime().tm_hour not in ({hour}, {(hour + 1) % 24})
""", "--axes=zone,time", env={"TZ": "UTC"})
    is_blamed(got, report, "zone")
    check("TZ=" in report["repro"]["command"] and "FD_TIME=2" in report["repro"]["command"], got)
    check(any("at some hours" in said for said in report["warnings"]), report["warnings"])


def case_a_zone_at_every_hour(w):  # campaign
    got, report = diagnose(w, """
import time


def test_it():
    time.time()
    assert time.localtime().tm_gmtoff in (0, 3600)
""", "--axes=zone,time", env={"TZ": "UTC"})
    is_blamed(got, report, "zone")
    check("FD_TIME" not in report["repro"]["command"] and not report["warnings"], got)


def case_a_zone_of_its_own(w):
    """Sets the zone that it needs: whatever the machine's is, it passes."""
    got, report = diagnose(w, """
import time


def test_it(monkeypatch):
    monkeypatch.setenv("TZ", "EST5")
    time.tzset()
    assert time.localtime(0).tm_hour == 19
""", "--axes=zone,env,rng", env={"TZ": "UTC"})
    is_not_blamed(got, report)


def case_a_variable_that_is_not_set_here(w):
    got, report = diagnose(w, """
import os


def price(cents):
    digits = 0 if os.environ.get("SHOP_ROUND") else 2
    return f"{cents / 100:.{digits}f}"


def test_it():
    assert price(1250) == "12.50"
""", "--axes=env,rng")
    is_blamed(got, report, "env", "SHOP_ROUND=1")
    line = report["cause"][0]["witness"][0]
    check((line["file"], line["line"], line["call"]) == ("test_case.py", 6, "SHOP_ROUND"), line)


def case_a_variable_that_is_read_at_import_and_set_here(w):  # campaign
    got, report = diagnose(w, """
import os

MODE = os.getenv("SHOP_MODE", "slow")


def test_it():
    assert MODE == "fast"
""", "--axes=env,rng", env={"SHOP_MODE": "fast"})
    is_blamed(got, report, "env", "-SHOP_MODE")
    check(report["repro"]["command"].startswith("env -u SHOP_MODE "), report["repro"])


def case_what_the_test_needs_of_its_machine(w):
    got, report = diagnose(w, """
import os


def test_it():
    assert os.environ["SHOP_DB_URL"].startswith("postgres://")
""", "--axes=env,rng", env={"SHOP_DB_URL": "postgres://db/shop"})
    is_not_blamed(got, report)
    needs = {r["value"] for r in report["requirements"]}
    check("-SHOP_DB_URL" in needs, report["requirements"])


def case_variables_that_decide_nothing(w):  # campaign
    """A walk over all of them, a program's whole environment, and what the test itself sets."""
    got, report = diagnose(w, """
import os
import subprocess


def test_it(monkeypatch):
    monkeypatch.setenv("SHOP_MODE", "fast")
    everything = dict(os.environ)
    assert everything["SHOP_MODE"] == "fast" and os.environ["SHOP_MODE"] == "fast"
    assert [k for k in os.environ if k == "SHOP_MODE"]
    assert subprocess.run(["true"], env=everything).returncode == 0
""", "--axes=env,rng")
    is_not_blamed(got, report)


SORTS = """
import locale


def test_it():
    %s
    names = ["b", "a", "C"]
    assert sorted(sorted(names, key=locale.strxfrm)) == ["C", "a", "b"]
"""


def case_a_language_that_is_not_installed(w):
    """What its sorting does could not be tried, and that is said."""
    got, report = diagnose(w, SORTS % 'locale.setlocale(locale.LC_ALL, "")', "--axes=locale,rng",
                           env={"LOCPATH": "/nowhere"})
    is_not_blamed(got, report)
    told = [t for t in report["warnings"] if "only C was tried" in t]
    check(len(told) == 1, report["warnings"], got)


def case_an_encoding_is_no_language(w):
    got, report = diagnose(w, SORTS.replace("locale.strxfrm", "str") % "open(__file__).close()",
                           "--axes=locale,rng", env={"LOCPATH": "/nowhere"})
    is_not_blamed(got, report)
    check(not report["warnings"], report["warnings"], got)


CACHE = """
import gc
import weakref


class Page:
    def __init__(self):
        self.links = [self]


def test_it():
    cache = weakref.WeakValueDictionary(start=Page())
    %s
    assert "start" not in cache
"""


def case_a_weak_reference_to_a_cycle(w):  # campaign
    """By itself the collector comes by in between; it need not."""
    got, report = diagnose(w, CACHE % "rows = [[n] for n in range(5000)]", "--axes=gc,rng")
    is_blamed(got, report, "gc", "off")


def case_a_test_that_collects_itself(w):  # campaign
    got, report = diagnose(w, CACHE % "gc.collect()", "--axes=gc,rng")
    is_not_blamed(got, report)


def case_a_collection_in_the_middle(w):  # campaign
    """The opposite: it relies on garbage that is still there."""
    got, report = diagnose(w, CACHE.replace("not in cache", "in cache") % "rows = [[n] for n in range(20)]",
                           "--axes=gc,rng")
    is_blamed(got, report, "gc")
    check(report["cause"][0]["value"] in ("every:1", "every:50"), report["cause"])


def case_many_open_files(w):  # campaign
    got, report = diagnose(w, """
import contextlib


def test_it(tmp_path):
    with contextlib.ExitStack() as stack:
        for n in range(300):
            stack.enter_context(open(tmp_path / str(n), "w"))
""", "--axes=limits,rng")
    is_blamed(got, report, "limits", "nofile:256")
    check(report["repro"]["command"].startswith("(ulimit -Sn 256; "), report["repro"])
    check(report["cause"][0]["benign"] in ("nofile:512", "nofile:1024"), report["cause"])


def case_processors_counted_at_import(w):
    got, report = diagnose(w, """
import os

WORKERS = min(os.cpu_count(), 8)


def test_it():
    parts = [range(8)[n::WORKERS] for n in range(WORKERS)]
    assert len(parts) > 1 or WORKERS > 1
""", "--axes=limits,rng")
    is_blamed(got, report, "limits", "cpus:1")


def case_more_memory_than_is_granted(w):  # campaign
    """What it needs of its machine."""
    got, report = diagnose(w, """
def test_it():
    assert len(bytearray(600 << 20)) > 0
""", "--axes=limits,rng")
    is_not_blamed(got, report)
    check([r["value"] for r in report["requirements"]] == ["memory:512M"], report["requirements"])
    check(any("more under NEEDS" in row["note"] for row in report["evidence"]), report["evidence"])


if __name__ == "__main__":
    main(globals())
