"""What the acceptance list of triage asks for (trNN: its case NN), inside pytest, end to end."""
import json
import os
import pathlib
import re
import resource
import stat
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sampling import ids, installed, pytest, words  # noqa: E402
from triage import FAILED, FAILING, ON, check, main, rest  # noqa: E402

UNKNOWN = ("unknown", "low", None)


def report(w, name=".triage.json"):
    return json.loads((w.project / name).read_text(encoding="utf-8"))


def verdicts(w):
    return [f["verdict"] for f in report(w)["failures"]]


def files(w):
    return {str(p.relative_to(w.project)) for p in w.project.rglob("*")}


def steady(out):
    """Every byte but for the time it took, which stands in the line of `=` that ends it all."""
    return re.sub(rb"in \d+\.\d\ds(?: =+)?", b"in T", re.sub(rb"\n=+ (?=\d+ \w+)", b"\n= ", out))


def asked(w):
    """What the provider of CLIENT was asked: one line a call."""
    path = w.project / "calls"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return [json.loads(line) for line in lines]


CLIENT = r'''
import json, os, signal, sys, time
from pytest_triage.providers import BaseTriageClient, Verdict
class Good(BaseTriageClient):
    def _request(self, prompt):
        with open("calls", "a") as out:
            out.write(json.dumps(prompt) + "\n")
        return self.says()
    def says(self): return '{"category": "env", "confidence": "high", "hypothesis": "h"}'
class Raises(Good):
    def says(self): raise RuntimeError("no luck with password=hunter2 " + "x" * 5000)
class Hangs(Good):
    def says(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork(): time.sleep(60)
        time.sleep(60)
class Garbage(Good):
    def says(self): return "\xff\x00 }{ no verdict at all \x1b[31m"
class Wrong(Good):
    def analyze(self, ctx): return {"category": "env"}
class Floods(Good):
    def says(self):
        while True: os.write(1, b"x" * 65536)
class Killed(Good):
    def says(self): os.kill(os.getpid(), signal.SIGKILL)
'''


def case_tr36_disabled_is_nothing(w):
    """Installed and not asked for: the same bytes, the same status, no file, whatever the end."""
    w.write("test_f.py", FAILING)
    w.write("test_p.py", "def test_p(): print('x')\n")
    w.write("bad/test_e.py", "import no_such_module\n")
    before = files(w)

    def run(path, *args):
        env = w.env(PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1", FLAKY_REPRO=w.program)
        done = subprocess.run([w.python, "-m", "pytest", "-p", "no:cacheprovider", *args],
                              cwd=w.project, stdin=subprocess.DEVNULL, capture_output=True, env=env)
        return done.returncode, steady(done.stdout), done.stderr

    for status, args in ((1, ("test_f.py", "-rA", "-v", "--tb=short", "--show-capture=no")),
                         (0, ("test_p.py",)), (0, ("test_p.py", "-q")), (2, ("-q", "bad")),
                         (5, ("test_p.py", "-k", "nothing")), (4, ("nowhere.py",))):
        plain, ours = run("", *args), run(installed(w), *args)
        # pytest itself lists what is installed; the rest of its head is the same.
        listed = re.search(rb"^plugins: .*\n", ours[1], re.M)
        check("-q" in args or b"flaky-repro-plugin" in listed[0], ours)
        without = [re.sub(rb"^plugins: .*\n", b"", out, flags=re.M) for _, out, _ in (plain, ours)]
        check(plain[0] == ours[0] == status and plain[2] == ours[2], args, plain, ours)
        check(without[0] == without[1], args, *without)
        check(b"-q" in map(str.encode, args) or b"pytest-triage" not in ours[1], ours)
    check(files(w) == before, files(w))


def case_tr36_a_bad_provider_changes_nothing(w):
    w.write("mine.py", CLIENT)
    w.write("test_a.py", "def test_a(): assert 0\ndef test_b(): raise OSError('down')\n"
            "def test_c(): pass\n")
    plain = pytest(w, "-v", "-rA")
    for name, cause in (("Raises", "RuntimeError: no luck with password=[REDACTED] xxx"),
                        ("Hangs", "triage timed out"), ("Garbage", ""), ("Wrong", "dict"),
                        ("Floods", ""), ("Killed", "")):
        r = pytest(w, "-v", "-rA", "--ai-triage=on", f"--ai-provider=mine:{name}",
                   "--ai-timeout=2")
        check(r.status == plain.status == 1 and r.err == plain.err, name, r)
        check(rest(r.out) == rest(plain.out), name, r, plain)
        for v in verdicts(w):
            check((v["category"], v["confidence"], v["suggested_fix"]) == UNKNOWN, name, v)
            said = v["hypothesis"].partition("triage provider error: ")
            check(v["hypothesis"] and len(said[2] or said[0]) <= 200, name, v)
            check("\x1b" not in v["hypothesis"], name, v)
        check(cause in verdicts(w)[0]["hypothesis"], name, verdicts(w))
        check("hunter2" not in r.out + json.dumps(report(w)), name, r)
        check("pytest-triage: 2 unknown" in r.out, name, r)
    w.write("test_a.py", "def test_a(): pass\n")
    r = pytest(w, "--ai-triage=on", "--ai-provider=mine:Killed")
    check(r.status == 0 and report(w)["total_failures"] == 0, r)
    w.check_clean()


def case_tr37_budget_and_identical_failures(w):
    w.write("mine.py", CLIENT)
    w.write("test_a.py", "def test_a(): assert 0\ndef test_b(): raise OSError('down')\n")
    r = pytest(w, "--ai-triage=on", "--ai-provider=mine:Good", "--ai-budget=1")
    check(len(asked(w)) == 1 and "1 provider call(s), 0 from cache" in r.out, r)
    check([v["hypothesis"] for v in verdicts(w)] == ["h", "triage budget exhausted"], report(w))
    check("provider error" not in r.out and r.status == 1, r)
    w.write("test_a.py", "import pytest\n@pytest.mark.parametrize('n', range(3))\n"
            "def test_a(n):\n    raise ValueError(object(), 'a' + ' ' * (n + 1) + 'b')\n")
    r = pytest(w, "--ai-triage=on", "--ai-provider=mine:Good", "--tb=short")
    texts = {f["exc_message"] for f in report(w)["failures"]}
    check(len(texts) == 3 and all("0x" in t for t in texts), texts)
    check(len(asked(w)) == 1 and "1 provider call(s), 2 from cache" in r.out, r)
    check([v["category"] for v in verdicts(w)] == ["env"] * 3, report(w))
    check([f["count"] for f in report(w)["failures"]] == [3] * 3, report(w))


def case_tr37_a_provider_that_fails_is_left_alone(w):
    w.write("mine.py", CLIENT)
    w.write("test_a.py", "".join(f"def test_{k}(): raise {e}('{k}')\n" for k, e in zip(
        "abcd", ("OSError", "KeyError", "ValueError", "TypeError"))))
    for name, calls in (("Hangs", 1), ("Raises", 2)):
        r = pytest(w, "--ai-triage=on", f"--ai-provider=mine:{name}", "--ai-timeout=2")
        check(len(asked(w)) == calls and f"{calls} provider call(s)" in r.out, name, r)
        stopped = [v["hypothesis"] for v in verdicts(w)][calls:]
        check(stopped == ["triage stopped: the provider kept failing"] * (4 - calls), stopped)
    w.check_clean()


SECRETS = r'''
import os, pytest
@pytest.mark.parametrize("k", ["sk-live-paramsecret1"])
def test_a(k):
    print("Authorization: Bearer bearersecret.1")
    print("sent Basic YmFzaWNzZWNyZXQ=")
    print("password=passwordsecret1")
    print('{"api_key": "jsonsecret1", "n": 1}')
    print("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.and-a-jwt-secret")
    print("eyJhbGciOiJkaXIifQ..48V1_ALb6US04U3b.and-a-jwe-secret.XFBoMYUZodetZdvTiFvSkQ")
    print("postgres://app:urlsecret1@db.example.org:5432/shop and redis://:urlsecret2@cache")
    print("-----BEGIN RSA PRIVATE KEY-----\nMIIEpemsecret\n-----END RSA PRIVATE KEY-----")
    print("AKIAIOSFODNN7EXAMPLE")
    print("named " + os.environ["MY_TOKEN"] + ", other " + os.environ["ODD"] + ".")
    print("short " + os.environ["SHORT"] + ", at " + os.environ["PLACE"] + ".")
    print({"headers": {"Authorization": "Bearer reprsecret1", "Cookie": "sid=cookiesecret1"}})
    print("a/long/relative/path/to/some/module/name.py at 4b825dc642cb6eb9a060e54bf8d69288fbee4904")
    raise OSError("token: messagesecret1")
'''
SECRET = ("bearersecret", "YmFzaWNzZWNyZXQ", "passwordsecret1", "jsonsecret1", "jwt-secret",
          "jwe-secret", "urlsecret", "MIIEpemsecret", "AKIAIOSFODNN7EXAMPLE", "zQ7.", "s3cretOdd",
          "reprsecret1", "cookiesecret1", "messagesecret1")
KEPT = ("named [REDACTED], other [REDACTED].", "short ab1cd2e, at /opt/place7x1.",
        "://app:[REDACTED]@db.example.org:5432/shop and redis://:[REDACTED]@cache",
        "a/long/relative/path/to/some/module/name.py", "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        '"n": 1}', "'Authorization': 'Bearer [REDACTED]'")


def case_tr38_redaction(w):
    w.write("mine.py", CLIENT)
    w.write("test_a.py", SECRETS)
    env = {"MY_TOKEN": "zQ7.", "ODD": "s3cretOdd", "SHORT": "ab1cd2e", "PLACE": "/opt/place7x1"}
    r = pytest(w, "--ai-triage=on", "--ai-provider=mine:Good", "--tb=line", env=env)
    (prompt,), (f,) = asked(w), report(w)["failures"]
    check(r.status == 1 and f["nodeid"] == "test_a.py::test_a[sk-live-paramsecret1]", r)
    check(report(w)["pytest_args"] == f["pytest_args"] == [f["nodeid"]], f)
    check("test_a[[REDACTED]]" in prompt and "paramsecret" not in prompt, prompt)
    # The test's own source is in its traceback, and none of it is in what was printed.
    for where in (prompt, f["stdout_tail"] + f["exc_message"]):
        check([s for s in SECRET if s in where] == [], where)
        check([s for s in KEPT if s not in where] == [], where)
    r = pytest(w, *ON, "--tb=line", "--ai-redact=off", env=env)
    out = report(w)["failures"][0]["stdout_tail"] + report(w)["failures"][0]["exc_message"]
    check([s for s in SECRET if s not in out] == [], out)


def limited(w, *args, bytes_):
    """pytest, none of whose processes can make a file longer than that; rights as open as can be."""
    def prepare():
        os.umask(0)
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))
    env = w.env(PYTHONPATH=w.plugin, FLAKY_REPRO=w.program, PYTHONDONTWRITEBYTECODE="1",
                PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    return subprocess.run(words(w, *args), cwd=w.project, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, preexec_fn=prepare)


def rights(path):
    return oct(stat.S_IMODE(path.stat().st_mode))


def case_tr39_report_is_private_and_whole(w):
    """The system ends the program at the 4096th byte it writes: what there is then is private, and
    the report that was there is as it was."""
    w.write("test_f.py", FAILING)
    args = ("-s", "--ai-report=new/er/r.json")
    r = limited(w, *args, bytes_=1 << 24)
    path = w.project / "new/er/r.json"
    check(r.returncode == 1 and len(report(w, "new/er/r.json")["failures"]) == len(FAILED), r)
    check(rights(path) == "0o600" and list(path.parent.iterdir()) == [path], "alone")
    old = path.read_bytes()
    check(len(old) > 4096, len(old))
    r = limited(w, *args, bytes_=4096)
    check(r.returncode == 1 and b"no triage" in r.stdout, r)
    check(path.read_bytes() == old, "it was written in place")
    (cut,) = [p for p in path.parent.iterdir() if p != path]
    check(0 < cut.stat().st_size <= 4096 and rights(cut) == "0o600", rights(cut))
    path.chmod(0o644)  # an older one, made by somebody else
    limited(w, *args, bytes_=1 << 24)
    check(rights(path) == "0o600", rights(path))


def case_tr39_what_it_selects_is_what_failed(w):
    """Really run again, from where the user stands, with ids that a shell would eat."""
    w.write("pytest.ini", "[pytest]\n")
    w.write("sub/test_a.py", r'''
import pytest
@pytest.fixture
def broken(): raise OSError("x")
@pytest.mark.parametrize("s", ["fine", "a b", "$HOME `x` 'q' \"r\"", "[x]", "\u00e9", "a::b", "*"])
def test_a(s): assert s == "fine"
def test_setup(broken): pass
def test_passes(): pass
class TestC:
    def test_m(self): assert 0
    def test_n(self): pass
''')
    w.write("test_top.py", "def test_t(): assert 0\ndef test_u(): pass\n")
    sub = w.project / "sub"
    r = pytest(w, "--ai-report=r.json", "test_a.py", "../test_top.py", cwd=sub)
    got = report(w, "sub/r.json")
    check(r.status == 1 and len(got["pytest_args"]) == got["total_failures"] == 9, got, r)
    for args in (got["pytest_args"], [a for f in got["failures"] for a in f["pytest_args"]]):
        again = pytest(w, "-v", "--tb=no", "--ai-report=again.json", *args, cwd=sub)
        check("passed" not in again.out and len(ids(again)) == 9, again)
        check([f["nodeid"] for f in report(w, "sub/again.json")["failures"]]
              == [f["nodeid"] for f in got["failures"]], again)


def case_tr39_a_report_that_cannot_be_written(w):
    """A folder in its place, a file in the place of a folder: said, and the status stays."""
    (w.project / "folder").mkdir()
    w.write("file", "")
    for status, body in ((0, "def test_a(): pass\n"), (1, "def test_a(): assert 0\n")):
        w.write("test_a.py", body)
        plain = pytest(w)
        for path in ("folder", "file/r.json"):
            r = pytest(w, f"--ai-report={path}")
            check(r.status == plain.status == status and rest(r.out) == rest(plain.out), r, plain)
            said = [x for x in r.out.splitlines() if x.startswith("pytest-triage: ")]
            check(len(said) == 1 and path.partition("/")[0] in said[0] and r.err == "", r)
    check(not any((w.project / "folder").iterdir()), "left behind")


def case_tr40_replies(w):
    w.write("test_a.py", "def test_a(): assert 0\n")
    whole = {"category": "flaky", "confidence": "high", "hypothesis": "a race",
             "suggested_fix": "lock it"}
    for reply, want in (
            (json.dumps(whole), whole),
            (f"## Verdict\n\nSure:\n\n```json\n{json.dumps(whole, indent=2)}\n```\nDone.", whole),
            (f"I say {json.dumps(whole)}.", whole),
            (json.dumps({**whole, "category": "cosmic"}), 
             {**whole, "category": "unknown", "confidence": "low"}),
            (json.dumps({**whole, "confidence": "total"}), {**whole, "confidence": "low"}),
            ("```json\nnot at all\n```", {"category": "unknown", "confidence": "low"})):
        w.write("reply", reply)
        r = pytest(w, "--ai-triage=on", "--ai-provider=command:cat reply")
        (v,) = verdicts(w)
        check({k: v[k] for k in want} == want and r.status == 1, reply, v, r)


def case_tr40_unknown_provider(w):
    w.write("test_a.py", "def test_a(): assert 0\ndef test_b(): pass\n")
    plain = pytest(w, "-v")
    r = pytest(w, "-v", "--ai-triage=on", "--ai-provider=unknown name")
    check(r.status == plain.status == 1 and ids(r) == ids(plain), r)
    check('triage is off, for no provider is called "unknown name"' in r.out, r)
    check("1 warning" in r.out and verdicts(w) == [None], r)


def case_tr40_texts(w):
    """A broken __str__, and texts cut at bytes: half a character is none."""
    w.write("test_a.py", r'''
class Broken(Exception):
    def __str__(self): raise RuntimeError("again")
def test_a(): raise Broken()
def test_b():
    print("\u00e9" * 3000)
    raise ValueError("\u20ac" * 1000)
def test_c():
    print("x" * 1999)
    raise ValueError("y" * 1000)
''')
    r = pytest(w, *ON)
    a, b, c = report(w)["failures"]
    check(r.status == 1 and a["exc_message"] == "<unprintable Broken>", a)
    check(a["verdict"]["hypothesis"] == "Broken in test_a.py::test_a", a)
    # 6,001 bytes, of which the last 2,000 begin within a character; 3,000, the first 1,000 as well
    check(b["stdout_tail"] == "...[truncated 4002 bytes]...\n" + "\u00e9" * 999 + "\n", b)
    check(b["exc_message"] == "\u20ac" * 333 + "...[truncated 2001 bytes]...", b)
    check(c["stdout_tail"] == "x" * 1999 + "\n" and c["exc_message"] == "y" * 1000, c)


main(globals())
