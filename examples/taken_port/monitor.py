"""What a service says of itself, on a port that operators know by heart."""
import socket
import threading

PORT = 18642


class Monitor:
    def __init__(self, state, port=PORT):
        self.state = state
        self.server = socket.create_server(("127.0.0.1", port))
        self.thread = threading.Thread(target=self.answer)

    def answer(self):
        caller, _ = self.server.accept()
        with caller:
            caller.sendall(self.state.encode())

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *exc):
        self.thread.join()
        self.server.close()
