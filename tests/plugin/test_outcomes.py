"""Every kind of ending, in both tiers: outcome, phase, exception type and crash site."""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from world import check, main, skip  # noqa: E402


def expectations(text):
    """nodeid → the words of the comment above it."""
    found, cls = {}, None
    lines = text.split("\n")
    for at, line in enumerate(lines):
        klass = re.match(r"class (Test\w+)", line)
        if klass:
            cls = klass[1]
        test = re.match(r"( *)(?:async )?def (test_\w+)", line)
        if not test:
            continue
        above = at - 1
        while lines[above].strip().startswith("@"):
            above -= 1
        words = lines[above].strip()
        assert words.startswith("# "), f"{test[2]} says nothing of what it comes to"
        inside = f"{cls}::" if test[1] else ""
        found[f"test_sample.py::{inside}{test[2]}"] = words[2:]
    return found


def trials(w, tier, ids, runs=1, limit_ms=1500, setting="", env=None):
    """One dict per trial, in the order of the ids."""
    done = subprocess.run(
        [w.options.tool, w.lib, w.plugin, w.python, tier, str(runs), str(limit_ms), setting, *ids],
        cwd=w.project, env=w.env(**(env or {})), stdin=subprocess.DEVNULL, capture_output=True)
    check(done.returncode == 0, done.stdout, done.stderr)
    names = ("id", "tier", "kind", "phase", "type", "site", "message", "changed", "us", "no_warm")
    rows = [dict(zip(names, line.split("\t")))
            for line in done.stdout.decode("utf-8").rstrip("\n").split("\n")]
    check(len(rows) == runs * len(ids), done.stdout, done.stderr)
    return rows


def wrong(row, want):
    words = want.split(" ", 2) + ["", ""]
    got = (row["kind"], row["phase"], row["type"])
    if got[:2] != (words[0], words[1]) or words[2] not in ("*", got[2]):
        # unittest and old pytests have sub-types of what is named; the table names the base.
        if not (words[2] == "ValueError" and got[2] == "JSONDecodeError"):
            return f"{row['id']} {row['tier']}: got {' '.join(got)} {row['message']!r}, want {want}"
    if row["kind"] == "hang" and not row["site"]:
        return f"{row['id']} {row['tier']}: a hang without a place"
    return None


def every_ending(w, tier, sample="sample_outcomes.py", setting=""):
    text = (HERE / sample).read_text(encoding="utf-8")
    w.write("test_sample.py", text)
    want = expectations(text)
    # A fresh run has to start its interpreter within the limit, on a busy machine too.
    rows = trials(w, tier, list(want), limit_ms=6000 if tier == "fresh" else 1500,
                  setting=setting)
    bad = [wrong(row, want[row["id"]]) for row in rows]
    bad += [f"{row['id']} ran {row['tier']}: {row['no_warm']}" for row in rows
            if row["tier"] != tier]
    check(not any(bad), *filter(None, bad))
    w.check_clean()


def case_warm(w):
    every_ending(w, "warm")


def case_fresh(w):
    every_ending(w, "fresh")


def case_a_failure_within_the_standard_library(w):
    """Its place is the line that called it; of a package that is installed, its own."""
    (w.project / "site-packages").mkdir()
    w.write("site-packages/parcel.py", "import json\n\ndef read(text):\n    return json.loads(text)\n")
    w.write("test_sample.py", "import json\nimport pathlib\nimport sys\n\n"
            "sys.path.insert(0, str(pathlib.Path(__file__).with_name('site-packages')))\n\n"
            "def settings():\n    return json.loads('{')\n\n"
            "def test_own():\n    settings()\n\n"
            "def test_installed():\n    import parcel\n    parcel.read('{')\n")
    ids = ["test_sample.py::test_own", "test_sample.py::test_installed"]
    for tier in ("warm", "fresh"):
        sites = [row["site"] for row in trials(w, tier, ids, limit_ms=9000)]
        check(sites == ["test_sample.py:8", "site-packages/parcel.py:4"], tier, sites)


def case_the_second_time_warm(w):
    every_ending(w, "warm", "sample_repeated.py", "order=self")


def case_the_second_time_fresh(w):
    every_ending(w, "fresh", "sample_repeated.py", "order=self")


def case_the_second_time_of_other_items(w):
    """Parameters, doctests, coroutines, and items that a conftest makes and marks."""
    w.write("conftest.py", "import pytest\n\nclass Line(pytest.Item):\n"
            "    def __init__(self, *, text, **fields):\n        super().__init__(**fields)\n"
            "        self.text = text\n"
            "    def runtest(self):\n        assert self.text and self.told == 'x'\n\n"
            "class Lines(pytest.File):\n    def collect(self):\n"
            "        yield Line.from_parent(self, name='first', text='a')\n\n"
            "def pytest_collect_file(file_path, parent):\n"
            "    if file_path.suffix == '.lines':\n"
            "        return Lines.from_parent(parent, path=file_path)\n\n"
            "def pytest_collection_modifyitems(items):\n"
            "    for item in items:\n        item.told = 'x'\n"
            "        item.add_marker(pytest.mark.xfail(False, reason='no'))\n")
    w.write("a.lines", "a\n")
    w.write("test_a.py", "import pytest\n\n"
            "@pytest.mark.parametrize('a,b', [(1, [2])], ids=['p'])\n"
            "def test_x(a, b, tmp_path, request):\n"
            "    assert a == 1 and b == [2] and request.node.told == 'x'\n"
            "    (tmp_path / 'f').mkdir()\n")
    w.write("d.py", "def f():\n    \"\"\"\n    >>> getfixture('tmp_path').joinpath('x').mkdir()\n"
            "    >>> y = 1\n    \"\"\"\n")
    w.write("pytest.ini", "[pytest]\naddopts = --doctest-modules\n")
    ids = ["test_a.py::test_x[p]", "a.lines::first", "d.py::d.f"]
    if subprocess.run([w.python, "-c", "import pytest_asyncio"], capture_output=True).returncode == 0:
        w.write("test_c.py", "import pytest\n\n@pytest.mark.asyncio\n"
                "async def test_c(tmp_path):\n    (tmp_path / 'f').mkdir()\n")
        ids.append("test_c.py::test_c")
    for tier in ("warm", "fresh"):
        for row in trials(w, tier, ids, limit_ms=6000, setting="order=self"):
            check(row["kind"] == "pass" and row["tier"] == tier, row)


def case_plugins(w):
    needed = ("pytest_asyncio", "pytest_cov", "pytest_rerunfailures", "pytest_timeout", "xdist")
    have = subprocess.run([w.python, "-c", "import " + ", ".join(needed)], capture_output=True)
    if have.returncode:
        skip(f"not all of {', '.join(needed)} are installed for {w.python}")
    w.write("pytest.ini", "[pytest]\naddopts = -n 2 --cov=. --reruns 3 --timeout=50\n"
            "asyncio_default_fixture_loop_scope = function\n")
    every_ending(w, "warm", "sample_plugins.py")
    every_ending(w, "fresh", "sample_plugins.py")


def case_limit_before_the_plugin_is_there(w):
    """The signal that asks for a stack ends a process that does not listen yet: that is our doing
    and no crash."""
    w.write("test_a.py", "def test_x():\n    pass\n")
    for limit in (1, 20, 60, 120):
        for row in trials(w, "fresh", ["test_a.py::test_x"], runs=3, limit_ms=limit):
            check(row["kind"] in ("hang", "pass"), limit, row)


def case_nobody_gives_a_stack(w):
    w.write("test_a.py", "import faulthandler, os, signal, time\ndef test_x():\n"
            "    faulthandler.unregister(signal.SIGRTMAX - 1)\n    time.sleep(3600)\n"
            "def test_exec():\n    os.execvp('sleep', ['sleep', '3600'])\n")
    for tier in ("warm", "fresh"):
        for row in trials(w, tier, ["test_a.py::test_x", "test_a.py::test_exec"], limit_ms=5000):
            check((row["kind"], row["phase"], row["type"]) == ("hang", "call", "<hang>"), row)
    w.check_clean()


def case_capture(w):
    """However output is captured: the outcome is the same, and no child finds another's output."""
    w.write("test_a.py", "import os\ndef test_x():\n    print('said')\n    os.write(2, b'err')\n"
            "    assert 0\ndef test_fd(capfd):\n    os.write(1, b'one')\n"
            "    assert capfd.readouterr().out == 'one'\n")
    w.write("conftest.py", "import pytest\n@pytest.hookimpl(hookwrapper=True)\n"
            "def pytest_runtest_makereport(item, call):\n    rep = (yield).get_result()\n"
            "    if rep.when == 'call' and item.config.getoption('capture') in ('fd', 'sys'):\n"
            "        assert rep.capstdout in ('said\\n', ''), rep.capstdout\n")
    for how in ("fd", "sys", "no", "tee-sys"):
        w.write("pytest.ini", f"[pytest]\naddopts = --capture={how}\n")
        rows = trials(w, "warm", ["test_a.py::test_x", "test_a.py::test_fd"], runs=3,
                      limit_ms=20000)
        got = [(r["tier"], r["kind"], r["type"]) for r in rows]
        check(got == [("warm", "fail", "AssertionError")] * 3 + [("warm", "pass", "")] * 3, how,
              *rows)
    w.check_clean()


if __name__ == "__main__":
    main(globals())
