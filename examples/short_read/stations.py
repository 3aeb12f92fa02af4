"""Stations that report over a socket: two bytes of length, then the text."""
import socket
import struct
import threading


class Station(threading.Thread):
    """Answers one caller, line by line, as it reads them off its instruments."""

    def __init__(self, lines):
        super().__init__(daemon=True)
        self.lines = [line.encode() + b"\n" for line in lines]
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = self.server.getsockname()

    def run(self):
        caller, _ = self.server.accept()
        with caller:
            caller.recv(1)
            caller.sendall(struct.pack("!H", sum(map(len, self.lines))))
            for line in self.lines:
                caller.sendall(line)


def report(address):
    with socket.create_connection(address, timeout=5) as station:
        station.sendall(b"?")
        (size,) = struct.unpack("!H", station.recv(2))
        # As much as has arrived: all of it, most of the time.
        return station.recv(size).decode().splitlines()
