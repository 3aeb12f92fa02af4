"""What a second copy of a test would use too is counted for `workers`: what changes outside of the
trial's own temporary folder, and fixed ports."""
from shim_case import case, main

BEGIN = """
import os, shutil, signal, socket, subprocess, sys, threading
here, own = sys.argv[1], sys.argv[2]
os.environ['PYTEST_CURRENT_TEST'] = 'a.py::t (setup)'
def free():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]
"""


def touched(b, text, shim=True, name="p"):
    """How often, with the trial's folder beside the one that is shared."""
    folder, trial = b.dir / f"shared{b.pages}", b.dir / f"trial{b.pages}"
    (trial / "t").mkdir(parents=True)
    folder.mkdir()
    page = trial / name
    b.page(pytest=1).rename(page)
    b.run(b.python, "-S", "-c", BEGIN + text, folder, trial / "t", FD_PAGE=page, cwd=b.dir,
          shim=shim)
    return b.counters(page)["touched.workers"]


# Each line is one touch, or three of them.
CHANGES = {
    "open(here + '/a', 'w').close()": 1,
    "open(here + '/b', 'a').close()": 1,
    "os.close(os.open(here + '/c', os.O_CREAT | os.O_RDWR))": 1,
    "os.mkdir(here + '/d')": 1,
    "os.symlink('x', here + '/e')": 1,
    "os.mkfifo(here + '/f')": 1,
    "open(here + '/g', 'w').close(); os.rename(here + '/g', here + '/h'); os.unlink(here + '/h')": 3,
    "open(here + '/i', 'w').close(); os.link(here + '/i', here + '/j')": 2,
    "os.mkdir(here + '/k'); os.rmdir(here + '/k')": 2,
    "os.chdir(here); open('l', 'w').close()": 1,
    "fd = os.open(here, os.O_RDONLY); os.mkdir('m', dir_fd=fd); os.rmdir('m', dir_fd=fd)": 2,
    "s = socket.socket(); s.bind(('127.0.0.1', free()))": 1,
    "s = socket.socket(socket.AF_UNIX); s.bind(here + '/n')": 1,
    "s = socket.socket(socket.AF_UNIX); s.bind(chr(0) + 'o')": 1,
}

# None of these is shared, or changes anything.
REST = [
    "open(own + '/a', 'w').close()",
    "os.chdir(own); open('b', 'w').close(); os.mkdir('c'); os.rmdir('c')",
    "fd = os.open(own, os.O_RDONLY); os.mkdir('d', dir_fd=fd); os.rmdir('d', dir_fd=fd)",
    "os.mkdir(own + '/e'); shutil.rmtree(own + '/e')",
    "open(here + '/../nothing', 'r') if os.path.exists(here + '/../nothing') else os.stat(here)",
    "open('/dev/null', 'w').close()",
    "open('/proc/self/comm', 'w').close()",
    "s = socket.socket(); s.bind(('127.0.0.1', 0))",
    "os.listdir(here)",
]


@case
def changes_outside_are_touches_of_workers(b):
    for text, want in CHANGES.items():
        got = touched(b, text)
        assert got == want, (text, got, want)
        assert touched(b, text, shim=False) == 0, text


@case
def what_is_ones_own_touches_no_workers(b):
    for text in REST:
        got = touched(b, text)
        assert got == 0, (text, got)
    # A copy's page lies deeper; a neighbour's folder is not its own.
    assert touched(b, "os.makedirs(own + '2/x')") > 0


@case
def changes_are_seen_wherever_they_come_from(b):
    write = "open(here + '/w', 'w').close()"
    for text in (f"t = threading.Thread(target=lambda: {write}); t.start(); t.join()",
                 f"pid = os.fork()\nif pid == 0:\n    {write}\n    os._exit(0)\nos.waitpid(pid, 0)",
                 f"signal.signal(signal.SIGUSR1, lambda *a: {write}); os.kill(os.getpid(), 10)",
                 "subprocess.run(['mkdir', here + '/x'], check=True)"):
        assert touched(b, text) == 1, text


@case
def before_the_test_nothing_is_shared(b):
    assert touched(b, "del os.environ['PYTEST_CURRENT_TEST']") == 0
    folder = b.dir / "early"
    folder.mkdir()
    page = b.page(pytest=1)
    b.code("import sys; open(sys.argv[1] + '/a', 'w').close()", folder, FD_PAGE=page)
    assert b.counters(page)["touched.workers"] == 0


if __name__ == "__main__":
    main()
