"""URIs of files and their paths, on Windows and elsewhere.

Clients spell them differently: `file:///c%3A/w`, `file:///C:/w`. A URI is returned to a client as it
spells it itself, so URIs are compared by `uri_key`, and files by their paths.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path, PurePath, PureWindowsPath
from urllib.parse import unquote, urlsplit

#: No path is longer than this, in characters, and no name of a file, in bytes.
LONGEST_PATH, LONGEST_NAME = 4096, 255

_DRIVE = re.compile(r"/[A-Za-z]:(?=/|$)")
#: The host and the drive of a file's URI, which Windows compares without case.
_HOST_AND_DRIVE = re.compile(r"file://[^/]*(?:/[A-Za-z]:(?=/|$))?", re.IGNORECASE)


@lru_cache(maxsize=1024)  # a keystroke looks up a few again and again
def uri_key(uri: str) -> str:
    """Return what all spellings of a URI have in common: escapes and the case of a drive differ."""
    text = unquote(uri)
    start = _HOST_AND_DRIVE.match(text)
    return text if start is None else start.group().lower() + text[start.end() :]


@lru_cache(maxsize=256)  # a keystroke looks up those of the folders
def path_of(uri: str) -> Path | None:
    """Return the path of a file's URI; None for other URIs, and for what can be no file here."""
    path = pure_path_of(uri, type(Path()))
    # A drive of another system is no place here, nor is what is relative to nobody knows what.
    if path is None or not path.is_absolute():
        return None
    try:
        parts = [os.fsencode(part) for part in path.parts]
    except UnicodeEncodeError:
        return None
    # Systems raise an error for each question about such a path.
    is_too_long = len(uri) > LONGEST_PATH or max(map(len, parts)) > LONGEST_NAME
    return None if is_too_long else Path(path)


def pure_path_of(uri: str, family: type[PurePath]) -> PurePath | None:
    """Return the path of a file's URI, on one family of systems; None for other URIs.

    Args:
        uri: the URI.
        family: the class of paths there.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.lower() != "file":
        return None
    host, text = unquote(parts.netloc), unquote(parts.path)
    if host.lower() == "localhost":
        host = ""
    if host:
        text = f"//{host}{text}"
    elif _DRIVE.match(text):
        # Also elsewhere: a server in WSL may be asked about a file of Windows.
        text = text[1].lower() + text[2:]
    if not text or "\0" in text:
        return None
    return family(text)


def uri_of(path: PurePath) -> str:
    """Return the URI of an absolute path, with the drive in lower case as most clients spell it."""
    uri = path.as_uri()
    if not isinstance(path, PureWindowsPath) or not path.drive.endswith(":"):
        return uri
    before, drive, rest = uri.partition(f"/{path.drive}")
    return f"{before}{drive.lower()}{rest}"
