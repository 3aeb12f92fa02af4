"""What the tests of flaky-ci share: the script over a project, and what it wrote."""
import json
import os
import pathlib
import subprocess
import sys
import time
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "e2e"), str(HERE.parent / "cli")]
from world import ROOT, Result, check, main, skip  # noqa: E402,F401

GREEN = "import pytest\n\n@pytest.mark.parametrize('n', range(5))\ndef test_green(n): pass\n"
BAD = "def test_total():\n    assert 1 + 1 == 3\n"


def script(w):
    return str(pathlib.Path(w.program).parent / "flaky-ci")


def env(w, **more):
    """As on a developer's machine: no service runs us. `pytest` on PATH is that of w.python."""
    folder = w.folder / "bin"
    folder.mkdir(exist_ok=True)
    pytest = folder / "pytest"
    pytest.write_text(f"#!{w.python}\nimport sys\nimport pytest\nsys.exit(pytest.main())\n")
    pytest.chmod(0o755)
    none = dict.fromkeys(("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE",
                          "CI_PROJECT_DIR", "CI"))
    return w.env(**{"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                    "PYTEST_ADDOPTS": "-p no:cacheprovider",
                    "PATH": f"{folder}:{os.environ['PATH']}", **none, **more})


def start(w, *words, env_=None, cwd=None, shell=(), **how):
    return subprocess.Popen([*shell, script(w), *words], cwd=cwd or w.project,
                            env=env(w, **(env_ or {})), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)


def ci(w, *words, timeout=220, **how):
    began = time.monotonic()
    return w.finish(start(w, *words, **how), began, timeout)


def report(w, name="r.json"):
    return json.loads((w.project / name).read_text(encoding="utf-8"))


def verdicts(w, name="r.json"):
    return {f["nodeid"]: (f["verdict"] or {}).get("category") for f in report(w, name)["failures"]}


def cases(w, name="j.xml"):
    """Of each test the elements in its <testcase>, and the attributes of the suite."""
    suite = xml.etree.ElementTree.parse(w.project / name).getroot().find("testsuite")
    return ({f"{c.get('classname')}::{c.get('name')}": [e.tag for e in c] for c in suite},
            suite.attrib)


def no_report(w, status):
    return f"flaky-repro: pytest ended with status {status} and left no report"
