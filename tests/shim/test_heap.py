"""FD_ADDRESS: where Python's objects lie."""
import glob
import os

from shim_case import Skip, case, main

WHERE = """
import os, sys
class Thing:
    pass
def where(n=8):
    kept = [Thing() for _ in range(n)]
    return [id(t) for t in kept]
"""
WINDOW = WHERE + """
def phase(word): os.environ['PYTEST_CURRENT_TEST'] = f't.py::a ({word})'
"""


def code(b, text, *args, **more):
    """In an empty folder: Python lists the one it stands in, and that is an allocation for each."""
    here = b.dir / "here"
    here.mkdir(exist_ok=True)
    return b.code(text, *args, cwd=here, **more)


def pythons(bench):
    versions = os.path.expanduser("~/.pyenv/versions/3.[0-9]*/bin/python3")
    found = [bench.python, "/usr/bin/python3", *glob.glob(versions)]
    good = [p for p in dict.fromkeys(found) if os.access(p, os.X_OK)]
    return [p for p in good if bench.run(p, "-c", "import sys; sys.exit(sys.version_info < (3, 9))",
                                         shim=False, status=None).returncode == 0]


@case
def one_seed_is_one_layout(b):
    for python in pythons(b):
        text = WHERE + "print(where(), id(Thing))"
        first = code(b, text, python=python, FD_ADDRESS=7, PYTHONHASHSEED=1)
        assert first == code(b, text, python=python, FD_ADDRESS=7, PYTHONHASHSEED=1), python
        assert first != code(b, text, python=python, FD_ADDRESS=8, PYTHONHASHSEED=1), python


@case
def without_the_library_layouts_differ(b):
    text = WHERE + "print(where())"
    got = {code(b, text, shim=False, PYTHONHASHSEED=h, PAD="x" * h * 50) for h in range(6)}
    if len(got) == 1:
        raise Skip("no address space randomization here")


@case
def seeds_reach_every_residue_and_order(b):
    """What a default hash decides: an index by modulo, the order of two objects in a set."""
    text = WHERE + "a, b = Thing(), Thing(); print(hash(a) % 3, [x is a for x in {a, b}][0])"
    got = {code(b, text, FD_ADDRESS=seed) for seed in range(40)}
    assert len(got) == 6, got


@case
def types_of_one_module_are_found_in_every_order(b):
    text = "class A: pass\nclass B: pass\nprint([c.__name__ for c in {A, B}])"
    assert len({code(b, text, FD_ADDRESS=seed) for seed in range(40)}) == 2


@case
def inside_the_window_nothing_earlier_matters(b):
    text = WINDOW + """
junk = [bytes(int(sys.argv[1]) * 7) for _ in range(int(sys.argv[1]))]
{str(i) for i in range(300)}
phase('setup'); more = [Thing() for _ in range(int(sys.argv[1]))]
phase('call'); print(where())
"""
    for python in pythons(b):
        got = {code(b, text, n, python=python, FD_PAGE=b.page(address=5, pytest=1),
                      PYTHONHASHSEED=n, PAD="x" * 13 * n)
               for n in (60, 200, 900)}  # 3.13: the first instances have room to grow
        assert len(got) == 1, (python, got)
    assert got != {code(b, text, 60, python=python, FD_PAGE=b.page(address=6, pytest=1))}


@case
def each_test_has_a_layout_of_its_own(b):
    text = WINDOW + """
phase('setup'); first = where(); phase('teardown')
os.environ['PYTEST_CURRENT_TEST'] = 't.py::b (setup)'
second = where()
print(first[0] % 2**33 == second[0] % 2**33, set(first) & set(second))
"""
    assert code(b, text, FD_PAGE=b.page(address=5, pytest=1)) == "False set()\n"


@case
def threads_forks_and_programs_of_the_test(b):
    """What two threads do at once is no layout's doing: the pools start again in the second."""
    text = WINDOW + """
import subprocess, threading
def second():
    phase('call'); print(where(2))
phase('setup')
t = threading.Thread(target=second); t.start(); t.join()
phase('call'); sys.stdout.flush()
if os.fork() == 0:
    print(where(2)); sys.stdout.flush(); os._exit(0)
os.wait()
subprocess.run([sys.executable, '-S', '-c', 'class T: pass\\nprint(id(T()))'], env={})
"""
    first, same, other = (code(b, text, FD_PAGE=b.page(address=n, pytest=1)) for n in (9, 9, 10))
    assert first.count("\n") == 3 and first == same != other, (first, same, other)


@case
def blocks_of_every_size_come_whole(b):
    text = """
import random
r = random.Random(1); kept = {}; total = 0
for i in range(200000):
    k = r.randrange(3000); n = r.choice((0, 1, 15, 16, 17, 500, 512, 513, 640, 4000, 4096, 5000))
    old = kept.pop(k, None)
    total = (total * 31 + (sum(old[:3]) + len(old) if old else 0)) % 1000003
    kept[k] = bytearray([i % 251]) * n
    if i % 3 == 0:
        kept[k] += b'xyz' * (n % 40)
print(total, sum(map(len, kept.values())), sum(v[-1] for v in kept.values() if v))
"""
    for python in pythons(b):
        want = code(b, text, python=python, shim=False)
        for seed in (1, 2):
            assert code(b, text, python=python, FD_ADDRESS=seed) == want, (python, seed)


@case
def a_limit_on_memory_is_python_s_error(b):
    text = """
import resource
soft = int(open('/proc/self/statm').read().split()[0]) * 4096 + (64 << 20)
resource.setrlimit(resource.RLIMIT_AS, (soft, soft))
try:
    kept = [object() for _ in range(10**9)]
except MemoryError:
    kept = None; print('told')
print(len([object() for _ in range(1000)]))
"""
    assert code(b, text, FD_ADDRESS=3) == "told\n1000\n"


@case
def interpreters_with_locks_of_their_own(b):
    text = """
import threading
try:
    import _interpreters as i
except ImportError:
    import _xxsubinterpreters as i
code = "kept = [[str(n)] for n in range(20000)]; del kept"
def work():
    for _ in range(5):
        one = i.create(); i.run_string(one, code) if hasattr(i, 'run_string') else i.exec(one, code)
        i.destroy(one)
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]; print('ok')
"""
    tried = 0
    for python in pythons(b):
        if b.run(python, "-c", "import sys; sys.exit(sys.version_info < (3, 12))", shim=False,
                 status=None).returncode:
            continue
        tried += 1
        if b.run(python, "-c", text, status=None, shim=False).stdout == "ok\n":
            assert b.out(python, "-c", text, FD_ADDRESS=2, timeout=100) == "ok\n", python
    if not tried:
        raise Skip("no Python 3.12")


@case
def debugging_allocators_keep_their_place(b):
    for how in ("debug", "malloc", "pymalloc"):
        assert code(b, "print(len([[i] for i in range(9999)]))", FD_ADDRESS=2,
                      PYTHONMALLOC=how) == "9999\n"


@case
def programs_without_python_run_as_ever(b):
    assert b.out("/bin/echo", "hello", FD_ADDRESS=4) == "hello\n"
    assert b.out("/bin/sh", "-c", "ls / | wc -l", FD_ADDRESS=4) == \
        b.out("/bin/sh", "-c", "ls / | wc -l", shim=False)


if __name__ == "__main__":
    main()
