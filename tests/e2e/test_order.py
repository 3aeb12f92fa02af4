"""The tests before it: what real pytest suites leave behind in a process, and what of it is named."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from world import check, main  # noqa: E402

REGISTRY = "ITEMS = []\nSETTINGS = {'rate': 1}\n"


def innocent(first, last):
    return "".join(f"def test_innocent_{i}():\n    assert {i} >= 0\n\n" for i in range(first, last))


def diagnose(w, target, *args, budget=60):
    r = w.run(target, "--json", str(w.folder / "o.json"), *args, budget=budget)
    check((w.folder / "o.json").exists(), r)
    found = json.loads((w.folder / "o.json").read_text(encoding="utf-8"))
    return r, found


def fails_as_printed(w, command, times=3):
    """In a plain shell; the folder may be dirty from the time before."""
    path = f"{pathlib.Path(w.python).parent}:{os.environ['PATH']}"
    for _ in range(times):
        done = subprocess.run(["sh", "-c", command], cwd=w.project, capture_output=True, text=True,
                              env=w.env(PATH=path))
        check(done.returncode == 1, command, done.stdout, done.stderr)


def is_order(w, r, found, tests, verdict="flaky-order"):
    check(found["verdict"] == verdict, r)
    cause = [c for c in found["cause"] if c["axis"] == "order"][0]
    check(cause["tests"] == tests, cause, r)
    check(found["verify"]["runs"] == found["verify"]["failed"] == 10, found["verify"])
    check(found["counterfactual"]["failed"] == 0, found["counterfactual"])
    fails_as_printed(w, found["repro"]["command"])


def polluted(w, others):
    w.write("shop.py", REGISTRY)
    w.write("test_shop.py", "import shop\n\n" + innocent(0, others // 2) +
            "def test_adds():\n    shop.ITEMS.append(1)\n\n" + innocent(others // 2, others) +
            "def test_is_empty():\n    assert shop.ITEMS == []\n")
    r, found = diagnose(w, "test_shop.py::test_is_empty")
    is_order(w, r, found, ["test_shop.py::test_adds"])
    check(found["claim"] == "latent", found["claim"])
    check(found["repro"]["command"].endswith(
        "pytest test_shop.py::test_adds test_shop.py::test_is_empty"), found["repro"])
    check("fails after   test_shop.py::test_adds" in r.out and "passes        alone" in r.out, r)


def case_fd12_a_polluter_among_four(w):
    polluted(w, 3)


def case_fd12_a_polluter_among_forty(w):  # campaign
    polluted(w, 39)


def case_dtp41_a_setup_that_fails(w):
    """Results are judged test by test; an error of the victim's own fixture is its failure."""
    w.write("shop.py", REGISTRY)
    w.write("test_shop.py", "import pytest, shop\n\n@pytest.fixture\ndef shelf():\n"
            "    assert shop.ITEMS == []\n\ndef test_adds():\n    shop.ITEMS.append(1)\n"
            "    assert 0, 'fails, and that is its own affair'\n\n" + innocent(0, 6) +
            "def test_shelf(shelf):\n    pass\n")
    r, found = diagnose(w, "test_shop.py::test_shelf")
    is_order(w, r, found, ["test_shop.py::test_adds"])
    check(found["failure"]["phase"] == "setup", found["failure"])


def case_a_whole_suite_shows_it(w):  # campaign
    """Named as a file: the victim fails in the user's own run."""
    w.write("shop.py", REGISTRY)
    w.write("test_shop.py", "import shop\n\ndef test_adds():\n    shop.ITEMS.append(1)\n\n"
            "def test_is_empty():\n    assert shop.ITEMS == []\n")
    r = w.run("test_shop.py", "--json", str(w.folder / "o.json"), budget=60)
    found = json.loads((w.folder / "o.json").read_text())["findings"][1]
    is_order(w, r, found, ["test_shop.py::test_adds"])
    check(found["claim"] == "observed", found["claim"])


def case_two_polluters_of_two_classes(w):
    w.write("shop.py", REGISTRY)
    w.write("test_shop.py", "import shop\n\nclass TestA:\n    def test_adds(self):\n"
            "        shop.ITEMS.append(1)\n\n" + innocent(0, 8) +
            "class TestB:\n    def test_doubles(self):\n        shop.SETTINGS['rate'] = 2\n\n" +
            innocent(8, 16) + "def test_total():\n"
            "    assert sum(shop.ITEMS) * (shop.SETTINGS['rate'] - 1) == 0\n")
    r, found = diagnose(w, "test_shop.py::test_total")
    is_order(w, r, found, ["test_shop.py::TestA::test_adds", "test_shop.py::TestB::test_doubles"])


def case_dtp41_fails_alone(w):  # campaign
    """What no order helps is broken, whatever stands before it."""
    w.write("test_shop.py", innocent(0, 5) + "def test_wrong():\n    assert 1 == 2\n")
    r, found = diagnose(w, "test_shop.py::test_wrong", budget=40)
    check(found["verdict"] == "deterministic-failure" and r.status == 4, r)


def case_brittle(w):  # campaign
    w.write("shop.py", REGISTRY)
    w.write("test_shop.py", "import shop\n\ndef test_needs_the_rate():\n"
            "    assert shop.SETTINGS.get('currency') == 'EUR'\n\n" + innocent(0, 6) +
            "def test_start_up():\n    shop.SETTINGS['currency'] = 'EUR'\n")
    r, found = diagnose(w, "test_shop.py::test_needs_the_rate")
    is_order(w, r, found, ["test_shop.py::test_start_up"])
    check(found["claim"] == "observed", r)
    check("fails         alone" in r.out and "passes after  test_shop.py::test_start_up" in r.out, r)


def case_the_second_time(w):  # campaign
    w.write("shop.py", REGISTRY)
    w.write("test_shop.py", "import shop\n\ndef test_adds():\n    shop.ITEMS.append(1)\n"
            "    assert shop.ITEMS == [1]\n")
    r, found = diagnose(w, "test_shop.py::test_adds")
    is_order(w, r, found, ["test_shop.py::test_adds"])


def case_in_another_file(w):
    w.write("conftest.py", "import sys, pathlib\nsys.path.insert(0, str(pathlib.Path(__file__).parent))\n")
    w.write("shop.py", REGISTRY)
    w.write("tests/test_a.py", innocent(0, 5))
    w.write("tests/test_b.py", "import shop\n\ndef test_adds():\n    shop.ITEMS.append(1)\n")
    w.write("tests/test_broken.py", "import there_is_no_such_module\n")
    w.write("tests/test_c.py", "import shop\n\ndef test_is_empty():\n    assert shop.ITEMS == []\n")
    r, found = diagnose(w, "tests/test_c.py::test_is_empty")
    is_order(w, r, found, ["tests/test_b.py::test_adds"])


def case_with_fixtures_of_every_scope(w):  # campaign
    """What a fixture tears down is gone; what a module fixture holds is there for its module."""
    w.write("shop.py", REGISTRY)
    w.write("test_shop.py", "import pytest, shop\n\n@pytest.fixture(scope='module')\ndef stock():\n"
            "    shop.SETTINGS['rate'] = 3\n    yield shop.SETTINGS\n    shop.SETTINGS['rate'] = 1\n\n"
            "@pytest.fixture(scope='session')\ndef folder(tmp_path_factory):\n"
            "    return tmp_path_factory.mktemp('stock')\n\n" + innocent(0, 4) +
            "def test_uses_the_stock(stock, folder):\n    (folder / 'f').write_text('x')\n\n" +
            innocent(4, 9) + "def test_rate(folder):\n    assert shop.SETTINGS['rate'] == 1\n")
    r, found = diagnose(w, "test_shop.py::test_rate")
    is_order(w, r, found, ["test_shop.py::test_uses_the_stock"])


OUTLIVES = {  # what a fixture of its module holds
    "a_thread": """
import queue, socketserver, threading
@pytest.fixture(scope='module')
def shared():
    jobs, done = queue.Queue(), queue.Queue()
    t = threading.Thread(target=lambda: [done.put(2 * n) for n in iter(jobs.get, None)])
    t.start()
    yield lambda n: jobs.put(n) or done.get(timeout=5)
    jobs.put(None)
    t.join(timeout=5)
    assert not t.is_alive()
""",
    "a_folder": """
import pathlib, tempfile
@pytest.fixture(scope='module')
def shared():
    with tempfile.TemporaryDirectory() as folder:
        def twice(n):
            (pathlib.Path(folder) / 'n').write_text(str(2 * n))
            return int((pathlib.Path(folder) / 'n').read_text())
        yield twice
""",
    "a_program": """
import subprocess, sys
@pytest.fixture(scope='module')
def shared():
    p = subprocess.Popen([sys.executable, '-uc', 'while True: print(2 * int(input()))'],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    def twice(n):
        p.stdin.write(f'{n}\\n')
        p.stdin.flush()
        return int(p.stdout.readline())
    yield twice
    p.kill()
    p.wait()
""",
}


def what_outlives_a_test(w, which):
    """It is there for one fork at most: a stable test fails in none, and a polluter is found."""
    w.write("shop.py", REGISTRY)
    w.write("test_shop.py", "import pytest, shop\n" + OUTLIVES[which] +
            "def test_first(shared):\n    assert shared(1) == 2\n\n"
            "def test_second(shared):\n    assert shared(3) == 6\n\n"
            "def test_adds(shared):\n    shop.ITEMS.append(shared(2))\n\n"
            "def test_is_empty(shared):\n    assert shared(0) == 0 and shop.ITEMS == []\n")
    r, found = diagnose(w, "test_shop.py::test_second", "--axes", "order,rng", budget=40)
    check(not found["cause"] and found["verdict"] in ("not-flaky", "incomplete"), r)
    before = [row for row in found["evidence"] if row["label"].startswith("after")]
    check(before and not any(row["failed"] for row in before), before, r)
    r, found = diagnose(w, "test_shop.py::test_is_empty")
    is_order(w, r, found, ["test_shop.py::test_adds"])


def case_a_thread_outlives_a_test(w):
    what_outlives_a_test(w, "a_thread")


def case_a_folder_outlives_a_test(w):  # campaign
    what_outlives_a_test(w, "a_folder")


def case_a_program_outlives_a_test(w):
    what_outlives_a_test(w, "a_program")


def case_innocent_tests_that_crash_or_hang(w):  # campaign
    """Judged by the victim's own phases: that others die or stand still is none of its failure."""
    w.write("test_shop.py", "import os, time\n\ndef test_dies():\n    os._exit(3)\n\n"
            "def test_fails():\n    assert 0\n\n"
            "def test_is_fine():\n    assert True\n")
    r, found = diagnose(w, "test_shop.py::test_is_fine", budget=40)
    check(found["verdict"] == "not-flaky" and not found["cause"], r)


def case_a_polluter_behind_one_that_dies(w):
    """The whole list never gets to the victim; one after the other they do."""
    w.write("shop.py", REGISTRY)
    w.write("test_shop.py", "import os, shop\n\ndef test_dies():\n    os._exit(3)\n\n" +
            innocent(0, 3) + "def test_adds():\n    shop.ITEMS.append(1)\n\n"
            "def test_is_empty():\n    assert shop.ITEMS == []\n")
    r, found = diagnose(w, "test_shop.py::test_is_empty")
    is_order(w, r, found, ["test_shop.py::test_adds"])


def case_together_with_the_hash_seed(w):  # campaign
    w.write("shop.py", "NAMES = {'ada'}\n")
    w.write("test_shop.py", "import shop\n\n" + innocent(0, 3) +
            "def test_second_name():\n    shop.NAMES.add('grace')\n\n"
            "def test_first_name():\n    assert next(iter(shop.NAMES)) == 'ada'\n")
    r, found = diagnose(w, "test_shop.py::test_first_name")
    is_order(w, r, found, ["test_shop.py::test_second_name"], "flaky-hashseed+order")


def case_unittest_classes_and_parameters(w):  # campaign
    w.write("shop.py", REGISTRY)
    w.write("test_shop.py", "import unittest, pytest, shop\n\nclass TestShop(unittest.TestCase):\n"
            "    def test_adds(self):\n        shop.ITEMS.append(1)\n\n"
            "    def test_nothing(self):\n        pass\n\n"
            "@pytest.mark.parametrize('n', ['a b', \"it's\", '$x'])\ndef test_n(n):\n"
            "    assert n == 'a b' or not shop.ITEMS\n")
    r, found = diagnose(w, "test_shop.py::test_n[it's]")
    is_order(w, r, found, ["test_shop.py::TestShop::test_adds"])


def case_a_recorded_order(w):
    """As a run under -n had it: what ran before it there is looked at first, wherever it stands."""
    w.write("conftest.py", "import sys, pathlib\n"
            "sys.path.insert(0, str(pathlib.Path(__file__).parent))\n")
    w.write("shop.py", REGISTRY)
    w.write("a/test_a.py", innocent(0, 3) + "import shop\n\ndef test_adds():\n"
            "    shop.ITEMS.append(1)\n")
    w.write("b/test_b.py", innocent(0, 3) + "import shop\n\ndef test_is_empty():\n"
            "    assert shop.ITEMS == []\n")
    order = w.write("order.txt", "b/test_b.py::test_innocent_1\na/test_a.py::test_adds\n"
                    "a/test_a.py::test_innocent_2\nb/test_b.py::test_is_empty\n")
    r, found = diagnose(w, "b/test_b.py::test_is_empty", "--order-file", str(order))
    is_order(w, r, found, ["a/test_a.py::test_adds"])


def case_from_another_folder(w):  # campaign
    """The command is for where the user stands."""
    w.write("pytest.ini", "[pytest]\n")
    w.write("a/shop.py", REGISTRY)
    w.write("a/test_shop.py", "import shop\n\ndef test_adds():\n    shop.ITEMS.append(1)\n\n"
            "def test_is_empty():\n    assert shop.ITEMS == []\n")
    r = w.run("test_shop.py::test_is_empty", "--json", str(w.folder / "o.json"),
              cwd=w.project / "a", budget=60)
    found = json.loads((w.folder / "o.json").read_text())
    check(found["verdict"] == "flaky-order", r)
    check(found["cause"][0]["tests"] == ["a/test_shop.py::test_adds"], r)
    check(found["repro"]["command"].endswith(
        "pytest test_shop.py::test_adds test_shop.py::test_is_empty"), found["repro"])


if __name__ == "__main__":
    main(globals())
