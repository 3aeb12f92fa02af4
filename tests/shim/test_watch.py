"""What a watched run needs of the network: ports, names and sockets that are not its own."""
import time

from namespace import namespace
from shim_case import case, main

OWN = r"""
import asyncio, os, socket, subprocess, sys, tempfile, threading, time
def tcp(family, host):
    s = socket.socket(family, socket.SOCK_STREAM); s.bind((host, 0)); s.listen()
    c = socket.create_connection(s.getsockname()[:2]); c.close(); return s
keep = [tcp(socket.AF_INET, '127.0.0.1'), tcp(socket.AF_INET6, '::1'), tcp(socket.AF_INET, '0.0.0.0')]
unbound = socket.socket(); unbound.listen(); socket.create_connection(('127.0.0.1', unbound.getsockname()[1]))
# a datagram is answered to a port that nobody bound
for family, host in ((socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1')):
    server = socket.socket(family, socket.SOCK_DGRAM); server.bind((host, 0))
    for connected in (False, True):
        client = socket.socket(family, socket.SOCK_DGRAM)
        if connected: client.connect(server.getsockname()); client.send(b'x')
        else: client.sendto(b'x', server.getsockname()[:2])
        _, who = server.recvfrom(9)
        server.sendto(b'y', who); assert client.recv(9) == b'y'
        server.sendmsg([b'y'], [], 0, who); assert client.recv(9) == b'y'
# a server in a program of its own, polled until it is there
port = keep[0].getsockname()[1] ^ 1
serve = f"import socket, time; time.sleep(0.3); s = socket.create_server(('127.0.0.1', {port})); s.accept()"
child = subprocess.Popen([sys.executable, '-S', '-c', serve])
while True:
    try: socket.create_connection(('127.0.0.1', port)); break
    except ConnectionRefusedError: time.sleep(0.02)
child.wait()
async def talk():
    async def echo(r, w): w.close()
    server = await asyncio.start_server(echo, '127.0.0.1', 0)
    r, w = await asyncio.open_connection('127.0.0.1', server.sockets[0].getsockname()[1])
    await r.read(); w.close(); server.close()
asyncio.run(talk())
for name in (tempfile.mkdtemp() + '/s', '\0of the trial', ''):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        l = socket.socket(socket.AF_UNIX, kind); l.bind(name)
        if kind == socket.SOCK_STREAM: l.listen()
        c = socket.socket(socket.AF_UNIX, kind); c.connect(l.getsockname())
        if kind == socket.SOCK_DGRAM: socket.socket(socket.AF_UNIX, kind).sendto(b'x', l.getsockname())
        l.close()
        if name.startswith('/'): os.unlink(name)
socket.socketpair()
s = socket.socket(); assert s.connect_ex(('127.0.0.1', 1))  # nobody there: nothing is needed
s = socket.socket(); s.setblocking(False); s.connect_ex(('127.0.0.1', 1))
socket.getaddrinfo('localhost', 80); socket.getaddrinfo('1.2.3.4', 80); socket.getaddrinfo('db.internal', 80)
"""

# Not preloaded: serves, then starts the watched program, which finds the ports in its arguments.
OTHERS = r"""
import os, socket, subprocess, sys, threading
def bound(family, kind, address):
    s = socket.socket(family, kind); s.bind(address)
    if kind == socket.SOCK_STREAM: s.listen()
    return s
path = sys.argv[3] + '/old'
tcp, tcp6 = bound(socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', 7001)), bound(socket.AF_INET6, socket.SOCK_STREAM, ('::1', 7002))
udp = bound(socket.AF_INET, socket.SOCK_DGRAM, ('127.0.0.1', 7003))
name, old = bound(socket.AF_UNIX, socket.SOCK_STREAM, '\0of others'), bound(socket.AF_UNIX, socket.SOCK_STREAM, path)
dgram = bound(socket.AF_UNIX, socket.SOCK_DGRAM, path + '2')
env = {**os.environ, 'LD_PRELOAD': sys.argv[1], 'FD_PAGE': sys.argv[2]}
subprocess.run([sys.executable, '-S', '-c', sys.argv[4], path], env=env, check=True)
"""


def watched(bench, text, **settings):
    page = bench.page(watch=1, newer=time.time_ns() - 2 * 10**9, **settings)
    namespace(bench, bench.python, "-c", text, FD_PAGE=page)
    return bench.counters(page)


def beside_others(bench, text, newer=None, **settings):
    page = bench.page(watch=1, newer=newer or time.time_ns() + 60 * 10**9, **settings)
    folder = bench.dir / f"others{bench.pages}"
    folder.mkdir()
    namespace(bench, bench.python, "-c", OTHERS, bench.lib, page, folder, "import socket, sys\n" + text, shim=False)
    return bench.counters(page)["needs"]


@case
def what_the_trial_serves_itself_is_no_need(b):
    got = watched(b, OWN)
    assert got["needs"] == {}, got["needs"]
    assert len(got["ports"]) >= 9 and got["names"] >= 2, got
    assert got["touched.network"] > 0, got  # streams within this machine come in pieces, too


@case
def ports_of_others(b):
    connect = "socket.create_connection(('{}', {})).close()"
    assert beside_others(b, connect.format("127.0.0.1", 7001)) == {"loopback": "127.0.0.1:7001"}
    assert beside_others(b, connect.format("localhost", 7001)) == {"loopback": "127.0.0.1:7001"}
    assert beside_others(b, connect.format("::1", 7002)) == {"loopback": "[::1]:7002"}
    assert beside_others(b, connect.format("0.0.0.0", 7001)) == {"loopback": "0.0.0.0:7001"}
    later = "s = socket.socket(); s.setblocking(False); s.connect_ex(('127.0.0.1', 7001))"
    assert beside_others(b, later) == {"loopback": "127.0.0.1:7001"}
    for send in ("s.sendto(b'x', ('127.0.0.1', 7003))", "s.sendmsg([b'x'], [], 0, ('127.0.0.1', 7003))",
                 "s.connect(('127.0.0.1', 7003))"):
        made = "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
        assert beside_others(b, made + send) == {"loopback": "127.0.0.1:7003"}, send
    two = connect.format("127.0.0.1", 7001) + "\n" + connect.format("::1", 7002)
    assert beside_others(b, two) == {"loopback": "127.0.0.1:7001"}  # the first is kept


@case
def sockets_of_others(b):
    stream, dgram = "s = socket.socket(socket.AF_UNIX); ", "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); "
    assert beside_others(b, stream + "s.connect('\\0of others')") == {"abstract": "@of others"}
    assert beside_others(b, stream + "s.connect_ex('\\0of nobody')") == {}
    got = beside_others(b, stream + "s.connect(sys.argv[1])")
    assert list(got) == ["socket"] and got["socket"].endswith("/old"), got
    got = beside_others(b, dgram + "s.sendto(b'x', sys.argv[1] + '2')")
    assert list(got) == ["socket"] and got["socket"].endswith("/old2"), got
    assert beside_others(b, stream + "s.connect(sys.argv[1])", newer=time.time_ns() - 10 * 10**9) == {}
    assert beside_others(b, stream + "s.connect_ex('/nowhere')") == {}


@case
def the_outside_is_a_need(b):
    for text, want in (("s = socket.socket(); s.setblocking(False); s.connect_ex(('10.1.2.3', 443))", "10.1.2.3:443"),
                       ("socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).connect(('fd99::1', 53))", "[fd99::1]:53"),
                       ("socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('10.9.9.1', 53))", "10.9.9.1:53"),
                       ("socket.getaddrinfo('example.com', 80)", "example.com"),
                       ("socket.gethostbyname('www.example.com')", "www.example.com"),
                       ("socket.gethostbyaddr('8.8.8.8')", "8.8.8.8")):
        for held in ({}, {"network": "block"}):
            got = watched(b, "import socket\ntry: " + text + "\nexcept OSError: pass", **held)
            assert got["needs"] == {"outside": want}, (text, held, got["needs"])


@case
def only_a_watched_page_takes_notes(b):
    text = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())"
    page = b.page()
    namespace(b, b.python, "-c", text, FD_PAGE=page)
    got = b.counters(page)
    assert (got["needs"], got["ports"], got["names"]) == ({}, set(), 0), got
    namespace(b, b.python, "-c", text, FD_NET="open")
    assert watched(b, text)["ports"]


if __name__ == "__main__":
    main()
