"""Which values are secrets, and how they are found in a text.

A value that is distinctive enough never occurs by chance, so it is a secret wherever it stands. A
short value or a plain word may be part of another word: it counts only as a whole.

A value that servers without keys are given, because a client insists on one, is not a secret.
"""

from __future__ import annotations

import ipaddress
import json
import re
import shlex
from urllib.parse import quote, quote_plus, urlsplit

#: What documentation and templates write where no key is needed or none has been filled in.
_DUMMIES = frozenset(
    [
        "none",
        "null",
        "nil",
        "empty",
        "dummy",
        "fake",
        "test",
        "testing",
        "unused",
        "placeholder",
        "changeme",
        "na",
        "n/a",
        "no-key",
        "nokey",
        "no_key",
        "not-needed",
        "notneeded",
        "not_needed",
        "not-used",
        "notused",
        "no-key-needed",
        "no-key-required",
        "not-required",
        "notrequired",
        "sk-no-key-required",
        "sk-no-key",
        "sk-none",
        "sk-dummy",
        "sk-fake",
        "sk-empty",
        "sk-xxx",
        "sk-xxxx",
        "sk-not-needed",
        "sk-placeholder",
        "sk-test",
        "dummy-key",
        "dummy_key",
        "dummykey",
        "dummy-api-key",
        "fake-key",
        "fake_key",
        "fakekey",
        "test-key",
        "test_key",
        "api-key",
        "api_key",
        "apikey",
        "key",
        "your-key",
        "your-api-key",
        "your_api_key",
        "my-api-key",
        "local",
        "localhost",
        "local-key",
        "ollama",
        "lm-studio",
        "lmstudio",
        "lm_studio",
        "vllm",
        "llamacpp",
        "llama.cpp",
        "llama-cpp",
        "localai",
        "tgi",
        "sglang",
        "token-abc123",
        "bearer",
        "secret-key",
        "true",
        "false",
        "yes",
        "no",
        "foo",
        "bar",
        "foobar",
        "abc",
        "string",
    ]
)
#: A value that is not distinctive: shorter than this, or a plain word that is shorter than `_WORD`.
_DISTINCTIVE, _WORD = 8, 16
#: A key for a server of one's own that could be a word of any text: letters or digits alone.
_ORDINARY = re.compile(r"[A-Za-z]{1,12}|[0-9]{1,4}")

#: A key that is written out: what a variable stands for is none.
_KEY_IN_A_LINE = re.compile(
    r"""((?:api[_-]key|authorization)["']?\s*:\s*["']?(?:(?:Bearer|Basic|Token)\s+)?)"""
    r"""(?!\s*["']?\$)([^\s"',{}#]+)""",
    re.IGNORECASE,
)
#: A letter that makes a word longer. Scripts without spaces between words are left out.
_LETTER = "[0-9A-Za-z_\u00c0-\u024f]"
#: Before a whole value no word goes on; escapes and colours of a terminal end with a letter, too.
_BEFORE = (
    rf"(?:(?<!{_LETTER})|(?<=\\[abfnrtv])|(?<=\\u[0-9a-fA-F]{{4}})|(?<=\\x[0-9a-fA-F]{{2}})"
    r"|(?<=%[0-9a-fA-F]{2})|(?<=[0-9;\[]m))"
)
_AFTER = rf"(?!{_LETTER})"
#: A plain word is part of another one across a hyphen, too, as in `refund-late`.
_NO_COMPOUND_BEFORE, _NO_COMPOUND_AFTER = rf"(?<!{_LETTER}-)", rf"(?!-{_LETTER})"


def is_dummy_key(key: str, address: str | None = None) -> bool:
    """Whether a key is none: a well-known stand-in, or an ordinary word for a server of one's own.

    Args:
        address: of the server that is given the key; None for the provider's own.
    """
    plain = key.strip()
    if plain.casefold() in _DUMMIES or not any(it.isalnum() for it in plain):
        return True
    if len(set(plain.casefold().removeprefix("sk-"))) == 1:
        return True  # `xxxx`, `0000`
    return is_local(address) and _ORDINARY.fullmatch(plain) is not None


def is_local(address: str | None) -> bool:
    """Whether an address is of this machine or of a private network."""
    try:
        host = urlsplit((address or "").strip()).hostname
    except ValueError:
        return False
    if not host:
        return False
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        # A name without a dot is of the local network, such as a service of docker compose.
        return "." not in host or host.endswith(
            (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".intranet")
        )
    return number.is_loopback or number.is_private or number.is_link_local or number.is_unspecified


def concealed(line: str) -> str:
    """Return a line of a targets file with asterisks for each character of a key in it."""
    return _KEY_IN_A_LINE.sub(lambda it: it[1] + "*" * len(it[2]), line)


def secret_patterns(secret: str) -> list[tuple[int, str]]:
    """Return the forms of a secret in texts: each a length and a regular expression.

    The forms are the value itself, and as JSON, Python, a shell and an address write it.
    """
    plain = secret.strip()
    forms = {
        secret,
        plain,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        quote(secret, safe=""),
        quote(secret),
        quote_plus(secret),
        shlex.quote(secret),
        repr(secret)[1:-1],
    }
    if len(plain) >= _WORD or (len(plain) >= _DISTINCTIVE and not plain.isalpha()):
        return [(len(it), re.escape(it)) for it in forms]
    before, after = _BEFORE, _AFTER
    if plain.isalpha():
        before, after = before + _NO_COMPOUND_BEFORE, after + _NO_COMPOUND_AFTER
    return [(len(it), f"{before}{re.escape(it)}{after}") for it in forms]
