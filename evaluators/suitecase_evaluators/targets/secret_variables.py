"""Which variables of the environment hold secrets, and which secrets values hold within them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote, urlsplit

from suitecase_evaluators.targets.secrets import SECRET_LENGTH, is_dummy_key

#: Variables with such names hold secrets of any form, whether a targets file names them or not; several of a
#: kind are numbered.
_NAMES = re.compile(
    r"(?:_KEY|APIKEY|_TOKEN|_SECRET|PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD|_PAT|_CREDENTIALS?)"
    r"(?:_?\d+)?\Z"
)
#: Words of a name for what is secret, wherever they stand in it; the second ones not as the first word,
#: which may be a verb, a folder or a person.
_WORDS = frozenset(
    {
        *("KEY", "KEYS", "APIKEYS", "TOKENS", "SECRETS", "PASSWORDS", "CREDENTIAL", "CREDENTIALS"),
        *("JWT", "BEARER", "WEBHOOK"),
    }
)
_LATER_WORDS = frozenset({"PASS", "PWD", "PAT"})
#: So do words that end like this: `PGPASSWORD_RO`.
_ENDINGS = ("PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY", "TOKEN", "SECRET")
#: The last word of a name that says something about a secret: where it is, what it is called, how many.
_ABOUT = frozenset(
    {
        *("FILE", "FILENAME", "PATH", "DIR", "DIRECTORY", "FOLDER", "NAME", "ID", "IDS", "HOST"),
        *("URL", "URI", "ENDPOINT", "ISSUER", "AUDIENCE", "ALG", "ALGORITHM", "ALGORITHMS", "TYPE"),
        *("LIMIT", "LIMITS", "COUNT", "LENGTH", "SIZE", "BUDGET", "RATE", "TTL", "AGE", "EXPIRY"),
        *("EXPIRES", "EXPIRATION", "TIMEOUT", "SECONDS", "MINUTES", "MINUTE", "SECOND", "DAY"),
        *("FORMAT", "HEADER", "PREFIX", "SUFFIX", "FIELD", "COLUMN", "ENV", "VAR", "ENABLED"),
        *("DISABLED", "REQUIRED", "PROVIDER", "MANAGER", "STORE", "VAULT", "PROJECT", "REGION"),
        *("VERSION", "HELPER", "COMMAND", "LAYOUT", "BINDINGS", "DELAY", "RETRIES"),
    }
)
#: With such a word, tokens are those of a model.
_COUNTED = frozenset(
    {
        *("MAX", "MIN", "NUM", "N", "TOTAL", "INPUT", "OUTPUT", "CONTEXT", "PROMPT", "COMPLETION"),
        *("NEW", "THINKING", "REASONING", "CACHED", "PER"),
    }
)
_BETWEEN = re.compile(r"[\W_]+")
#: The value of a variable that is named less clearly: a short number, a switch or a path.
_PLAIN_VALUE = re.compile(
    r"[-+]?\d{0,7}(?:\.\d{0,7})?|true|false|yes|no|on|off|enabled|disabled"
    r"|(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@ -]+){2,}[/\\]?|~?[/\\][\w@-]+(?:\.[A-Za-z]\w{0,9})?",
    re.IGNORECASE,
)
_BETWEEN_SECRETS = re.compile(r"(?:(?<!\s)\s++)?[,;]\s*+")
_ADDRESS = re.compile(r"""[A-Za-z][\w+.-]{0,40}+://[^\s"'<>]+""")
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
    return _NAMES.search(name.upper()) is not None or _has_secret_word(name)


def _has_secret_word(name: str) -> bool:
    parts = (part.rstrip("0123456789") for part in _BETWEEN.split(name.upper()))
    words = [part for part in parts if part]
    found = {
        word
        for place, word in enumerate(words)
        if word in _WORDS or word.endswith(_ENDINGS) or (place and word in _LATER_WORDS)
    }
    if found <= {"TOKEN", "TOKENS"} and not _COUNTED.isdisjoint(words):
        return False
    # The address of a webhook is what is secret of it.
    return bool(found) and (words[-1] not in _ABOUT or "WEBHOOK" in found)


def secrets_of(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield what is secret of an environment, by the names of variables and by their values."""
    for name, value in environ.items():
        if _NAMES.search(name.upper()) or _PRIVATE_KEY in value:
            yield from _real(value)
        elif _has_secret_word(name) and not _PLAIN_VALUE.fullmatch(value.strip()):
            # Several in one: each of them, too.
            for secret in dict.fromkeys((value, *_BETWEEN_SECRETS.split(value.strip()))):
                yield from _real(secret)
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
