"""flaky-ci where it has little to judge: green suites, usage errors, signals, files that cannot be
written, every way of calling it."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ci import (BAD, GREEN, cases, check, ci, env, main, report,  # noqa: E402
                script, skip, start)

SLEEPY = """
import pathlib, time
def test_a(): assert 0
def test_long():
    pathlib.Path("begun").write_text("")
    time.sleep(60)
"""


def files(w):
    return {p.name for p in w.project.iterdir()}


def case_green_suite_adds_nothing(w):
    w.write("test_g.py", GREEN)
    r = ci(w, "--", "pytest", "-q")
    check(r.status == 0 and r.err == "" and "5 passed" in r.out and "triage" not in r.out, r)
    check(files(w) == {"test_g.py"}, files(w))
    w.check_clean()


def case_green_suite_writes_what_is_asked_for(w):
    w.write("test_g.py", GREEN)
    r = ci(w, "--json", "new/r.json", "--junit", "new/j.xml", "--summary", "s.md",
           "--code-quality", "q.json", "--", "pytest", "-q", env_={"GITHUB_ACTIONS": "true"})
    check(r.status == 0 and r.err == "" and "::" not in r.out, r)
    check(report(w, "new/r.json")["total_failures"] == 0)
    tests, suite = cases(w, "new/j.xml")
    check(len(tests) == 5 and not any(tests.values()) and suite["failures"] == "0", tests)
    check((w.project / "s.md").read_text() == "### no failures\n", (w.project / "s.md").read_text())
    check(json.loads((w.project / "q.json").read_text()) == [])
    page = w.project / "page.md"
    page.write_text("# before")
    r = ci(w, "--", "-q", env_={"GITHUB_STEP_SUMMARY": page})
    check(r.status == 0 and page.read_text() == "# before\n### no failures\n", r, page.read_text())


def case_every_way_of_calling_pytest(w):
    w.write("tests/test_g.py", GREEN)
    w.write("pytest/x", "")  # a folder of that name is no command
    for words in (("pytest", "-q", "tests"), (w.python, "-m", "pytest", "-q", "tests"),
                  ("-q", "tests"), ("tests", "-q"), ("tests/test_g.py::test_green", "-q"), (),
                  (str(w.folder / "bin/pytest"), "-q"), ("env", "A=b", "pytest", "-q")):
        r = ci(w, "--", *words)
        check(r.status == 0 and "5 passed" in r.out and r.err == "", words, r)
    r = ci(w, "--python", w.python, "--", "-q", "tests", env_={"PATH": "/usr/bin:/bin"})
    check(r.status == 0 and "5 passed" in r.out, r)
    r = ci(w, "-q", "--", "-q", "tests", cwd=w.folder, env_={"PWD": None})
    check(r.status == 4, r)
    r = ci(w, "--", "-q", str(w.project / "tests"), cwd="/")
    check(r.status == 0 and "5 passed" in r.out, r)


def case_words_arrive_as_they_are(w):
    w.write("conftest.py", "import json, sys\ndef pytest_configure(config):\n"
            "    print(json.dumps([str(a) for a in config.invocation_params.args]))\n")
    w.write("test_g.py", GREEN)
    odd = ["a b", "it's", '"', "two\nlines", "$HOME", "*", "\\", "", "--", "-x y"]
    options = [f"--override-ini=markers={word}" for word in odd]
    for shell in shells(w):
        r = ci(w, "--", "pytest", "-q", *options, shell=shell)
        line = next(line for line in r.out.splitlines() if line.startswith("["))
        told = eval(line)  # noqa: S307 - our own JSON, which is Python, too
        check(r.status == 0 and told[-len(options):] == options, shell, told, r)


def shells(w):
    yield ()
    for name in ("dash", "bash", "busybox"):
        if shutil.which(name):
            yield (name, "sh") if name == "busybox" else (name,)


def case_the_program_is_found(w):
    w.write("test_g.py", GREEN)
    link = w.folder / "links/flaky-ci"
    link.parent.mkdir()
    link.symlink_to(script(w))
    for words in ((str(link),), ("sh", str(link)), ("sh", "-c", "flaky-ci \"$@\"", "x")):
        path = f"{link.parent}:{w.folder / 'bin'}:/usr/bin:/bin"
        done = subprocess.run([*words, "--", "-q"], cwd=w.project, env=env(w, PATH=path),
                              capture_output=True, stdin=subprocess.DEVNULL)
        check(done.returncode == 0 and b"5 passed" in done.stdout and not done.stderr, words, done)
    alone = w.folder / "alone/flaky-ci"
    alone.parent.mkdir()
    shutil.copy(script(w), alone)
    for shell in ((), *shells(w)):
        done = subprocess.run([*shell, alone, "--", "-q"], cwd=w.project, capture_output=True,
                              env=env(w, PATH="/usr/bin:/bin"))
        check(done.returncode == 2 and done.stdout == b"" and done.stderr.decode() ==
              "flaky-ci: the program flaky-repro is neither beside this script nor on PATH\n"
              "hint: install flaky-repro whole, or put its folder on PATH\n", done)
    path = f"{pathlib.Path(w.program).parent}:{w.folder / 'bin'}:/usr/bin:/bin"
    done = subprocess.run([alone, "--", "-q"], cwd=w.project, env=env(w, PATH=path),
                          capture_output=True)
    check(done.returncode == 0, done)


def case_an_installed_plugin_is_loaded_once(w):
    w.write("test_g.py", GREEN)
    info = w.folder / "site/flaky_repro_plugin-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: flaky-repro-plugin\nVersion: 0\n")
    (info / "entry_points.txt").write_text("[pytest11]\nflaky_repro.plugin = flaky_repro.plugin\n")
    (w.folder / "site/flaky_repro").symlink_to(pathlib.Path(w.plugin) / "flaky_repro")
    r = ci(w, "--", "pytest", "-q", env_={"PYTHONPATH": w.folder / "site",
                                          "PYTEST_DISABLE_PLUGIN_AUTOLOAD": None})
    check(r.status == 0 and "5 passed" in r.out, r)


def case_usage_errors_are_those_of_pytest(w):
    w.write("test_g.py", GREEN)
    w.write("broken/test_b.py", "import nosuch_module_at_all\n")
    nothing = ("-k", "nothing", "test_g.py")
    for status, words in ((4, ("--no-such-option",)), (4, ("nosuch.py",)),
                          (5, nothing), (5, ("--deselect", "test_g.py", "test_g.py"))):
        r = ci(w, "--budget", "1", "--", "pytest", "-q", *words)
        check(r.status == status, words, r)
    r = ci(w, "--", "pytest", "--no-such-option")
    check("flaky-repro: pytest ended with status 4 and left no report that can be read: nothing was "
          "judged (opening " in r.err, r)
    r = ci(w, "--budget", "1", "--json", "r.json", "--", "pytest", "-q", "broken")
    check(r.status == 2 and report(w)["failures"][0]["phase"] == "collect", r)
    w.write("conftest.py", "def pytest_runtest_protocol(item): raise ValueError('of a plugin')\n")
    r = ci(w, "--", "pytest", "-q", "test_g.py")
    check(r.status == 3 and "INTERNALERROR" in r.out, r)
    w.write("conftest.py", "")
    r = ci(w, "--", "pytest", "--version")
    check(r.status == 0 and "flaky-repro" not in r.err, r)
    w.check_clean()


def case_words_that_make_no_sense_are_refused(w):
    """Before anything is run, and with what to write instead."""
    w.write("test_g.py", "import pathlib\npathlib.Path('ran').touch()\n" + GREEN)
    (w.project / "file").write_text("")
    for words, message, hint in (
            (("--budget", "soon"), '--budget: "soon" is not a number of seconds', "60"),
            (("--json", "-"), "ci: --json needs a file, for stdout is pytest's", "--json"),
            (("--json", "file/r.json"), "file/r.json", "--json PATH"),
            (("--junit", "/proc/nowhere/j.xml"), "/proc/nowhere", "--junit FILE"),
            (("--summary", "/"), "the summary cannot be written to /", "--summary FILE"),
            (("--code-quality", "file/q"), "report for GitLab cannot be written to file/q",
             "--code-quality FILE"),
            (("--annotations", "gitlab"), "--annotations: \"gitlab\" is not", ""),
            (("--gate", "flaky"), "ci has no option --gate", ""),
            (("--python", w.python, "--", "pytest"), "--python is for arguments of pytest alone",
             "-m pytest"),
            (("--", "make", "test"), "does not say where pytest begins: make", "flaky-ci -- pytest"),
            (("tests",), 'what runs goes after "--": tests', "flaky-ci -- pytest")):
        more = () if "--" in words or words == ("tests",) else ("--", "pytest")
        r = ci(w, *words, *more)
        check(r.status == 2 and message in r.err and hint in r.err and not r.out, words, r)
    r = ci(w, "--", "-q", env_={"PATH": "/nowhere"}, shell=("/bin/sh",))
    check(r.status == 2 and "there is no pytest on PATH" in r.err, r)
    r = ci(w, "--python", "/no/python", "--", "-q")
    check(r.status == 2 and "starting /no/python: No such file" in r.err, r)
    r = ci(w, "--", "-q", env_={"TMPDIR": "/no/where"})
    check(r.status == 2 and "making a folder in /no/where" in r.err and "TMPDIR" in r.err, r)
    check("ran" not in files(w), files(w))


def case_help_is_its_own(w):
    for word in ("--help", "-h"):
        r = ci(w, word)
        check(r.status == 0 and r.err == "" and "usage: flaky-ci" in r.out and
              "--fail-on-flaky" in r.out and "--axes" not in r.out, r)
    r = ci(w, "--version")
    check(r.status == 0 and r.out == f"flaky-repro {w.release()}\n", r)


def unprivileged(w):
    """Words that make another user run what follows."""
    if os.getuid() != 0:
        return ()
    if not shutil.which("setpriv"):
        skip("there is no setpriv to become another user")
    return ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def case_a_folder_that_cannot_be_written_to(w):
    w.write("test_g.py", GREEN)
    w.folder.chmod(0o755)
    w.tmp.chmod(0o777)
    for folder in (w.folder, w.project):
        folder.chmod(0o555)
    page = w.tmp / "page.md"
    page.touch()
    page.chmod(0o666)
    python = next((p for p in (w.python, "/usr/bin/python3") if subprocess.run(
        [*unprivileged(w), p, "-c", "import os, pytest, sys; os.stat(sys.executable)"],
        stderr=subprocess.DEVNULL).returncode == 0), None)
    if not python or subprocess.run([*unprivileged(w), script(w), "--version"],
                                    capture_output=True).returncode:
        skip("another user cannot run what is tested")
    r = ci(w, "--summary", str(page), "--", python, "-m", "pytest", "-q", shell=unprivileged(w))
    check(r.status == 0 and "5 passed" in r.out and page.read_text() == "### no failures\n", r)
    r = ci(w, "--junit", "j.xml", "--", python, "-m", "pytest", "-q", shell=unprivileged(w))
    check(r.status == 2 and "JUnit's XML cannot be written to j.xml: Permission denied" in r.err
          and "passed" not in r.out, r)
    page.unlink()


def case_a_file_that_goes_bad_in_between(w):
    """What cannot be written is said, the rest is written, and a green run is none any more."""
    w.write("test_g.py", "import pathlib\ndef test_g(): pathlib.Path('s.md').mkdir()\n")
    r = ci(w, "--summary", "s.md", "--json", "r.json", "--", "-q")
    check(r.status == 2 and "flaky-repro: writing s.md: Is a directory\n" in r.err, r)
    check(report(w)["total_failures"] == 0)
    w.write("test_g.py", "def test_g(): assert 0\n")
    r = ci(w, "--budget", "0", "--", "-q", env_={"GITHUB_STEP_SUMMARY": "/dev/full"})
    check(r.status == 1 and "writing /dev/full: No space left" in r.err, r)


def wait_for(path, child):
    until = time.monotonic() + 60
    while not path.exists():
        check(time.monotonic() < until and child.poll() is None, "the suite does not begin")
        time.sleep(.02)


def signalled(w, sign, group=False, **how):
    child = start(w, "--json", "r.json", "--budget", "1", "--", "pytest", "-q",
                  start_new_session=True, **how)
    wait_for(w.project / "begun", child)
    (os.killpg if group else os.kill)(child.pid, sign)
    began = time.monotonic()
    r = w.finish(child, began, 60)
    (w.project / "begun").unlink()
    return r


def case_signals_reach_pytest(w):
    w.write("test_s.py", SLEEPY)
    for shell in shells(w):
        for group in (False, True):
            r = signalled(w, signal.SIGINT, group, shell=shell)  # once, not twice
            check(r.status == 2 and r.out.count("KeyboardInterrupt") and "1 failed" in r.out, r)
            check(report(w)["failures"][0]["nodeid"] == "test_s.py::test_a", "the report")
            (w.project / "r.json").unlink()
            r = signalled(w, signal.SIGTERM, group, shell=shell)
            check(r.status == 128 + signal.SIGTERM and r.err == "flaky-repro: pytest was ended by "
                  "signal 15 and left no report: nothing was judged\n", r)
            check(not (w.project / "r.json").exists())
        w.check_clean()


def case_signals_end_reruns(w):
    """What runs for a pytest that is killed ends with it, and leaves no folder."""
    w.write("test_b.py", "import os, pathlib, time\ndef test_b():\n"
            "    again = os.path.exists('again')\n    pathlib.Path('again').touch()\n"
            "    if again:\n        time.sleep(30)\n    assert 0\n")
    for sign in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        (w.project / "again").unlink(missing_ok=True)
        child = start(w, "--json", "r.json", "--budget", "60", "--", "pytest", "-q",
                      start_new_session=True)
        wait_for(w.project / "again", child)
        until = time.monotonic() + 30
        while len(w.strays()) < 3 and time.monotonic() < until:
            time.sleep(.05)
        time.sleep(.5)
        child.send_signal(sign)
        r = w.finish(child, time.monotonic(), 30)
        check(r.status == (1 if sign == signal.SIGINT else 128 + sign), sign, r)
        until = time.monotonic() + 5
        while w.strays() and time.monotonic() < until:
            time.sleep(.05)
        w.check_clean()
        check((w.project / "r.json").exists() == (sign == signal.SIGINT), sign, r)
    check(report(w)["failures"][0]["verdict"] is None, report(w))


def case_who_kills_us_kills_pytest(w):
    w.write("test_s.py", SLEEPY)
    child = start(w, "--", "pytest", "-q")
    wait_for(w.project / "begun", child)
    child.kill()
    w.finish(child, time.monotonic(), 30)
    until = time.monotonic() + 10
    while w.strays() and time.monotonic() < until:
        time.sleep(.05)
    check(not w.strays(), w.strays())


def case_a_suite_that_dies(w):
    w.write("test_d.py", "import os, signal\ndef test_d(): os.kill(os.getpid(), signal.SIGSEGV)\n")
    r = ci(w, "--junit", "j.xml", "--", "pytest", "-q", "-p", "no:faulthandler")
    check(r.status == 139 and "pytest was ended by signal 11 and left no report" in r.err, r)
    w.write("test_d.py", "import os\ndef test_d(): os._exit(7)\n")
    r = ci(w, "--", "pytest", "-q")
    check(r.status == 7 and "pytest ended with status 7 and left no report" in r.err, r)
    w.check_clean()


def case_files_of_an_earlier_run_are_gone(w):
    """Where nothing is judged, what pytest wrote itself is all there is."""
    w.write("test_b.py", BAD)
    names = {"--json": "r.json", "--junit": "j.xml", "--code-quality": "q.json"}
    words = [word for pair in names.items() for word in pair]
    for dead in (False, True):
        for name in names.values():
            (w.project / name).write_text("of an earlier run")
        w.write("conftest.py", "import os\nos._exit(7)\n" if dead else "")
        r = ci(w, *words, "--summary", "s.md", "--", "pytest", "-q",
               env_={"FLAKY_REPRO": "/no/where"})
        status = 7 if dead else 1
        page = f"### nothing was judged: pytest ended with status {status} and left no report"
        check(r.status == status and "nothing was judged" in r.err and
              page in (w.project / "s.md").read_text(), r)
        check(files(w) & set(names.values()) == (set() if dead else {"j.xml"}), files(w), r)
        if not dead:
            check(cases(w)[0] == {"test_b::test_total": ["failure"]}, r)
    w.write("conftest.py", "import os\nos._exit(0)\n")
    (w.project / "real.xml").write_text("of an earlier run")
    (w.project / "j.xml").symlink_to("real.xml")
    r = ci(w, "--json", "/dev/null", "--junit", "j.xml", "--", "-q")
    check((w.project / "j.xml").is_symlink() and not (w.project / "real.xml").exists(), r)
    check(pathlib.Path("/dev/null").is_char_device(), "a device was removed")


def case_what_a_suite_leaves_running_is_left(w):
    w.write("test_l.py", "import pathlib, subprocess\ndef test_l():\n"
            "    p = subprocess.Popen(['sleep', '60'], stdout=-3, stderr=-3)\n"
            "    pathlib.Path('pid').write_text(str(p.pid))\n")
    r = ci(w, "--", "pytest", "-q")
    pid = int((w.project / "pid").read_text())
    state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    check(r.status == 0 and state == "S", state, r)  # a zombie was killed
    os.kill(pid, signal.SIGKILL)


def case_failed_tests_without_reruns_count(w):
    """No budget, no evidence: nothing shows that it would pass."""
    w.write("test_b.py", BAD)
    r = ci(w, "--budget", "0", "--json", "r.json", "--", "pytest", "-q",
           env_={"GITHUB_ACTIONS": "true"})
    check(r.status == 1 and "::error file=test_b.py,line=2,title=" in r.out, r)
    check(report(w)["failures"][0]["nodeid"] == "test_b.py::test_total", "the report")
    r = ci(w, "--budget", "0", "--annotations", "none", "--", "pytest", "-q",
           env_={"GITHUB_ACTIONS": "true"})
    check(r.status == 1 and "::error" not in r.out, r)


def case_a_threshold_is_no_flake(w):
    """A plugin that counts a failure of its own, as one for coverage does, beside a flake."""
    w.write("conftest.py", "import pytest\n@pytest.hookimpl(hookwrapper=True)\n"
            "def pytest_runtestloop(session):\n    yield\n"
            "    if getattr(session.config.option, 'ai_evidence', None): session.testsfailed += 1\n")
    w.write("test_o.py", "seen = []\ndef test_adds(): seen.append(1)\n"
            "def test_none(): assert not seen\n")
    words = "flaky-repro: pytest counts failures that are none of a test; its status stays\n"
    r = ci(w, "--budget", "30", "--json", "r.json", "--", "pytest", "-q")
    check(r.status == 1 and r.err == words and report(w)["other_failures"] == 1, r)
    check(report(w)["failures"][0]["verdict"]["category"] == "flaky", report(w))
    r = ci(w, "--json", "r.json", "--", "pytest", "-q", "-k", "adds")
    check(r.status == 1 and r.err == words and report(w)["total_failures"] == 0, r)


def case_options_of_the_user_stay(w):
    w.write("test_b.py", BAD)
    r = ci(w, "--budget", "0", "--junit", "ours.xml", "--", "pytest", "-q", "--junitxml=his.xml",
           "--ai-report", "his.json")
    check(r.status == 1, r)
    check(report(w, "his.json")["total_failures"] == 1)
    check((w.project / "his.xml").read_bytes() == (w.project / "ours.xml").read_bytes())
    r = ci(w, "--budget", "0", "--junit", "same.xml", "--", "-q", "--junitxml", "same.xml")
    check(r.status == 1 and cases(w, "same.xml")[0] == {"test_b::test_total": ["failure"]}, r)
    (w.project / "his.json").write_text("of an earlier run")
    r = ci(w, "--", "pytest", "--ai-report=his.json", "--no-such-option")
    check(r.status == 4 and not (w.project / "his.json").exists(), r)


if __name__ == "__main__":
    main(globals())
