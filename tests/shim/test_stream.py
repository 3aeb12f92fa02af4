"""Streams: in which pieces they come in, how late, whether they go on; ports that are taken. A
probe does it in each place a program may: a thread, a child, after exec, in a signal handler; and
without the library for comparison."""
import os
import subprocess

from shim_case import Skip, case, main

WHERE = ("main", "thread", "fork", "exec", "signal")


def probe(b, *argv, **more):
    return b.out(b.probe("probe_stream"), *argv, **more).splitlines()


def pieces(b, *argv, **more):
    """{(way, kind): sizes}; way 4 receives with MSG_WAITALL."""
    rows = [line.split(":") for line in probe(b, "pieces", *argv, **more)]
    return {tuple(k.split()): [int(n) for n in v.split()] for k, v in rows}


@case
def streams_come_whole_if_nothing_is_held(b):
    for env in ({}, {"FD_RNG": 1}, {"FD_NET": "open"}, {"FD_NET": "whole"}, {"FD_NET": "block"},
                {"FD_PAGE": b.page()}, {"FD_PAGE": b.page(watch=1)}):
        got = pieces(b, **env)
        assert len(got) == 20 and all(v == [8] for v in got.values()), (env, got)
    assert all(v == [8] for v in pieces(b, shim=False, FD_NET="chunk:1").values())


@case
def a_chunk_is_the_most_that_a_receive_returns(b):
    for where in WHERE:
        for env in ({"FD_NET": "chunk:3"}, {"FD_SETTING": "network=chunk:3"},
                    {"FD_PAGE": b.page(network="chunk:3")}):
            for (way, kind), sizes in pieces(b, where, **env).items():
                want = [8] if way == "4" else [3, 3, 2]  # MSG_WAITALL promises all of it
                assert sizes == want, (where, env, way, kind, sizes)


@case
def a_segment_is_what_one_send_wrote(b):
    for where in WHERE:
        for env in ({"FD_NET": "segment"}, {"FD_PAGE": b.page(network="segment")}):
            for (way, kind), sizes in pieces(b, where, **env).items():
                if way != "4" and kind in ("pair", "unix") and sizes == [8]:
                    raise Skip("the kernel does not say which AF_UNIX sockets belong together")
                want = [8] if way == "4" else [3, 5]
                assert sizes == want, (where, env, way, kind, sizes)


FAR = """
import os, socket, sys
a, b = socket.socketpair()
if os.fork() == 0:
    for i in range(100):
        a.sendall(b'x' * (1 + i % 7))
    a.close()
    os._exit(0)
a.close()
os.wait()
sizes = []
while data := b.recv(1000):
    sizes.append(len(data))
print(*sizes)
"""


@case
def segments_cross_processes_and_are_glued_only_when_many_wait(b):
    got = [int(n) for n in b.code(FAR, FD_PAGE=b.page(network="segment")).split()]
    want = [1 + i % 7 for i in range(100)]
    if len(got) < 3:
        raise Skip("the kernel does not say which AF_UNIX sockets belong together")
    assert sum(got) == sum(want) and got[:63] == want[:63], got


@case
def a_reset_comes_after_the_first_receive(b):
    for where in WHERE:
        page = b.page(network="reset")
        assert probe(b, "second", where, FD_PAGE=page) == [
            "first 2", "second -1 Connection reset by peer", "again 2"], where
        found = b.counters(page)
        assert found["injected"] == 1 and found["injected_errno"] == 104, found
    assert probe(b, "second", shim=False, FD_NET="reset") == ["first 2", "second 1 ", "again 2"]


@case
def an_answer_is_late_once_a_turn(b):
    for where in WHERE:
        took = int(probe(b, "late", where, FD_NET="delay:300ms")[0])
        assert 600 <= took < 5000, (where, took)
    assert int(probe(b, "late", shim=False, FD_NET="delay:300ms")[0]) < 600


@case
def a_busy_port_is_taken_and_no_other(b):
    free, taken = ["0 ", "any 0"] * 2, ["-1 Address already in use", "any 0"] * 2
    for where in WHERE:
        page = b.page(network="busy:18471")
        for env in ({"FD_NET": "busy:18471"}, {"FD_PAGE": page}):
            assert probe(b, "bind", 18471, where, **env) == taken, (where, env)
        assert b.counters(page)["injected_errno"] == 98
        assert probe(b, "bind", 18472, where, FD_NET="busy:18471") == free, where
    assert probe(b, "bind", 18471, shim=False, FD_NET="busy:18471") == free


@case
def a_watched_run_tells_fixed_ports_from_others(b):
    page = b.page(watch=1)
    probe(b, "bind", 18473, FD_PAGE=page)
    assert b.counters(page)["fixed"] == {18473}
    probe(b, "pieces", FD_PAGE=page)
    found = b.counters(page)
    assert found["fixed"] == {18473} and found["deeds"] & 1, found
    other = b.page(watch=1)
    b.code("print(1)", FD_PAGE=other)
    assert not b.counters(other)["deeds"] & 1


LATER = """
import os, socket
a, b = socket.socketpair()
def talk(when):
    a.sendall(b'abc'); a.sendall(b'def')
    print(when, len(b.recv(100)))
talk('before')
os.environ['PYTEST_CURRENT_TEST'] = 'test_a.py::test_b (setup)'
b.setblocking(True)
talk('inside')
"""


@case
def pieces_come_inside_the_window_alone(b):
    got = b.code(LATER, FD_PAGE=b.page(network="chunk:2", pytest=1)).split("\n")
    assert got[:2] == ["before 6", "inside 2"], got


LIBRARIES = """
import asyncio, http.server, multiprocessing, threading, urllib.request
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Length', '5000')
        self.end_headers()
        self.wfile.write(b'x' * 5000)
    def log_message(self, *a):
        pass
def child(pipe):
    pipe.send(list(range(2000)))
if __name__ == '__main__':
    server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    assert len(opener.open(f'http://127.0.0.1:{server.server_port}/').read()) == 5000
    server.shutdown()
    here, there = multiprocessing.Pipe()
    p = multiprocessing.get_context('fork').Process(target=child, args=(there,))
    p.start()
    assert here.recv() == list(range(2000))
    p.join()
    async def work():
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(None, sum, (1, 2)) for _ in range(20)))
        server = await asyncio.start_server(answer, '127.0.0.1', 0)
        r, w = await asyncio.open_connection(*server.sockets[0].getsockname())
        w.write(b'hello\\n')
        assert await r.readexactly(3000) == b'y' * 3000
        w.close()
        server.close()
    async def answer(r, w):
        assert await r.readline() == b'hello\\n'
        w.write(b'y' * 3000)
        w.close()
    asyncio.run(work())
    print('ok')
"""


@case
def correct_readers_notice_nothing(b):
    for value in ("chunk:1", "chunk:20", "segment", "whole", "delay:20ms"):
        assert b.code(LIBRARIES, FD_NET=value, timeout=60) == "ok\n", value


NAMES = """
import socket
def ask(f, *a):
    try:
        f(*a)
        return 'found'
    except socket.gaierror as e:
        return {socket.EAI_AGAIN: 'again', socket.EAI_NONAME: 'none'}.get(e.errno, e.errno)
    except socket.herror as e:
        return {1: 'none', 2: 'again'}.get(e.errno, e.errno)
print(ask(socket.getaddrinfo, 'localhost', 80), ask(socket.gethostbyname_ex, 'localhost'),
      ask(socket.getaddrinfo, 'fd-test.invalid', 80), ask(socket.gethostbyname_ex, 'fd-test.invalid'),
      ask(socket.gethostbyaddr, '192.0.2.1'), ask(socket.getaddrinfo, socket.gethostname(), 80))
"""


@case
def names_are_unknown_and_this_machine_knows_itself_unless_told_not_to(b):
    own = b.code(NAMES, FD_NET="block").split()[-1]
    assert b.code(NAMES, FD_NET="nxdomain").split() == ["found"] * 2 + ["none"] * 3 + [
        own if own == "found" else "none"]
    page = b.page(network="nohost")
    assert b.code(NAMES, FD_PAGE=page).split() == ["found"] * 2 + ["none"] * 4
    assert b.counters(page)["injected"] >= 4
    page = b.page(watch=1, network="block")
    b.code(NAMES, FD_PAGE=page)
    assert b.counters(page)["deeds"] & 2


REFUSED = """
import socket, threading
def ask(where):
    s = socket.socket()
    s.settimeout(5)
    try:
        s.connect(where)
        return 'in'
    except OSError as e:
        return type(e).__name__
server = socket.create_server(('127.0.0.1', 0))
print(ask(('192.0.2.1', 80)), ask(server.getsockname()))
"""


@case
def other_machines_refuse_and_this_one_does_not(b):
    page = b.page(network="refuse")
    for env in ({"FD_NET": "refuse"}, {"FD_PAGE": page}):
        assert b.code(REFUSED, **env).split() == ["ConnectionRefusedError", "in"]
    assert b.counters(page)["injected_errno"] == 111


@case
def errors_of_the_kernel_stay(b):
    """A closed descriptor, a file, a datagram: nothing of ours."""
    text = ("import os, socket\n"
            "a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
            "a.send(b'abcdef'); print(len(b.recv(100)))\n"
            "r, w = os.pipe(); os.write(w, b'abcdef'); print(len(os.read(r, 100)))\n"
            "c, d = socket.socketpair(); d.setblocking(False)\n"
            "try: d.recv(5)\n"
            "except BlockingIOError: print('again')\n"
            "d.setblocking(True); c.close(); print(d.recv(5))\n"
            "try: os.read(99, 5)\n"
            "except OSError as e: print(e.errno)\n")
    for value in ("chunk:2", "segment", "whole", "reset", "delay:1ms"):
        assert b.code(text, FD_NET=value) == "6\n6\nagain\nb''\n9\n", value


if __name__ == "__main__":
    main()
