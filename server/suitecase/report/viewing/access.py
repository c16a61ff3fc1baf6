"""Who may ask the server of `suitecase view`: the browser that was given its address, and its pages.

A server on the loopback interface can be reached by every program of every user of the machine, and by
every web page in a browser on it. The token in the address keeps out those that do not know it. The checks
of headers keep out pages of other origins, even if they learn it: a page whose host name resolves to
127.0.0.1 (DNS rebinding) sends another `Host`, and one that includes ours another `Origin` or
`Sec-Fetch-Site`.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from http import HTTPStatus

#: The only address that is listened on.
LOOPBACK = "127.0.0.1"
#: What other origins cannot send: a page of our own, or an address that the user opened.
_OWN_SITE = frozenset({"same-origin", "none"})


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request gets no answer, for the user who may have made it."""

    status: HTTPStatus
    message: str


@dataclass(slots=True)
class Access:
    """The token of a server, and a key that can be exchanged for it once.

    The address that a browser is started with is visible to other users of the machine, in the list
    of processes. It therefore has the key, which is worth nothing once the browser has used it.
    """

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    _key: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def address(self) -> str:
        """The address of the list of runs, for the user's eyes only."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    @property
    def opening_address(self) -> str:
        """An address that leads to `address` once."""
        return f"http://{LOOPBACK}:{self.port}/open/{self._key}"

    def refusal(self, headers: Mapping[str, str] | Message) -> Refusal | None:
        """Return why a request is refused because of its headers; None if it is not."""
        hosts = {f"{LOOPBACK}:{self.port}", f"localhost:{self.port}"}
        if headers.get("Host", "") not in hosts:
            return Refusal(HTTPStatus.FORBIDDEN, "This server answers only for its own address.")
        origin = headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in hosts}:
            return Refusal(HTTPStatus.FORBIDDEN, "Pages of other origins are not answered.")
        if headers.get("Sec-Fetch-Site", "none") not in _OWN_SITE:
            return Refusal(HTTPStatus.FORBIDDEN, "Pages of other sites are not answered.")
        return None

    def is_token(self, text: str) -> bool:
        """Whether a text is the token; takes the same time whatever the text is."""
        return _are_equal(text, self.token)

    def use_key(self, text: str) -> bool:
        """Whether a text is the key, which is of no use after that."""
        if not _are_equal(text, self._key):
            return False
        self._key = secrets.token_urlsafe(24)
        return True


def _are_equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode())
