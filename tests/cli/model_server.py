"""Servers on this machine that speak the forms of three models' interfaces, well and badly.

The first folder of the path says how: http://127.0.0.1:PORT/HOW/v1/messages. What was asked is kept.
"""
import http.server
import json
import pathlib
import ssl
import threading
import time

TLS = pathlib.Path(__file__).resolve().parent.parent / "data" / "triage" / "tls"
VERDICT = {"category": "env", "confidence": "high", "hypothesis": "the database is down",
           "suggested_fix": "start it"}
PATIENCE = 20  # seconds that a slow answer would take


def form(path, verdict):
    """A reply as the interface at that path gives it."""
    if path.endswith("/messages"):
        return {"type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [
            {"type": "text", "text": "I look at it."},
            {"type": "tool_use", "id": "t1", "name": "record_verdict", "input": verdict}]}
    if path.endswith("/oauth"):
        return {"access_token": "granted-1", "expires_at": int((time.time() + 1800) * 1000)}
    if path.startswith("/prose"):
        message = {"content": "```json\n" + json.dumps(verdict) + "\n```"}
    elif "gigachat" in path:
        message = {"content": "", "function_call": {"name": "record_verdict",
                                                    "arguments": verdict}}
    else:
        message = {"content": None, "tool_calls": [{"type": "function", "function": {
            "name": "record_verdict", "arguments": json.dumps(verdict)}}]}
    return {"choices": [{"index": 0, "message": message}]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def send(self, status, body, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.path, dict(self.headers), body))
        how = self.path.split("/")[1]
        if how.endswith("-later") and not self.path.endswith("/oauth"):
            how = how[:-len("-later")]  # the token comes as it should
        try:
            getattr(self, how.replace("-", "_"), self.ok)()
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.close_connection = how != "ok"

    do_GET = do_POST

    def ok(self):
        self.send(200, json.dumps(form(self.path, VERDICT)).encode())

    def denied(self):
        self.send(401, json.dumps({"error": {"message": "bad key api_key=hunter2hunter2 \033[31m"
                                             }}).encode())

    def limited(self):
        self.send(429, b'{"error": "slow down"}', **{"Retry-After": 1})

    def broken(self):
        self.send(500, b"<h1>oops</h1>")

    def slow_headers(self):
        self.server.stop.wait(PATIENCE)

    def slow_body(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        for _ in range(PATIENCE * 10):
            self.wfile.write(b" ")
            self.wfile.flush()
            if self.server.stop.wait(.1):
                return

    def half(self):
        whole = json.dumps(form(self.path, VERDICT)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(whole)))
        self.end_headers()
        self.wfile.write(whole[:len(whole) // 2])

    def flood(self):
        self.send_response(200)
        self.send_header("Content-Length", str(10 << 20))
        self.end_headers()
        for _ in range(160):
            self.wfile.write(b"x" * 65536)

    def moved(self):
        self.send(302, b"", Location=self.path.replace("/moved", "/ok"))

    def wrong(self):
        self.send(200, b'{"hello": ["world"]}')

    def garbage(self):
        self.send(200, b"\xff\xfe{{{ not json")

    def empty(self):
        self.send(200, b"")

    def odd(self):
        self.send(200, json.dumps(form(self.path, {
            "category": "cosmic rays", "confidence": "certain",
            "hypothesis": "\033]0;owned\a\u202ewords " + "z" * 5000})).encode())


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, certificate=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.stop = [], threading.Event()
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(TLS / certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.root = f"http{'s' if certificate else ''}://localhost:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # a client that hangs up is what is tested

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.stop.set()
        self.shutdown()
        self.server_close()
