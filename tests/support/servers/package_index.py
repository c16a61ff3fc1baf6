"""An index of Python packages, as pip asks one: the wheels of a folder, over HTTP on loopback."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread


@contextmanager
def package_index(wheels: Path) -> Iterator[dict[str, str]]:
    """Serve the wheels of a folder, and return the environment in which pip takes only these."""

    class Index(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name is that of the base class
            *_, folder, name = ("", *self.path.rstrip("/").split("/"))
            if folder == "simple":
                links = [
                    f'<a href="/wheels/{it.name}">{it.name}</a>'
                    for it in sorted(wheels.glob("*.whl"))
                    if normalized(it.name.split("-")[0]) == name
                ]
                self._answer(200 if links else 404, "text/html", "\n".join(links).encode())
            elif (wheels / name).is_file():
                self._answer(200, "application/octet-stream", (wheels / name).read_bytes())
            else:
                self._answer(404, "text/plain", b"")

        def _answer(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield {
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_INDEX_URL": f"http://127.0.0.1:{server.server_port}/simple/",
            "PIP_NO_COMPILE": "1",
        }
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def normalized(name: str) -> str:
    """Return the name of a package as an index spells it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
