"""One question to a program, whose answer may be late, endless, no answer, or never come."""
import contextlib
import json
import os
import select
import selectors
import signal
import subprocess
import time

MOST = 64 << 20  # bytes of an answer: a report of many failures
GRACE = 1.0  # seconds to end what it started, before it is killed


class Silent(Exception):
    """There is no answer; the text says why."""


def ask(words, fields, cwd, env, seconds, stopping=0.0):
    """The first line of what the program says, which must be an object. `stopping`: how long one
    that is told to stop may take to say what it knows."""
    path = words[0]
    try:
        # Of its own session: what the terminal sends is for pytest, and all of it can be ended.
        child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, cwd=cwd, env=env,
                                 start_new_session=True)
    except OSError as why:
        raise Silent(f"{path} does not start: {why.strerror}") from None
    line = None
    try:
        line = exchange(child, pieces(fields), time.monotonic() + seconds, stopping)
        answer = json.loads(line.decode("utf-8", "replace"))
    except TimeoutError:
        raise Silent(f"{path} gave no answer within {seconds:.0f} s") from None
    except (ValueError, RecursionError):
        answer = None
    finally:
        status = end(child, GRACE if line else 0)
    if not isinstance(answer, dict):
        raise Silent(f"{path} gave no answer" + (f" (exit status {status})" if status else ""))
    return answer


def pieces(fields):
    """The question, a long list of it bit by bit: all of it at once would be there twice."""
    between = "{"
    for name, value in fields.items():
        yield f"{between}{json.dumps(name)}: "
        between = ", "
        if isinstance(value, list):
            yield "["
            for i, item in enumerate(value):
                yield (", " if i else "") + json.dumps(item)
            yield "]"
        else:
            yield json.dumps(value)
    yield "}\n"


def exchange(child, said, deadline, stopping):
    rest, heard = b"", bytearray()
    with selectors.DefaultSelector() as ready:
        for pipe, event in ((child.stdin, selectors.EVENT_WRITE),
                            (child.stdout, selectors.EVENT_READ)):
            os.set_blocking(pipe.fileno(), False)
            ready.register(pipe, event)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            try:
                pipes = {key.fileobj for key, _ in ready.select(left)}
            except KeyboardInterrupt:
                if not stopping or rest is not None:  # it is still listening
                    raise
                child.send_signal(signal.SIGINT)  # it alone: what it runs, it ends
                deadline, stopping = min(deadline, time.monotonic() + stopping), 0.0
                continue
            if child.stdin in pipes:
                rest = write(child.stdin, rest or gathered(said))
                if rest is None:
                    ready.unregister(child.stdin)
                    child.stdin.close()
            if child.stdout in pipes and hear(child.stdout, heard):
                return bytes(heard)


def hear(pipe, heard):
    """Whether that was all: a line, the end of all, or too much."""
    data = os.read(pipe.fileno(), 1 << 16)
    line, end_of_line, _ = data.partition(b"\n")
    heard += line
    return bool(end_of_line or not data or len(heard) > MOST)


def gathered(said):
    """As much as a pipe holds, or what there is: b"" at the end."""
    some, size = [], 0
    for piece in said:
        some.append(piece.encode())
        size += len(some[-1])
        if size >= 1 << 16:
            break
    return memoryview(b"".join(some))


def write(pipe, said):
    """What is left of it; None if that was all, or nobody listens any more."""
    try:
        return said[os.write(pipe.fileno(), said):] if said else None
    except BlockingIOError:
        return said
    except OSError:
        return None


def wait(child, seconds):
    """As child.wait(), which looks now and then; this is told, and a green run is shorter."""
    try:
        watch = os.pidfd_open(child.pid)
    except (AttributeError, OSError):  # an older Linux
        return child.wait(seconds)
    try:
        ready = select.poll()
        ready.register(watch, select.POLLIN)
        if not ready.poll(seconds * 1e3):
            raise subprocess.TimeoutExpired(child.args, seconds)
    finally:
        os.close(watch)
    return child.wait()


def end(child, grace):
    """Its status; whatever it started is gone, too. One that has answered may end by itself."""
    for pipe in (child.stdin, child.stdout):
        with contextlib.suppress(OSError):
            pipe.close()
    for patience, sign in ((grace, signal.SIGTERM), (GRACE, signal.SIGKILL)):
        try:
            status = wait(child, patience)
            break
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                os.killpg(child.pid, sign)
    else:
        status = child.wait()
    with contextlib.suppress(OSError):
        os.killpg(child.pid, signal.SIGKILL)  # what it left behind
    return status
