"""When Python's cyclic collector runs: never, or at given places, from the window's opening on."""
import glob
import os

from shim_case import case, main

# A cycle made in the window; what is left of it after some allocations. The first line is what
# pytest does when a test begins.
LIFE = """
import gc, os, sys, weakref
%s
class Node: pass
old = Node(); old.self = old; was = weakref.ref(old); del old
os.environ['PYTEST_CURRENT_TEST'] = 'test_a.py::test_b (setup)'
node = Node(); node.self = node; seen = weakref.ref(node, lambda ref: dead.append(n))
dead, kept = [], []
for n in range(%d):
    if n == 40: del node
    kept.append([n])
print(dead[0] if dead else 'never', gc.isenabled())
"""


def died(b, value, before="", length=3000, python=None):
    """After how many allocations; the cycle is let go at the fortieth."""
    page = b.page(pytest=1, **({"gc": value} if value else {}))
    return b.code(LIFE % (before, length), FD_PAGE=page, python=python).split()


@case
def the_collector_runs_where_it_is_told_to(b):
    assert died(b, "off") == ["never", "False"]
    when, enabled = died(b, "every:1")
    assert int(when) <= 60 and enabled == "True", when
    assert 40 < int(died(b, "every:200")[0]) <= 450, died(b, "every:200")
    assert died(b, None)[1] == "True"


@case
def a_seed_draws_the_places(b):
    seen = {seed: died(b, f"seed:{seed}")[0] for seed in range(8)}
    assert len(set(seen.values())) > 3, seen
    assert all(died(b, f"seed:{seed}")[0] == seen[seed] for seed in (1, 5)), "the same seed, the same place"


@case
def an_old_generation_is_no_hiding_place(b):
    """Garbage that grew old while it was in use goes as well; by itself Python leaves it there."""
    before = "big = [[n] for n in range(50000)]; gc.collect(); gc.set_threshold(5, 2, 2)"
    old = LIFE.replace("if n == 40", "if n == 2000")
    page = b.page(pytest=1, gc="every:1")
    assert int(b.code(old % (before, 3000), FD_PAGE=page).split()[0]) <= 2100
    assert b.code(old % (before, 3000), shim=False).split()[0] == "never", "the negative twin"


@case
def many_objects_are_not_looked_at_again_and_again(b):
    """Each a full look at all of them would take minutes."""
    text = "import time; began = time.monotonic()" + LIFE + "print(time.monotonic() - began)"
    took = float(b.code(text % ("", 1000000), FD_PAGE=b.page(pytest=1, gc="every:1")).split()[2])
    assert took < 20, took


@case
def a_program_that_collects_or_switches_off_is_obeyed(b):
    text = LIFE.replace("dead, kept =", "gc.disable(); dead, kept =")
    assert b.code(text % ("", 3000), FD_PAGE=b.page(pytest=1, gc="every:1")).split() == ["never", "False"]
    text = LIFE.replace("kept.append([n])", "gc.collect(); kept.append([n])")
    assert b.code(text % ("", 60), FD_PAGE=b.page(pytest=1, gc="off")).split() == ["40", "False"]


@case
def it_is_the_same_in_a_forked_child_with_a_frozen_past(b):
    """As a warm process forks its children."""
    fork = ("page = sys.argv[1]\nkeep = [[i] for i in range(50000)]\ngc.collect(); gc.freeze()\n"
            "if os.fork(): os._exit(os.wait()[1])\nos.putenv('FD_CTL', 'attach:' + page)")
    for value in ("off", "every:1", "seed:3"):
        page = b.page(pytest=1, gc=value)
        child = b.code(LIFE % (fork, 3000), page, FD_PAGE=b.page(pytest=1)).split()
        assert child == died(b, value), (value, child)


@case
def by_hand_and_beside_other_windows(b):
    text = LIFE + "\nfor n in range(3): os.environ['PYTEST_CURRENT_TEST'] = f'test_a.py::test_{n} (setup)'\n" \
                  "print(len(gc.callbacks))"
    got = b.code(text % ("sys.argv[0] = 'pytest'", 3000), "pytest", FD_GC="every:1").split("\n")
    assert int(got[0].split()[0]) <= 60 and got[1] == "1", got
    wrong = b.run(b.python, "-c", "0", FD_GC="every:0", status=125)
    assert "FD_GC=every:0 is not a way to collect" in wrong.stderr, wrong.stderr


@case
def in_every_python_that_is_here(b):
    for python in sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3"))):
        assert died(b, "off", python=python) == ["never", "False"], python
        when = died(b, "every:1", python=python)[0]
        assert when != "never" and int(when) <= 500, (python, when)


if __name__ == "__main__":
    main()
