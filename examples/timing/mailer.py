import queue
import threading


class Mailer:
    """Sends messages in the background."""

    def __init__(self, send):
        self.send = send
        self.sent = queue.Queue()

    def post(self, message):
        threading.Thread(target=self._deliver, args=(message,), daemon=True).start()

    def _deliver(self, message):
        self.send(message)
        self.sent.put(message)
