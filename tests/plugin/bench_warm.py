"""usage: bench_warm.py TRIAL_TOOL LIB PLUGIN PYTHON [RUNS]

What a warm run of an empty test costs, against a bare fork + _exit + waitpid of the same process,
both measured in one run; prints the medians and their ratio (wanted: at most 4)."""
import pathlib
import statistics
import subprocess
import sys
import tempfile

CONFTEST = """
import gc, os, time, pytest
@pytest.hookimpl(tryfirst=True, hookwrapper=True)
def pytest_runtestloop(session):
    gc.collect()
    gc.freeze()
    took = []
    for _ in range(300):
        began = time.perf_counter()
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        took.append(time.perf_counter() - began)
    with open("bare", "w") as f:
        f.write(str(sorted(took)[150] * 1e6))
    yield
"""


def main(tool, lib, plugin, python, runs="400"):
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder)
        (project / "conftest.py").write_text(CONFTEST)
        (project / "test_a.py").write_text("def test_empty():\n    pass\n")
        out = subprocess.run([tool, lib, plugin, python, "warm", runs, "5000", "",
                              "test_a.py::test_empty"], cwd=folder, check=True,
                             stdout=subprocess.PIPE).stdout.decode()
        rows = [line.split("\t") for line in out.splitlines()]
        assert all(row[1:3] == ["warm", "pass"] for row in rows), rows[0]
        bare = float((project / "bare").read_text())
        warm = statistics.median(int(row[8]) for row in rows)
        print(f"warm {warm:.0f} us, bare fork {bare:.0f} us, ratio {warm / bare:.2f}")


main(*sys.argv[1:])
