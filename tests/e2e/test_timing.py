"""Tests that a slow or stuttering machine breaks are found, and those it does not are left alone."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from world import check, main  # noqa: E402

HEAD = "import asyncio, queue, selectors, socket, subprocess, sys, threading, time\n" \
       "from concurrent.futures import ThreadPoolExecutor\n"


def diagnosed(w, body, budget=100):
    w.write("test_t.py", HEAD + body)
    r = w.run("test_t.py", "--axes", "timing", "--json", str(w.folder / "o.json"), budget=budget,
              timeout=220)
    check((w.folder / "o.json").exists(), r)
    return r, json.loads((w.folder / "o.json").read_text(encoding="utf-8"))


def found(w, body, exception, values, line=None):
    """The finding names timing, one of the values, and a line; the command fails as it says."""
    r, f = diagnosed(w, body)
    check(f["verdict"] == "flaky-timing" and f["strength"] == "always", r)
    (cause,) = f["cause"]
    check(any(cause["value"].startswith(v) for v in values), cause, r)
    check(cause["benign"] in ("real", "speed:x0.2", "speed:x0.1"), cause)
    check(f["failure"]["exception"] == exception, f["failure"], r)
    lines = {(s["file"], s["line"]) for s in cause["witness"]}
    check(("test_t.py", line) in lines if line else lines, sorted(lines), line, r)
    check("machine with" in " ".join(r.out.split()), r)
    command = f["repro"]["command"]
    for _ in range(3):
        done = subprocess.run(["sh", "-c", command], cwd=w.project, capture_output=True,
                              env=w.env(PYTHONDONTWRITEBYTECODE=1))
        check(done.returncode == 1 and exception.encode() in done.stdout, command, done.stdout,
              done.stderr)


def left_alone(w, body):
    r, f = diagnosed(w, body)
    check(f["verdict"] == "not-flaky" and not f["cause"] and r.status == 0, r)
    return r, f


def case_fixed_sleep_instead_of_readiness(w):  # campaign
    found(w, """
def test_t():
    done = []
    threading.Thread(target=lambda: done.append(1)).start()
    time.sleep(0.05)
    assert done
""", "AssertionError", ["delay:thread"], 6)


def case_order_of_threads(w):
    found(w, """
def test_t():
    order = []
    def work(name, seconds):
        time.sleep(seconds)
        order.append(name)
    threads = [threading.Thread(target=work, args=a) for a in (("a", 0.01), ("b", 0.06))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert order == ["a", "b"]
""", "AssertionError", ["delay:thread1:", "delay:"])


def case_elapsed_below(w):  # campaign
    found(w, """
def test_t():
    began = time.perf_counter()
    time.sleep(0.05)
    assert time.perf_counter() - began < 0.1
""", "AssertionError", ["delay:wakes:"], 5)


def case_work_below(w):  # campaign
    """Not a wait but work: 40 ms of it may take 0.2 s at most."""
    found(w, """
def test_t():
    began, n = time.monotonic(), time.process_time()
    while time.process_time() - n < 0.04:
        pass
    assert time.monotonic() - began < 0.3
""", "AssertionError", ["speed:x"], 8)


def case_elapsed_above_zero(w):
    found(w, """
def test_t():
    began = time.monotonic()
    sum(range(10))
    assert time.monotonic() - began > 0
""", "AssertionError", ["coarse:16ms"], 7)


def case_event_wait(w):  # campaign
    found(w, """
def test_t():
    e = threading.Event()
    threading.Thread(target=e.set).start()
    assert e.wait(timeout=0.05)
""", "AssertionError", ["delay:threads:"], 7)


def case_future_result(w):  # campaign
    found(w, """
def test_t():
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: 1).result(timeout=0.05) == 1
""", "TimeoutError", ["delay:threads:"], 6)


def case_wait_for_thread(w):  # campaign
    found(w, """
def test_t():
    async def main():
        return await asyncio.wait_for(asyncio.to_thread(lambda: 1), 0.05)
    assert asyncio.run(main()) == 1
""", "TimeoutError", ["delay:threads:"])


def case_event_loop_lag(w):  # campaign
    found(w, """
def test_t():
    async def main():
        seen = []
        async def deliver():
            for _ in range(3):
                await asyncio.sleep(0.01)
            seen.append(1)
        task = asyncio.ensure_future(deliver())
        await asyncio.sleep(0.08)
        return seen
    assert asyncio.run(main()) == [1]
""", "AssertionError", ["delay:loop:", "delay:wakes:", "speed:x"])


def case_socket_timeout(w):  # campaign
    found(w, """
def test_t():
    a, b = socket.socketpair()
    a.settimeout(0.05)
    threading.Thread(target=lambda: b.sendall(b"x")).start()
    assert a.recv(1) == b"x"
""", "TimeoutError", ["delay:threads:"], 8)


def case_selectors(w):  # campaign
    found(w, """
def test_t():
    a, b = socket.socketpair()
    with selectors.DefaultSelector() as s:
        s.register(a, selectors.EVENT_READ)
        threading.Thread(target=lambda: b.sendall(b"x")).start()
        assert s.select(0.05)
""", "AssertionError", ["delay:threads:"], 9)


def case_subprocess_timeout(w):  # campaign
    found(w, """
def test_t():
    subprocess.run([sys.executable, "-S", "-c", "n = 0\\nwhile n < 4 * 10**5: n += 1"], timeout=0.5)
""", "TimeoutExpired", ["speed:x"], 5)


def case_generous_timeout(w):
    left_alone(w, """
def test_t():
    q = queue.Queue()
    threading.Thread(target=lambda: q.put(1)).start()
    assert q.get(timeout=5) == 1
""")


def case_generous_loop(w):  # campaign
    """Many turns of an event loop, each late: still far from its limit."""
    left_alone(w, """
def test_t():
    async def main():
        for _ in range(300):
            await asyncio.sleep(0)
        return await asyncio.wait_for(asyncio.to_thread(lambda: 1), 5)
    assert asyncio.run(main()) == 1
""")


def case_only_sleeps(w):  # campaign
    left_alone(w, "def test_t():\n    time.sleep(0.03)\n")


def case_measures_and_asserts_nothing(w):  # campaign
    left_alone(w, """
def test_t():
    began = time.monotonic()
    sum(range(10000))
    print(time.monotonic() - began)
""")


def case_lax_bound(w):  # campaign
    """Only a machine a hundred times as slow would break it."""
    left_alone(w, """
def test_t():
    began = time.monotonic()
    sum(range(1000))
    assert time.monotonic() - began < 2
""")


def case_no_time_at_all(w):  # campaign
    _, f = left_alone(w, "def test_t():\n    assert sorted([3, 1, 2]) == [1, 2, 3]\n")
    check([s["axis"] for s in f["axes_skipped"] if s["axis"] == "timing"], f["axes_skipped"])


def case_asked_by_hand(w):
    """The variables, and a value that is none."""
    w.write("test_t.py", HEAD + "def test_t():\n    time.sleep(1)\n")
    for words, status in (("FD_SPEED=x20", 0), ("FD_SPEED=20", 125), ("FD_DELAY=late", 125)):
        done = subprocess.run(["sh", "-c", f"{words} LD_PRELOAD={w.lib} {w.python} -m pytest -q"],
                              cwd=w.project, capture_output=True, env=w.env())
        check(done.returncode == status, words, done.stdout, done.stderr)


if __name__ == "__main__":
    main(globals())
