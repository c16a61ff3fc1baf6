"""What a server sends is read up to a limit, and from the address that was asked alone.

The limit holds for what is left after decompression, too: a megabyte of gzip may be a gigabyte. A
redirection is an error that names the new address. Followed, most of them would make the question
a GET without its body, and a server could have it sent, with the key in its header, to another.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Mapping
from contextvars import ContextVar
from urllib.parse import urljoin, urlsplit

MEGABYTE = 1024 * 1024
#: Megabytes that a response may have.
MAX_RESPONSE_MB = 20.0
#: Bytes that the response to a request of this context may have.
RESPONSE_LIMIT: ContextVar[int] = ContextVar(
    "suitecase_response_limit", default=int(MAX_RESPONSE_MB * MEGABYTE)
)
#: Where what a server says of an error is kept, if it is to be: some versions of litellm lose it.
ERROR_BODY: ContextVar[bytearray | None] = ContextVar("suitecase_error_body", default=None)
#: Where the whole body of the last response that is no error is kept, if it is to be: libraries lose what it
#: says of a call that failed all the same.
REPLY_BODY: ContextVar[bytearray | None] = ContextVar("suitecase_reply_body", default=None)
#: The compressions that are undone here.
ACCEPTED = "gzip, deflate"
_REDIRECTIONS = frozenset({301, 302, 303, 307, 308})
#: Characters of an address in a message.
_SHOWN = 200


class UnwantedResponseError(Exception):
    """A response is not read to its end; the text continues "the server ..."."""


def check_not_redirected(requested_url: str, status: int, headers: Mapping[str, str]) -> None:
    """Return where a response is not a redirection.

    Args:
        asked: the address that was asked.
        headers: with names in any case.

    Raises:
        UnwantedResponseError: it is one.
    """
    location = headers.get("location")
    if status not in _REDIRECTIONS or not location:
        return
    raise UnwantedResponseError(
        f"redirects to {_shown(requested_url, location)} (HTTP {status}), which is not followed: the "
        "question and the key are sent only to the configured address. Write the new address in "
        "the target's entry if it is the right one."
    )


async def limited(
    chunks: AsyncIterator[bytes], encoding: str, limit: int | None = None
) -> AsyncIterator[bytes]:
    """Yield what a body comes to, decompressed.

    Args:
        encoding: the header `content-encoding`, empty where there is none.
        limit: bytes; None is the limit of the context.

    Raises:
        UnwantedResponseError: it is longer than the limit, or compressed otherwise than asked for.
    """
    body = LimitedBody(encoding, limit)
    async for chunk in chunks:
        yield body.take(chunk)


class LimitedBody:
    """Decompresses a body chunk by chunk, up to a limit.

    Args:
        encoding: the header `content-encoding`; empty if there is none.
        limit: bytes; None is the limit of the context.

    Raises:
        UnwantedResponseError: it is compressed in a way that was not requested.
    """

    def __init__(self, encoding: str, limit: int | None = None) -> None:
        self._most = RESPONSE_LIMIT.get() if limit is None else limit
        kind = encoding.strip().lower()
        if kind not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise UnwantedResponseError(
                f"compressed its response with `{kind[:40]}`, which was not requested."
            )
        self._inflate = None if kind in ("", "identity") else _Inflating()
        self._read = self._given = 0

    def take(self, chunk: bytes) -> bytes:
        """Return the next chunk, decompressed.

        Raises:
            UnwantedResponseError: the body is longer than the limit.
        """
        most = self._most
        self._read += len(chunk)
        if self._read > most:
            raise _too_long(most)
        inflate = self._inflate
        out = chunk if inflate is None else inflate(chunk, most - self._given + 1)
        self._given += len(out)
        if self._given > most:
            raise _too_long(most)
        return out


class _Inflating:
    """Undoes `gzip` and `deflate`; the latter some servers send without its header."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._begun = False
        #: A part of the body that is whole by itself was read; gzip may have several.
        self._whole = False

    def __call__(self, chunk: bytes, most: int) -> bytes:
        """Return what a chunk comes to, of which no more than `most` bytes are made."""
        out = b""
        while chunk and len(out) < most:
            try:
                out += self._stream.decompress(chunk, most - len(out))
            except zlib.error as error:
                if self._whole:
                    return out  # no more than what fills the last block
                if self._begun:
                    raise UnwantedResponseError(
                        "sent a response with invalid compression."
                    ) from error
                self._stream = zlib.decompressobj(-zlib.MAX_WBITS)
                self._begun = True
                continue
            self._begun = True
            if not self._stream.eof:
                break
            self._whole = True
            chunk = self._stream.unused_data
            self._stream = zlib.decompressobj(zlib.MAX_WBITS | 32)
        return out


def _too_long(limit: int) -> UnwantedResponseError:
    return UnwantedResponseError(
        f"sent more than {limit / MEGABYTE:g} MB, and the rest was not read. Raise "
        "`max_response_mb` if its answers are that long."
    )


def _shown(requested_url: str, location: str) -> str:
    """Return where a redirection leads, without what may be secret in an address."""
    try:
        parts = urlsplit(urljoin(requested_url, location.strip()))
        host = parts.netloc.rpartition("@")[2]
        address = parts._replace(netloc=host, query="", fragment="").geturl()
    except ValueError:
        return "another address"
    plain = "".join(it for it in address if it.isprintable() and it not in "` ")
    return f"`{plain[:_SHOWN]}`" if plain else "another address"
