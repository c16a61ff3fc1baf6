"""Servers with certificates of an authority that nobody trusts, and a proxy in front of them."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.servers.hostile import Behaviour, HostileServer, serving


@dataclass(frozen=True)
class Authority:
    """An authority, and the key and certificate that it gave the servers of this machine."""

    certificate: Path
    #: The name that OpenSSL expects its certificate to have in a folder.
    hashed_name: str
    key: Path
    chain: Path


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Make an authority with `openssl`."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl")
    folder = tmp_path_factory.mktemp("authority")

    def make(*arguments: str) -> str:
        ended = subprocess.run(
            [openssl, *arguments], check=True, capture_output=True, text=True, cwd=folder
        )
        return ended.stdout.strip()

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    make(
        "req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "9", "-subj", "/CN=A"
    )
    make("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:model.test\n")
    make(
        *("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "9"),
        *("-CAcreateserial", "-extfile", "names", "-out", "server.pem"),
    )
    hashed = make("x509", "-noout", "-subject_hash", "-in", "ca.pem")
    return Authority(folder / "ca.pem", f"{hashed}.0", folder / "server.key", folder / "server.pem")


@contextmanager
def serving_by_tls(behaviour: Behaviour, authority: Authority) -> Iterator[HostileServer]:
    """Serve by TLS while the context lasts."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.chain, authority.key)
    with serving(behaviour, context) as server:
        yield server


@dataclass
class TunnelProxy:
    """A proxy that opens tunnels to one server, whatever address it is asked for."""

    to: tuple[str, int]
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._tunnel, args=(client,), daemon=True).start()

    def _tunnel(self, client: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            if not (part := client.recv(4096)):
                return
            head += part
        self.asked.append(head.split(b"\r\n", 1)[0].decode())
        with client, socket.create_connection(self.to) as server:
            client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            back = threading.Thread(target=_pass_on, args=(server, client))
            back.start()
            _pass_on(client, server)
            back.join()

    def close(self) -> None:
        self._socket.close()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    try:
        while part := source.recv(65536):
            sink.sendall(part)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return  # either end is gone
