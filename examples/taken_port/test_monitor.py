import socket

from monitor import PORT, Monitor


def test_the_monitor_answers():
    with Monitor("up"), socket.create_connection(("127.0.0.1", PORT), timeout=5) as caller:
        assert b"".join(iter(lambda: caller.recv(16), b"")) == b"up"
