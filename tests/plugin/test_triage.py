"""Triage inside pytest: what is gathered and said, and that no test's end depends on it."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from triage import (FAILED, FAILING, ON, XDIST, asked, check, failures, main,  # noqa: E402
                    needs, pytest, rest, words)

NEVER = 10  # seconds: what is added to the provider's time before a program is given up


def case_triage_off_is_nothing(w):
    """Nothing is started, imported, written or printed."""
    w.write("test_f.py", FAILING)
    w.write("test_m.py", "import sys\ndef test_modules():\n"
            "    assert not {'flaky_repro._triage', 'flaky_repro._failures', 'flaky_repro._once',\n"
            "                'flaky_repro._contract', 'flaky_repro._text'} & set(sys.modules)\n")
    before = {p.name for p in w.project.iterdir()}
    bare = subprocess.run([w.python, "-m", "pytest", "-p", "no:cacheprovider", "-rA"],
                          cwd=w.project, stdin=subprocess.DEVNULL, capture_output=True,
                          env=w.env(PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=w.plugin,
                                    PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"))
    r = pytest(w, "-rA")
    check(rest(r.out) == rest(bare.stdout.decode()) and r.status == bare.returncode == 1, r)
    check("PASSED test_m.py::test_modules" in r.out and r.err == bare.stderr.decode() == "", r)
    check(not (w.folder / "log").exists(), "the program was started")
    check({p.name for p in w.project.iterdir()} == before, "files")
    w.write("pytest.ini", "[pytest]\nai_budget = 3\nai_redact = off\nai_timeout = x\n")
    r = pytest(w, "-q", "test_f.py::test_passes")
    check(r.status == 0 and "warning" not in r.out, r)
    check(not (w.folder / "log").exists(), "settings of what is off")


def case_triage_what_is_gathered(w):
    w.write("test_f.py", FAILING)
    r = pytest(w, *ON)
    got = failures(w)
    check([(i, p, f["exc_type"]) for (i, p), f in got.items()] == FAILED, list(got), r)
    check(r.status == 1 and f"triage: {len(FAILED)} failures" in r.out, r)
    call = got["test_call", "call"]
    check((call["stdout"], call["stderr"]) == ("to stdout\n", "to stderr\n"), call)
    check(call["exc_message"] == "assert 1 == 2" and ">       assert 1 == 2" in call["traceback"],
          call)
    check(call["outcome"] == "failed" and 0 < call["duration"] < 5, call)
    check(got["test_setup", "setup"]["exc_message"] == "no route", got)
    check(got["test_both", "call"]["exc_message"] == "'k'", got)
    check("[XPASS(strict)]" in got["test_strict", "call"]["exc_message"], got)
    check(got["test_fail", "call"]["exc_message"] == "by hand", got)
    check("'x' != 'y'" in got["TestOld::test_it", "call"]["exc_message"], got)


def case_triage_what_is_said(w):
    """The options, weakest first, as the user wrote them."""
    w.write("test_a.py", "def test_a(): pass\n")
    w.write("pytest.ini", "[pytest]\nai_triage = on\nai_provider = a\nai_redact = strict\n")
    (w.project / "sub").mkdir()
    r = pytest(w, "--ai-provider=b:C", "--ai-budget=5", "--ai-timeout=0.5", "--ai-report=r.json",
               "../test_a.py", cwd=w.project / "sub")
    q, first = asked(w), asked(w, "triage-check")
    check(q["options"] == first["options"] == [
        ["triage", "on", "ai_triage"], ["provider", "a", "ai_provider"],
        ["redact", "strict", "ai_redact"], ["report", "r.json", "--ai-report"],
        ["provider", "b:C", "--ai-provider"], ["budget", "5", "--ai-budget"],
        ["timeout", "0.5", "--ai-timeout"]], q["options"], r)
    check((q["cwd"], q["rootdir"]) == (str(w.project / "sub"), str(w.project)), q)
    check(q["args"] and q["python"] and q["failures"] == [] and q["dry"] is False, q)
    check("failures" not in first and r.status == 0, first)


def case_triage_collection_errors(w):
    w.write("test_a.py", "def test_a(): pass\n")
    w.write("test_b.py", "import no_such_module\n")
    w.write("test_c.py", "def broken(:\n")
    w.write("test_d.py", "import pytest\npytest.skip('not here', allow_module_level=True)\n")
    for args in ((), ("--collect-only",), ("--continue-on-collection-errors",)):
        r = pytest(w, *args, *ON)
        got = [(f["nodeid"], f["phase"], f["exc_type"]) for f in asked(w)["failures"]]
        check(got == [("test_b.py", "collect", "ModuleNotFoundError"),
                      ("test_c.py", "collect", "SyntaxError")], got, r)
        check("no_such_module" in asked(w)["failures"][0]["traceback"], asked(w))
        check(r.status == (1 if "--continue-on-collection-errors" in args else 2), r)


def case_triage_unprintable(w):
    """A broken __str__ or __repr__ costs its text and nothing else."""
    w.write("test_f.py", r'''
import sys
class NoStr(Exception):
    def __str__(self): raise RuntimeError("x")
    __repr__ = __str__
class Leaves(Exception):
    def __str__(self): sys.exit(3)
class NotText(Exception):
    def __str__(self): return 7
class Sly(str):
    def encode(self, *a): raise RuntimeError("x")
class Subclass(Exception):
    def __str__(self): return Sly("sly")
class Repr:
    def __repr__(self): raise ValueError("no repr")
    def __eq__(self, other): return False
def test_nostr(): raise NoStr()
def test_leaves(): raise Leaves()
def test_nottext(): raise NotText()
def test_subclass(): raise Subclass()
def test_repr(): assert Repr() == 1
''')
    r = pytest(w, *ON)
    plain = pytest(w)
    check(rest(r.out) == rest(plain.out) and r.status == plain.status == 1, plain, r)
    w.write("test_g.py", 'def test_surrogate(): print("\\ud800"); raise ValueError("\\udcff\\0")\n')
    pytest(w, *ON, "--tb=no", "-rN")
    got = {i: f["exc_message"] for (i, _), f in failures(w).items()}
    check(got["test_nostr"] == "<unprintable NoStr>", got)
    check(got["test_leaves"] == "<unprintable Leaves>", got)
    check(got["test_nottext"] == "<unprintable NotText>", got)
    check(got["test_subclass"] == "sly" and "no repr" in got["test_repr"], got)
    check(got["test_surrogate"] == "\\udcff\0", got)


def case_triage_long_texts(w):
    """So much of each text goes on as is looked at, with a word about the rest: in bytes."""
    w.write("test_f.py", "import logging\ndef test_f():\n"
            "    print('\\u00e9' * (3 << 20) + 'end')\n    logging.error('\\u00e9' * 20000)\n"
            "    raise ValueError('begin' + '\\u00e9' * (2 << 20))\n")
    r = pytest(w, *ON, "--tb=line", "--show-capture=no", "-q")
    f = failures(w)["test_f", "call"]
    most = 1 << 14
    check(len(f["stdout"]) == most and f["stdout"].endswith("end\n"), r.status)
    check(f["cut"]["stdout"] == 2 * ((3 << 20) + 4 - most), f["cut"])
    check(len(f["exc_message"]) == most and f["exc_message"].startswith("begin"), "message")
    check(f["cut"]["exc_message"] == 2 * ((2 << 20) + 5 - most), f["cut"])
    check(len(f["log"]) == most and "log" in f["cut"] and "stderr" not in f["cut"], f["cut"])


def case_triage_half_set(w):
    w.write("test_a.py", "def test_a(): pass\n")
    for args, word in ((["--ai-triage=on"], "without a provider"),
                       (["--ai-provider=fake"], "not be asked"),
                       (["-o", "ai_provider=fake"], "not be asked"),
                       (["-o", "ai_triage=on", "--ai-provider="], "without a provider")):
        for how in ("default", "error"):
            r = pytest(w, *args, "-W", how)
            check(r.status == 0 and word in r.out + r.err, args, r)
            check((r.out + r.err).count(word) == 1, args, r)
            check(("1 warning" in r.out) == (how == "default"), args, r)
    check(asked(w, "triage-check"), "half on")
    pytest(w, "-o", "ai_provider=fake")
    check(asked(w, "triage-check") is None, "started for what a project sets and nobody uses")
    for args in (ON, ["--ai-report=r.json"]):
        r = pytest(w, *args)
        check(r.status == 0 and "warning" not in r.out, r)


def case_triage_refused(w):
    w.write("test_a.py", "def test_a(): pass\n")
    r = pytest(w, *ON, "--ai-budget=x")
    check(r.status == 4 and "--ai-budget: a number, not x" in r.err and "such as 10" in r.err, r)
    check(asked(w) is None, r)
    r = pytest(w, "--ai-triage=on", "--ai-provider=nope")
    check(r.status == 0 and 'no provider is called "nope"' in r.out and "1 warning" in r.out, r)


def case_triage_installed_providers(w):
    """Their names, where the one that is set may be among them."""
    w.write("test_a.py", "def test_a(): pass\n")
    w.write("mine-1.dist-info/entry_points.txt", "[pytest_triage.providers]\nmyco = mine:MyClient\n")
    w.write("mine-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    env = {"PYTHONPATH": os.pathsep.join((w.plugin, str(w.project)))}
    for provider, names in (("myco", ["myco"]), ("mine:MyClient", [])):
        pytest(w, "--ai-triage=on", f"--ai-provider={provider}", env=env)
        got = asked(w)["entry_points"], asked(w, "triage-check")["entry_points"]
        check(got == (names, names), provider, got)


def case_triage_report_alone(w):
    w.write("test_f.py", FAILING)
    r = pytest(w, "--ai-report=r.json")
    check(len(json.loads((w.project / "r.json").read_text())) == len(FAILED) and r.status == 1, r)


def invariant(w, says, at, *args, plain=None):
    """Outcome, exit status, what is collected and the rest of the output are as without."""
    r = pytest(w, "-v", "--junitxml=j.xml", *args, says=says, at=at)
    check(r.status == plain.status and r.err == plain.err, says, at, r)
    ours = [x for x in r.out.splitlines() if x.startswith("pytest-triage: ")]
    got = [x for x in rest(r.out) if x not in ours]
    if at == "triage":
        check(got == rest(plain.out), says, at, r)
        check(says in ("wrong",) or len(ours) == 1 and "no triage" in ours[0], says, ours, r)
    else:  # one warning, said where warnings are
        check("triage is off" in r.out or says in ("wrong",), r)
        check([x for x in got if "::" in x] == [x for x in rest(plain.out) if "::" in x], r)
    check(junit(w) == plain.junit, junit(w), plain.junit, r)
    return r


def plainly(w, *args):
    w.write("test_f.py", FAILING)
    r = pytest(w, "-v", "--junitxml=j.xml", *args)
    r.junit = junit(w)
    return r


def junit(w):
    """What it says, but for times and addresses."""
    suite = xml.etree.ElementTree.parse(w.project / "j.xml").getroot().find("testsuite")
    for name in ("time", "timestamp"):
        for element in suite.iter():
            element.attrib.pop(name, None)
    return rest(xml.etree.ElementTree.tostring(suite, encoding="unicode"))


def case_triage_a_bad_program_changes_nothing(w):
    plain = plainly(w)
    for says in ("die", "kill", "raise", "garbage", "list", "deep", "wrong", "flood"):
        for at in ("triage", "triage-check"):
            invariant(w, says, at, *ON, plain=plain)
    w.check_clean()


def case_triage_an_absent_program_changes_nothing(w):
    plain = plainly(w)
    for name in ("nowhere", "test_f.py"):
        r = pytest(w, "-v", "--junitxml=j.xml", *ON, env={"FLAKY_REPRO": str(w.project / name)})
        check(r.status == plain.status and "does not start" in r.out, r)
        check([x for x in rest(r.out) if "::" in x] == [x for x in rest(plain.out) if "::" in x],
              r)


def case_triage_a_hanging_program_is_given_up(w):
    """It and what it started: after what the provider may take, and ten seconds."""
    plain = plainly(w)
    r = invariant(w, "hang", "triage", *ON, "--ai-budget=2", "--ai-timeout=0.5", plain=plain)
    check(NEVER + 1 <= r.took < NEVER + 8, r.took)
    w.check_clean()


def case_triage_a_hang_at_the_beginning(w):
    plain = plainly(w)
    r = invariant(w, "hang", "triage-check", *ON, plain=plain)
    check(NEVER <= r.took < NEVER + 8, r.took)
    w.check_clean()


def case_triage_deaf(w):
    """It answers without listening to more than a pipe holds."""
    w.write("test_f.py", "import pytest\n@pytest.mark.parametrize('n', range(50))\n"
            "def test_f(n):\n    print('x' * 100000)\n    assert 0\n")
    r = pytest(w, *ON, "--show-capture=no", says="deaf")
    check(r.status == 1 and "did not listen" in r.out and r.took < 9, r)


def case_triage_leaves_nothing_behind(w):
    w.write("test_f.py", FAILING)
    r = pytest(w, *ON, says="leaves")
    check(r.status == 1 and "left" in r.out and r.took < 9, r)
    w.check_clean(within=0.5)


def case_triage_untrusted_text(w):
    """No escape reaches the terminal, and no flood."""
    w.write("test_f.py", FAILING)
    r = pytest(w, *ON, "--color=no", says="escapes")
    check("\x1b" not in r.out and "\x07" not in r.out and "]0;title[31mred" in r.out, r.out[-3000:])
    check(r.out.count("y") < 70000 and r.status == 1, len(r.out))


def case_triage_no_terminal(w):
    w.write("test_f.py", FAILING)
    r = pytest(w, *ON, "--ai-report=r.json", "-p", "no:terminal")
    check(r.status == 1 and r.out == "" and len(asked(w)["failures"]) == len(FAILED), r)
    check((w.project / "r.json").exists(), r)


def workers(r):
    """What was printed, in no order: which worker has which test differs from run to run."""
    return sorted(re.sub(r"gw\d|\[ *\d+%\]", "", line) for line in rest(r.out))


def case_triage_xdist(w):
    needs(w, "xdist")
    w.write("test_f.py", FAILING)
    plain = pytest(w, "-n2", "-v", plugins=XDIST)
    r = pytest(w, "-n2", "-v", *ON, plugins=XDIST)
    check(r.status == plain.status == 1 and "triage: 10 failures" in r.out, r)
    check(workers(r) == workers(plain), r, plain)
    got = failures(w)
    check(sorted((i, p, str(f["exc_type"])) for (i, p), f in got.items())
          == sorted((i, p, str(t)) for i, p, t in FAILED), list(got), r)
    check(got["test_call", "call"]["stdout"] == "to stdout\n", got)
    check(got["test_value[a[1]]", "call"]["exc_message"] == "a[1]", got)


def case_triage_xdist_collection_errors(w):
    """Once, though every worker has them; and a worker that dies is a failure of its test."""
    needs(w, "xdist")
    w.write("test_b.py", "import no_such_module\n")
    r = pytest(w, "-n2", *ON, plugins=XDIST)
    got = [(f["nodeid"], f["phase"], f["exc_message"]) for f in asked(w)["failures"]]
    check(len(got) == 1 and got[0][:2] == ("test_b.py", "collect"), got, r)
    w.write("test_b.py", "import os\nraise ValueError(os.getpid())\n")
    r = pytest(w, "-n2", *ON, plugins=XDIST)
    check([f["exc_type"] for f in asked(w)["failures"]] == ["ValueError"], asked(w), r)
    (w.project / "test_b.py").unlink()
    w.write("test_c.py", "import os\ndef test_dies(): os._exit(3)\ndef test_a(): pass\n")
    r = pytest(w, "-n2", *ON, plugins=XDIST)
    (f,) = asked(w)["failures"]
    check(f["nodeid"] == "test_c.py::test_dies" and f["phase"] == "call", f, r)
    check(f["exc_type"] is None and "crashed" in f["exc_message"], f)


HOOK = """
def pytest_triage_report(failures, verdicts, duration, model, triage_config):
    (f, v), = zip(failures, verdicts)
    open("told", "w").write(f"{type(f).__name__} {f.nodeid} {v.category} {duration} {model}")
    assert triage_config.option.ai_triage == "on"
    raise SystemExit(9)
"""


def case_triage_hook(w):
    """Third parties are told; what they raise changes nothing. Where nobody triages it is known."""
    w.write("test_a.py", "def test_a(): assert 0\n")
    w.write("conftest.py", HOOK)
    r = pytest(w)
    check(r.status == 1 and not (w.project / "told").exists(), r)
    r = pytest(w, *ON)
    check((w.project / "told").read_text() == "FailureContext test_a.py::test_a env 0.5 m", r)
    check(r.status == 1 and "pytest_triage_report failed: SystemExit" in r.out, r)
    for says in ("wrong", "die"):
        r = pytest(w, *ON, says=says, at="triage")
        check(r.status == 1, r)


def case_triage_interrupted(w):
    """Who presses Ctrl-C is not made to wait for a model: the report alone."""
    w.write("test_f.py", "import time\ndef test_a(): assert 0\ndef test_b():\n"
            "    open('at', 'w').close()\n    time.sleep(60)\n")
    env = dict(FLAKY_REPRO=pathlib.Path(__file__).with_name("standin_triage.py"),
               PYTHONPATH=w.plugin, STANDIN_LOG=w.folder / "log",
               PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    p = subprocess.Popen(words(w, *ON), cwd=w.project, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, start_new_session=True, env=w.env(**env))
    while not (w.project / "at").exists():
        time.sleep(0.05)
    os.killpg(p.pid, signal.SIGINT)
    out = p.communicate(timeout=60)[0].decode()
    check(p.returncode == 2 and len(asked(w)["failures"]) == 1, out)
    check(asked(w)["options"][-2:] == [["evidence", "off", "--ai-evidence"],
                                       ["budget", "0", "--ai-budget"]], asked(w)["options"])


def case_triage_interrupted_while_it_asks(w):
    w.write("test_a.py", "def test_a(): assert 0\n")
    env = dict(FLAKY_REPRO=pathlib.Path(__file__).with_name("standin_triage.py"),
               PYTHONPATH=w.plugin, STANDIN_LOG=w.folder / "log", STANDIN_SAYS="hang",
               STANDIN_AT="triage", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    p = subprocess.Popen(words(w, *ON), cwd=w.project, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, start_new_session=True, env=w.env(**env))
    while not (w.folder / "log").exists() or asked(w) is None:
        time.sleep(0.05)
    time.sleep(0.3)
    os.killpg(p.pid, signal.SIGINT)
    out = p.communicate(timeout=60)[0].decode()
    check(p.returncode == 1 and "no triage: interrupted" in out and "1 failed" in out, out)
    w.check_clean()


def case_triage_forked_child(w):
    """A child that a test forked and that came back into pytest speaks for nobody."""
    w.write("test_a.py", "import os, sys\ndef test_a():\n    if os.fork() == 0:\n"
            "        raise SystemExit(0)\n    os.wait()\n    assert 0\n")
    pytest(w, *ON, "-p", "no:terminal")
    check(len(asked(w)["failures"]) == 1, asked(w))


def case_triage_session_within_a_test(w):
    """What a variable asks for is meant for the outer session."""
    w.write("test_a.py", """
import pathlib, subprocess, sys
def test_a(tmp_path):
    (tmp_path / "test_inner.py").write_text("def test_inner(): assert 0")
    words = [sys.executable, "-m", "pytest", "-p", "flaky_repro.plugin", "-p", "no:cacheprovider"]
    assert subprocess.run(words, cwd=tmp_path).returncode == 1
    assert not (tmp_path / "r.json").exists()
    assert subprocess.run([*words, "--ai-report=own.json"], cwd=tmp_path).returncode == 1
    assert (tmp_path / "own.json").exists()
""")
    r = pytest(w, env={"PYTEST_ADDOPTS": "--ai-report=r.json"})
    check(r.status == 0 and json.loads((w.project / "r.json").read_text()) == [], r)


def case_triage_step_aside(w):
    """Where pytest-triage is installed its options are its own."""
    other = w.folder / "other" / "pytest_triage"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("")
    (other / "plugin.py").write_text("")
    w.write("test_a.py", "def test_a(): assert 0\n")
    path = os.pathsep.join((w.plugin, str(other.parent)))
    r = pytest(w, *ON, env={"PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": None})
    check(r.status == 4 and "--ai-triage" in r.err, r)
    r = pytest(w, *ON, env={"PYTHONPATH": path})
    check(r.status == 1 and asked(w), "installed, but not loaded", r)
    (other / "plugin.py").write_text(
        "class H:\n    def pytest_triage_report(self, failures): pass\n"
        "def pytest_addhooks(pluginmanager): pluginmanager.add_hookspecs(H)\n"
        "def pytest_addoption(parser):\n"
        "    parser.getgroup('t').addoption('--ai-triage')\n"
        "    parser.getgroup('t').addoption('--ai-provider')\n")
    for autoload in (None, "1"):  # found as a file; known by its options, as it came first
        r = pytest(w, *ON, env={"PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": autoload,
                                "PYTEST_ADDOPTS": "-p pytest_triage.plugin"})
        check(r.status == 1 and asked(w) is None and "triage" not in r.out, r)


def case_triage_beside_other_reports(w):
    """Another plugin's hook that raises, and reports that are not pytest's own."""
    w.write("test_a.py", "def test_a(): assert 0\n")
    w.write("conftest.py", """
import pytest
class Odd:
    nodeid, when, outcome, failed, passed, skipped = "odd", "odd", "failed", True, False, False
    longrepr, sections, keywords, location, duration = None, 7, {}, ("a", 1, "b"), 0.1
    user_properties, count_towards_summary = [], False
def pytest_sessionfinish(session):
    from flaky_repro import _failures
    for plugin in session.config.pluginmanager.get_plugins():
        if isinstance(plugin, _failures.Gathering):
            plugin.pytest_runtest_logreport(Odd())
""")
    r = pytest(w, *ON)
    check(r.status == 1 and [f["nodeid"] for f in asked(w)["failures"]] == [
        "test_a.py::test_a", "odd"], r)


main(globals())
