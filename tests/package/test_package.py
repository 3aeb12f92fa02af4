"""What is installed: documents that say all that the program's tables say, and a folder that works
wherever it is put."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent / "e2e"), str(ROOT / "packaging")]
import readme_example  # noqa: E402
from world import check, main, skip  # noqa: E402


def made(w, name):
    """A document in the build tree."""
    return pathlib.Path(w.program).resolve().parents[1] / "packaging" / name


def words_of_help(w):
    """Options, variables, commands and statuses, as the program prints them."""
    text = w.ask("--help").out
    found = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+|(?<![\w-])-[a-zA-Z]\b(?!-)", text))
    found |= set(re.findall(r"FLAKY_REPRO_[A-Z]+", text))
    found |= set(re.findall(r"^  flaky-repro ([a-z]+)", text, re.M))
    return found | set(re.findall(r"^  (\d+) +[a-z]", text, re.M))


def variables():
    rows = re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    check(len(rows) > 4, rows)
    return set(rows)


def case_man_says_all(w):
    page = made(w, "flaky-repro.1").read_text(encoding="utf-8")
    plain = re.sub(r"\\f[BRI]", "", page).replace("\\-", "-").replace("\\e", "\\")
    axes = re.findall(r"^([a-z]+)$", w.ask("axes").out, re.M)
    wanted = words_of_help(w) | variables() | set(axes)
    check(len(wanted) > 40, wanted)
    missing = [x for x in wanted if not re.search(rf"(?<![\w-]){re.escape(x)}(?![\w-])", plain)]
    check(not missing, "not in the man page:", *missing)
    sections = re.findall(r"^\.SH (.*)", page, re.M)
    check(sections == ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "AXES",
                       "ENVIRONMENT", "EXIT STATUS", "FILES", "EXAMPLES", "SEE ALSO"], sections)
    groups = [g.lower() for g in re.findall(r"^\.SS (.*)", page, re.M)]
    for group in ("the result", "the search", "the tests", "general"):
        check(group in groups, group)
    check("@" not in plain.replace("@1709251199", ""), "a section is missing")


def case_man_is_clean(w):
    page = str(made(w, "flaky-repro.1"))
    ways = [way for way in (["man", "--warnings", "-E", "UTF-8", "-l", page],
                            ["mandoc", "-T", "lint", "-W", "warning", page])
            if shutil.which(way[0])]
    if not ways:
        skip("there is neither man nor mandoc here")
    for way in ways:
        done = subprocess.run(way, text=True, capture_output=True)
        check(done.returncode == 0 and not done.stderr, way, done.stdout, done.stderr)


def case_readme_has_the_tables(w):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in ("variables.md", "statuses.md"):
        table = made(w, name).read_text(encoding="utf-8")
        check(table in readme, f"README.md should have this table ({made(w, name)}):", table)


BASH = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_flaky_repro
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(w, *words):
    done = subprocess.run(["bash", "-euc", BASH, "bash", str(made(w, "flaky-repro.bash")), *words],
                          capture_output=True, text=True, cwd=w.project)
    check(done.returncode == 0 and not done.stderr, done.stderr)
    return set(done.stdout.split())


def case_completion_of_bash(w):
    if not shutil.which("bash"):
        skip("there is no bash here")
    options = {x for x in words_of_help(w) if x.startswith("-")}
    offered = completed(w, "flaky-repro", "-") | completed(w, "flaky-repro", "triage", "-")
    offered |= completed(w, "flaky-repro", "ci", "-")
    check(offered == options, offered, options)
    check("--ai-provider" not in completed(w, "flaky-repro", "--"), "a diagnosis asks no model")
    check("--gate" not in completed(w, "flaky-repro", "ci", "--"), "ci has no --gate")
    check(completed(w, "flaky-repro", "triage", "--gate", "f") == {"flaky"}, "--gate")
    check("--json" not in completed(w, "flaky-repro", "env", "--"), "env has no --json")
    w.write("except.py", "")
    check(completed(w, "flaky-repro", "e") == {"env", "except.py"}, completed(w, "flaky-repro", "e"))
    check(completed(w, "flaky-repro", "--color", "a") == {"auto", "always"}, "--color")
    check(completed(w, "flaky-repro", "--axes", "time,r") == {"time,rng"}, "--axes")


def case_completion_of_other_shells(w):
    options = {x for x in words_of_help(w) if x.startswith("--")}
    for shell, name, form in (("zsh", "_flaky-repro", "{}"), ("fish", "flaky-repro.fish", "-l {}")):
        text = made(w, name).read_text(encoding="utf-8")
        for option in options:
            check(form.format(option[2:]) in text, shell, option)
        if shutil.which(shell):
            done = subprocess.run([shell, "-n", str(made(w, name))], capture_output=True, text=True)
            check(done.returncode == 0 and not done.stderr, done.stderr)


def installed(w):
    """An installation below DESTDIR that is then moved as a whole."""
    build = pathlib.Path(w.program).resolve().parents[1]
    destdir = w.folder / "stage"
    done = subprocess.run(["cmake", "--install", str(build), "--prefix", "/opt/fr", "--strip"],
                          env={**os.environ, "DESTDIR": str(destdir)}, capture_output=True, text=True)
    check(done.returncode == 0, done.stdout, done.stderr)
    return (destdir / "opt/fr").rename(w.folder / "moved")


def lib_of(prefix):
    found = list(prefix.rglob("libfd.so"))
    check(len(found) == 1, found)
    return found[0]


def case_an_installation_can_be_moved(w):
    prefix = installed(w)
    there = {str(p.relative_to(prefix)) for p in prefix.rglob("*") if p.is_file()}
    for file in ("bin/flaky-repro", "bin/flaky-ci", "share/man/man1/flaky-repro.1",
                 "share/man/man1/flaky-ci.1",
                 "share/bash-completion/completions/flaky-repro",
                 *(f"share/doc/flaky-repro/{n}" for n in (
                     "README.md", "CHANGELOG.md", "LICENSE", "manual.md", "report.md", "ci.md",
                     "report.schema.json"))):
        check(file in there, f"not installed: {file}", *sorted(there))
    check(not [p for p in prefix.rglob("*") if p.name.endswith(("__pycache__", ".egg-info"))],
          *prefix.rglob("*"))
    w.program = str(prefix / "bin/flaky-repro")
    r = w.ask("env", "--python", w.python)
    check(r.status == 0, r)
    text = re.sub(r"\n {20}", "", r.out)
    for part in (w.program, lib_of(prefix), lib_of(prefix).parent / "flaky-repro"):
        check(f" {w.release()} {part}\n" in text, part, r)
    w.write("test_g.py", "def test_g(): pass\n")
    done = subprocess.run([prefix / "bin/flaky-ci", "--", w.python, "-m", "pytest", "-q", "-p",
                           "no:cacheprovider"], cwd=w.project, env=w.env(), capture_output=True)
    check(done.returncode == 0 and b"1 passed" in done.stdout, done)


def case_the_example_of_the_readme(w):
    """Word for word, where the loader finds libfd.so by its bare name."""
    prefix = installed(w)
    path = f"{pathlib.Path(w.python).parent}:{os.environ['PATH']}"
    env = w.env(LD_LIBRARY_PATH=lib_of(prefix).parent, PATH=path)
    problem = readme_example.run(ROOT / "README.md", w.project, env)
    check(problem is None, problem)


def case_wheel_is_found_by_pytest(w):
    """Installed from a wheel, pytest knows --doctor and the mark without being told of us."""
    have = subprocess.run([w.python, "-c", "import setuptools; print(setuptools.__version__)"],
                          capture_output=True, text=True)
    if have.returncode or int(have.stdout.split(".")[0]) < 61:
        skip("there are no setuptools 61 for " + w.python)
    source, site = w.folder / "source", w.folder / "site"
    for name in ("runner/plugin/flaky_repro", "runner/alias/flakedoctor",
                 "runner/alias/pytest_probability", "runner/alias/pytest_triage"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source)
    site.mkdir()  # what a wheel holds, without the package that zips it
    done = subprocess.run([w.python, "-c", "import setuptools; setuptools.setup()", "build",
                           "--build-lib", site, "egg_info", "--egg-base", site], cwd=source,
                          capture_output=True, text=True, env=w.env())
    check(done.returncode == 0, done.stdout, done.stderr)
    check((site / "flakedoctor" / "__init__.py").exists(), *site.iterdir())
    w.write("test_a.py", "import pytest\n@pytest.mark.flakedoctor_repro('hello')\n"
            "def test_x():\n    assert 0\n")

    def run(*words):
        return subprocess.run([w.python, "-m", "pytest", "--strict-markers", *words], text=True,
                              cwd=w.project, capture_output=True, timeout=120,
                              env=w.env(PYTHONPATH=site, FLAKY_REPRO=w.program,
                                        PYTHONDONTWRITEBYTECODE="1"))
    r = run("test_a.py")
    check(r.returncode == 1 and "is not a repro" in r.stdout, r)
    r = run("test_a.py::test_x", "--doctor", "--doctor-budget=5")
    check(r.returncode in (3, 4) and "test_a.py::test_x" in r.stdout, r)
    check("AssertionError at test_a.py:4" in r.stdout, r)
    w.write("bench_b.py", "from pytest_probability import record_cost\n"
            "def bench_b(): record_cost(0.5)\n")
    r = run("bench_b.py", "--prob-runs=3")
    check(r.returncode == 0 and "3/3" in r.stdout and "$1.5000" in r.stdout, r)
    w.write("test_c.py", "from pytest_triage.context import FailureContext\n"
            "from pytest_triage.providers import BaseTriageClient\n"
            "from pytest_triage.testing import assert_conforms\n"
            "class C(BaseTriageClient):\n    def _request(self, prompt): return '{}'\n"
            "def test_c(): assert_conforms(C())\n")
    r = run("test_c.py")
    check(r.returncode == 0 and "1 passed" in r.stdout, r)
    r = run("-p", "flaky_repro.plugin", "--help")
    check(r.returncode == 0 and "--doctor-repro" in r.stdout and "--ai-triage" in r.stdout, r)


def case_entry_points_are_the_same_everywhere(w):
    """The package for Debian says what the wheel says."""
    wheel = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    deb = (ROOT / "packaging" / "deb" / "dist-info" / "entry_points.txt").read_text()
    rows = re.findall(r'^"?(flak[\w.]+)"? = "?([\w.:]+)"?$', wheel, re.M)
    rows = {row for row in rows if row[0] in ("flakedoctor", "flaky_repro.plugin")
            and not row[1].startswith("runner")}
    check(len(rows) == 2, rows)
    check(set(re.findall(r"^([\w.]+) = ([\w.:]+)$", deb, re.M)) == rows, deb, rows)


if __name__ == "__main__":
    main(globals())
