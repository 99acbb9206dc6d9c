"""Servers for tests: loomlog of this tree in a temporary folder, and one whose replies fail as a script says."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

root = Path(__file__).resolve().parents[2]
_command_line = str(root / "packages/cli/main.ts")


def node() -> str:
    """Node as `npm ci` installs it, since that of the system may be too old."""
    found = shutil.which("node", path=str(root / "node_modules/.bin")) or shutil.which("node")
    if found is None:
        raise RuntimeError("there is no node: run npm ci in the root of the repository")
    return found


def loomlog(folder: Path, *arguments: str) -> str:
    """The output of a command."""
    done = subprocess.run([node(), _command_line, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


@contextmanager
def server_in(folder: Path, *, port: int = 0) -> Iterator[str]:
    """The URL of a server until the block ends."""
    arguments = [node(), _command_line, "up", "--port", str(port), "--json"]
    with (folder / "stderr.txt").open("a") as errors:
        process = subprocess.Popen(arguments, cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line, (folder / "stderr.txt").read_text()
        yield json.loads(line)["url"]
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@dataclass(frozen=True)
class SentRequest:
    method: str
    path: str
    headers: Mapping[str, str]
    body: str
    at: float


Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class ScriptedServer:
    """Each request gets the next answer, and the last answer repeats."""

    url: str = ""
    sent: list[SentRequest] = field(default_factory=list)


@contextmanager
def scripted_server(answers: Sequence[Answer]) -> Iterator[ScriptedServer]:
    script = ScriptedServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            place = min(len(script.sent), len(answers) - 1)
            script.sent.append(SentRequest(self.command, self.path, dict(self.headers), body, time.monotonic()))
            answers[place](self)

        do_GET = do_POST = answer

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()


def reply(value: object, status: int = 200, **headers: str) -> Answer:
    """Names of headers have underscores for hyphens."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = json.dumps(value).encode()
        handler.send_response(status)
        for name, each in {"content_length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), each)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


page = reply({"memories": [], "next": None, "generation": None, "epoch": 0})
evidence: dict[str, object] = {
    **{"space": "default/x", "query": "x", "generation": None, "epoch": 0},
    **{"memories": [], "text": "", "tokens": 0, "leftOut": []},
}
effects: dict[str, object] = {
    **{"id": "m", "counts": [], "effects": [], "leftOut": 0, "cost": {}},
    **{"generation": None, "epoch": 0},
}


def problem(status: int, code: str, **headers: str) -> Answer:
    content = {"type": f"urn:loomlog:problem:{code}", "title": "a title", "status": status, "detail": f"no {code}"}
    return reply(content, status, **headers)


def lost(handler: BaseHTTPRequestHandler) -> None:
    """The request is done, and its reply is lost."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def broken_off(handler: BaseHTTPRequestHandler) -> None:
    """Half of a reply."""
    handler.send_response(200)
    handler.send_header("content-length", "100")
    handler.end_headers()
    handler.wfile.write(b'{"some":')
    lost(handler)


def dripping(handler: BaseHTTPRequestHandler) -> None:
    """A byte now and then, without an end: every read is in time, and the reply never is there."""
    handler.send_response(200)
    handler.send_header("content-length", "100")
    handler.end_headers()
    for _ in range(60):
        try:
            handler.wfile.write(b" ")
        except OSError:
            return
        time.sleep(0.05)


def silent(handler: BaseHTTPRequestHandler) -> None:
    """No reply for longer than any test waits."""
    time.sleep(5)
    lost(handler)
