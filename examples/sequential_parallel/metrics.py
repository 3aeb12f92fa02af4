import socket
import time


def collect():
    """One reading, from an agent that listens on the port it always had."""
    with socket.create_server(("127.0.0.1", 28125)) as agent:
        time.sleep(0.05)  # until the next reading is due
        return agent.getsockname()[1]
