"""Which values are secrets, and how those are found that may stand in a text by chance.

A value that is distinctive enough is a secret wherever it stands, in each of its forms
(`secret_forms`). A short value or a plain word may be part of another word: it counts only as a
whole.

A value that servers without keys are given, because a client insists on one, is not a secret.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from suitecase_evaluators.targets.secret_forms import encoded_forms, plain_forms

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
#: A value shorter than this is not taken for a secret: it would black out half of every message.
SECRET_LENGTH = 6
#: A key for a server of one's own that could be a word of any text: letters or digits alone.
_ORDINARY = re.compile(r"[A-Za-z]{1,12}|[0-9]{1,4}")

#: A literal key, quoted or not; a variable is not one.
#: Without the prefix of a longer name: matching it would take quadratic time.
_NAME = r"""(?:api[_-]key|authorization)["']?[ \t]*:"""
_WRITTEN_KEY = re.compile(
    rf"""{_NAME}[ \t]*(?:"(?P<double>[^"]*)|'(?P<single>[^']*)|(?P<plain>\S.*))""", re.IGNORECASE
)
_VARIABLE = re.compile(r"\$\{\{.*?\}\}")
#: A run of blanks is looked at from its start alone: from each blank of it takes its length squared.
_ENDS = re.compile(r"(?<!\s)(?:\s+#|\s*$)")
_ENDS_IN_BRACES = re.compile(r"(?<!\s)(?:\s+#|\s*$)|[,{}]")
#: The value of such a key is on the lines below it.
_BELOW = re.compile(rf"{_NAME}[ \t]*+(?:[|>][-+0-9]*+[ \t]*+)?(?:#.*)?\Z", re.IGNORECASE)
_SCHEME = re.compile(r"\s*(?:(?:Bearer|Basic|Token|Key)\s+)?", re.IGNORECASE)
#: A letter that makes a word longer. Scripts without spaces between words are left out.
_LETTER = "[0-9A-Za-z_\u00c0-\u024f]"
#: Before a whole value no word goes on; colours of a terminal end with a letter, too.
_BEFORE = rf"(?:(?<!{_LETTER})|(?<=[0-9;\[]m))"
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


def concealed(text: str) -> str:
    """Return a targets file, or lines of it, with asterisks for each character of keys in it."""
    lines: list[str] = []
    #: The column of a key whose value is on the lines below.
    above: int | None = None
    for line in text.split("\n"):
        if above is not None and (not line.strip() or len(line) - len(line.lstrip()) > above):
            lines.append(_hidden(line))
            continue
        below = _BELOW.search(line.rstrip("\r"))
        above = None if below is None else _column(line, below)
        lines.append(line if below else _without_keys(line))
    return "\n".join(lines)


def concealed_line(line: str, above: Iterable[str]) -> str:
    """Return a line of a targets file with asterisks for each character of keys in it.

    Args:
        above: the lines before it, the nearest first; a few are enough.
    """
    column = len(line) - len(line.lstrip())
    for before in above:
        if before.strip() and len(before) - len(before.lstrip()) < column:
            below = _BELOW.search(before)
            is_key = below is not None and _column(before, below) < column
            return _hidden(line) if is_key else concealed(line)
    return concealed(line)


def _column(line: str, found: re.Match[str]) -> int:
    """Return where the name begins that a match is the end of."""
    column = found.start()
    while column and (line[column - 1].isalnum() or line[column - 1] in "_-"):
        column -= 1
    return column


def _without_keys(line: str) -> str:
    """Return a line with asterisks for each character of the keys that it writes out."""
    parts: list[str] = []
    end = 0
    while found := _WRITTEN_KEY.search(line, end):
        kind = next(name for name in ("double", "single", "plain") if found[name] is not None)
        start = found.start(kind)
        value = found[kind]
        if kind == "plain":
            value = _plain_value(
                value, in_braces=line.count("{", 0, start) > line.count("}", 0, start)
            )
        parts += [line[end:start], _hidden(value)]
        end = start + len(value)
    return "".join([*parts, line[end:]])


def _plain_value(text: str, *, in_braces: bool) -> str:
    """Return a value without quotes, up to a comment, or in braces up to what comes after it."""
    if variable := _VARIABLE.match(text):
        return variable[0]
    return (_ENDS_IN_BRACES if in_braces else _ENDS).split(text, maxsplit=1)[0]


def _hidden(value: str) -> str:
    scheme = _SCHEME.match(value)
    visible = scheme.end() if scheme else 0
    if value.startswith("$", visible):
        return value
    return value[:visible] + re.sub(r"\S", "*", value[visible:])


def word_forms(secret: str) -> list[tuple[str, re.Pattern[str] | None]]:
    """Return what is looked for of a value that is not distinctive.

    Each form has a pattern that matches where no word goes on around it; None for encoded forms,
    which are found inside of words, too: nothing else looks like them.
    """
    plain = secret.strip()
    before, after = _BEFORE, _AFTER
    forms = plain_forms(secret)
    if plain.isalpha():
        before, after = before + _NO_COMPOUND_BEFORE, after + _NO_COMPOUND_AFTER
    else:
        forms |= {plain.upper(), plain.lower()}
    encoded = encoded_forms(secret) - {plain[::-1]} if len(plain) >= SECRET_LENGTH else set[str]()
    whole = [
        (form, re.compile(f"{before}{re.escape(form)}{after}")) for form in sorted(forms - encoded)
    ]
    return [*whole, *((it, None) for it in sorted(encoded))]
