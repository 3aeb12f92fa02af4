"""What a first run does to the world outside holds the test back, after that one run."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from world import check, main  # noqa: E402

HEAD = """
import os, pathlib, socket, subprocess, sys
OUT = pathlib.Path({out!r})
"""


def diagnose(w, body, *args, budget=3, before="", **how):
    path = w.folder / "o.json"
    w.write("test_a.py", HEAD.format(out=str(w.outside)) + before +
            "def test_x():\n" + "".join(f"    {line}\n" for line in body.split("\n")))
    r = w.run("test_a.py::test_x", "--json", str(path), *args, budget=budget, **how)
    check(path.exists(), r)
    return r, json.loads(path.read_text(encoding="utf-8"))


def is_held(w, body, kind, what, **how):
    marker = w.outside / "ran"
    r, report = diagnose(w, f"open({str(marker)!r}, 'a').write('x')\n" + body, **how)
    check(r.status == 3 and report["verdict"] == "held-side-effects", body, r)
    check(report["stats"]["trials"] == 1 and marker.read_text() == "x", body, r)
    check([kind, True] in [[e["kind"], what in e["what"]] for e in report["side_effects"]], body,
          report["side_effects"])
    check("--allow-side-effects" in r.out and "SIDE EFFECTS" in r.out, r)
    check(report["nodeid"] == "test_a.py::test_x" and report["repro"] is None, report)
    marker.unlink()


def is_free(w, body, *args, **how):
    r, report = diagnose(w, body, *args, **how)
    check(report["verdict"] in ("incomplete", "not-flaky") and report["stats"]["trials"] > 1, body,
          r)
    check(report["side_effects"] == [] and "SIDE EFFECTS" not in r.out, r)
    return report


CONNECT = """s = socket.socket(); s.settimeout(0.2)
try: s.connect(('192.0.2.1', 80))
except OSError: pass"""


def case_connections_outside_are_held(w):
    """The attempt counts, not the success."""
    is_held(w, CONNECT, "outside", "192.0.2.1:80")


def case_loopback_is_not_held(w):
    is_free(w, "s = socket.create_server(('127.0.0.1', 0))\n"
            "socket.create_connection(s.getsockname()).close()\n"
            "socket.gethostbyname('localhost')")


def case_programs_are_held_however_started(w):
    for body in ("subprocess.run(['touch', 'x'])", "os.system('touch x')",
                 "os.popen('touch x').read()", "os.spawnvp(os.P_WAIT, 'touch', ['touch', 'x'])",
                 "os.waitpid(os.posix_spawnp('touch', ['touch', 'x'], os.environ), 0)"):
        is_held(w, body, "program", "touch x")


def case_what_a_child_python_does_is_held(w):
    is_held(w, "subprocess.run([sys.executable, '-c', 'import os; os.system(\"touch x\")'], env={})",
            "program", "touch x")


def case_what_a_module_does_when_imported_is_held(w):
    is_held(w, "pass", "program", "touch x", before="os.system('touch x')\n")


def case_files_outside_are_held(w):
    is_held(w, "(OUT / 'made').write_text('x')", "written", "/made")
    (w.outside / "made").write_text("x")
    is_held(w, "(OUT / 'made').unlink()", "removed", "/made")


def case_harmless_programs_are_not_held(w):
    (w.project / ".git").mkdir()
    is_free(w, "subprocess.run(['true']); os.system('true')\n"
            "subprocess.run(['git', 'rev-parse', 'HEAD'])\n"
            "subprocess.run([sys.executable, '-c', 'pass'])\n"
            "import ctypes.util, platform; ctypes.util.find_library('m'); platform.processor()")


def case_a_compiler_is_not_held(w):
    is_free(w, "import tempfile; d = pathlib.Path(tempfile.mkdtemp())\n"
            "(d / 'a.c').write_text('int main(void) { return 0; }')\n"
            "subprocess.run(['cc', '-o', d / 'a', d / 'a.c'])", budget=5)


def case_files_of_the_test_s_own_are_not_held(w):
    is_free(w, "import tempfile\ntempfile.NamedTemporaryFile(dir=pathlib.Path.home())\n"
            "pathlib.Path('export.txt').write_text('x')\n"
            "(pathlib.Path(tempfile.mkdtemp()) / 'x').write_text('x')\n"
            "try: open('/nonexistent/none/x', 'w')\nexcept OSError: pass")


def case_what_a_plugin_starts_is_not_the_test_s(w):
    w.write("nosy.py", "import os\ndef pytest_configure(config):\n    os.system('touch seen')\n"
            "def pytest_unconfigure(config):\n    os.system('touch seen')\n")
    w.write("pytest.ini", "[pytest]\naddopts = -p nosy\npythonpath = .\n")
    is_free(w, "pass", env={"PYTHONPATH": str(w.project)})


def case_allowed_side_effects_go_on(w):
    report = is_free(w, "subprocess.run(['touch', 'x'])\n" + CONNECT, "--allow-side-effects",
                     budget=6)
    check(report["stats"]["trials"] > 1, report["stats"])


def case_home_is_the_user_s_where_it_is_no_copy(w):
    """Without a sandbox what is written to HOME is written."""
    body = "(pathlib.Path.home() / 'x').write_text('x')"
    is_free(w, body)
    r, report = diagnose(w, body, "--sandbox", "off", env={"HOME": w.outside})
    check(report["verdict"] == "held-side-effects", r)
    check((w.outside / "x").exists(), r)


if __name__ == "__main__":
    main(globals())
