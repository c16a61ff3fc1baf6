"""Which variables of the environment hold secrets, and which secrets values hold within them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote, urlsplit

from suitecase_evaluators.targets.secrets import SECRET_LENGTH, is_dummy_key

#: Variables with such names hold secrets, whether a targets file names them or not; several of a
#: kind are numbered.
_NAMES = re.compile(
    r"(?:_KEY|APIKEY|_TOKEN|_SECRET|PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD|_PAT|_CREDENTIALS?)"
    r"(?:_?\d+)?\Z"
)
_ADDRESS = re.compile(r"""[A-Za-z][\w+.-]*://[^\s"'<>]+""")
#: Settings in one value: `Server=db;Password=...`, `?access_token=...`, `{"token": "..."}`.
_SETTING = re.compile(
    r"""(?:(?:password|passwd|pwd|token|api[_-]?key|secret|accountkey|sharedaccesskey)"""
    r"""(?:["']?\s*=|["']\s*:(?=\s*["']))|[?&](?:key|sig|signature)=)\s*"""
    r"""("[^"]+"|'[^']+'|[^\s;&"']+)""",
    re.IGNORECASE,
)
#: Headers in one value: of a command line, of a request as it is sent.
_HEADER = re.compile(
    r"""(?:authorization|x-[\w-]{0,40}(?:key|token)|cookie)["']?\s*:\s*["']?"""
    r"""(?:(?:Bearer|Basic|Token|ApiKey)\s+)?([^\s"']+)""",
    re.IGNORECASE,
)
#: What something else fills in.
_FILLED_IN = re.compile(r"\{\{|\A(?:\$\{?[A-Z_][A-Z0-9_]*\}?|\{\w+\})\Z")
_PRIVATE_KEY = "PRIVATE KEY-----"
#: A user without a password is a key where its name is so long.
_USER_LENGTH = 16


def is_secret_name(name: str) -> bool:
    """Whether a variable of the environment holds a secret, by its name."""
    return _NAMES.search(name.upper()) is not None


def secrets_of(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield what is secret of an environment, by the names of variables and by their values."""
    for name, value in environ.items():
        if is_secret_name(name) or _PRIVATE_KEY in value:
            yield from _real(value)
        yield from secrets_within(value)


def secrets_within(value: str) -> Iterator[str]:
    """Yield passwords of addresses in a value, those of settings such as `Password=...`, and those of
    headers such as `Authorization: Bearer ...`.
    """
    if "://" in value:
        for found in _ADDRESS.finditer(value):
            yield from _of_address(found[0])
    if "=" in value or ":" in value:
        for pattern in (_SETTING, _HEADER):
            for found in pattern.finditer(value):
                written = found[1].strip("\"'")
                # A key in an address is there as it is encoded.
                for form in dict.fromkeys((written, unquote(written))):
                    if not _FILLED_IN.search(form):
                        yield from _real(form)


def _of_address(address: str) -> Iterator[str]:
    try:
        parts = urlsplit(address)
        user, password = parts.username, parts.password
    except ValueError:
        return
    if not password and user and len(user) >= _USER_LENGTH and any(map(str.isdigit, user)):
        password = user
    if password:
        # At a local address, a plain word such as `postgres` is not a secret.
        for form in dict.fromkeys((password, unquote(password))):
            if not _FILLED_IN.search(form):
                yield from _real(form, address)


def _real(value: str, address: str | None = None) -> Iterator[str]:
    if len(value.strip()) >= SECRET_LENGTH and not is_dummy_key(value, address):
        yield value
