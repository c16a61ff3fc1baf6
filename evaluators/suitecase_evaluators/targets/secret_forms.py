"""The forms a secret takes in texts whose escapes are undone: as it is, encoded, and in part."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass

from suitecase_evaluators.text.escaped_text import unescaped_readings

#: A value that is not distinctive: shorter than this, or a plain word that is shorter than `WORD`.
DISTINCTIVE, WORD = 8, 16
#: An encoded form of fewer characters may stand in a text by chance.
_ENCODED = 7
#: What a part of a secret is taken from has so many characters, and no more than `_LONGEST`.
_DIVISIBLE, _LONGEST = 16, 8_192
#: Characters of a part: as it is with a letter and a digit in it, without, in base64, in hex.
PART, WORDY_PART, _BASE64_PART, _HEX_PART = 12, 16, 16, 24
#: Characters of a part beyond what all keys of a provider begin with.
BEYOND_PREFIX = 4
#: The prefixes of providers' keys, which are not secret.
_PREFIX = re.compile(
    r"sk-(?:proj-|svcacct-|admin-|ant-[a-z]+\d\d-|or-v1-|lf-)?|pk-lf-|[a-z]{2,4}_(?:live_|test_)?"
    r"|github_pat_|glpat-|xox[a-z]-|xapp-|AIza|AKIA|ASIA"
)
#: The first part of a JSON Web Token says how it is signed.
_TOKEN_HEAD = re.compile(r"eyJ[\w-]+\.(?=[\w-]+\.)")
#: The separators between parts of a value that are secrets by themselves.
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]{0,40}+://\S+")
_PATH = re.compile(r"""(?<![^\s"'=:])(?:~|[A-Za-z]:\\|\.{0,2}/)[^\s"']*""")
_BETWEEN = re.compile(r"""\\[nrt]|[\s"'`,;:.(){}\[\]<>=&?@\\]+""")


@dataclass(frozen=True, slots=True)
class Form:
    """A text that is looked for, upper and lower case alike."""

    text: str
    #: So many characters of it in a row count; None is all of them.
    least: int | None = None
    #: A part counts from fewer characters where it has a letter and a digit.
    least_of_mixed: int | None = None
    #: Characters at the beginning that say nothing.
    prefix: int = 0


def is_distinctive(secret: str) -> bool:
    """Whether a value cannot occur in a text by chance, so that every occurrence is the secret."""
    plain = secret.strip()
    return len(plain) >= WORD or (len(plain) >= DISTINCTIVE and not plain.isalpha())


def plain_forms(secret: str) -> set[str]:
    """Return a value as it stands in texts, and in texts whose escapes are undone.

    What looks like an escape in the value itself is undone there, too.
    """
    plain = secret.strip()
    forms = {secret, plain, plain.replace(" ", "+")}  # as forms in addresses write it
    forms.update(
        reading.text for reading in unescaped_readings(plain) if is_distinctive(reading.text)
    )
    return forms


def encoded_forms(secret: str) -> set[str]:
    """Return a value in base64 and hex, and written backwards."""
    plain = secret.strip()
    data = plain.encode("utf-8", "surrogatepass")
    forms = {data.hex(), data.hex().upper(), plain[::-1]}
    forms.update(_base64(data))
    return {form for form in forms if len(form) >= _ENCODED}


def forms_of(secret: str) -> Iterator[Form]:
    """Yield what is looked for of a distinctive value."""
    for text in plain_forms(secret) | encoded_forms(secret):
        yield Form(text)
    for part in _divisible(secret):
        found = _PREFIX.match(part)
        prefix = found.end() if found else 0
        yield Form(part, WORDY_PART, PART, prefix)
        yield Form(part[::-1], WORDY_PART, PART)
        core = part[prefix:]
        if len(core) >= PART:
            data = core.encode("utf-8", "surrogatepass")
            yield Form(data.hex(), _HEX_PART)
            for text in _base64(data):
                yield Form(text, _BASE64_PART)


def _base64(data: bytes) -> Iterator[str]:
    """Yield the base64 forms of bytes, whatever precedes and follows them.

    Three bytes are four characters, so there are three ways that they may fall; characters that
    another byte has a share in are left out.
    """
    for before in range(3):
        text = base64.b64encode(bytes(before) + data + bytes(2)).decode()
        whole = text[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        yield whole
        yield whole.translate(_URL_SAFE)


_URL_SAFE = str.maketrans("+/", "-_")


def _divisible(secret: str) -> Iterator[str]:
    """Yield what of a value is secret in part, too: no addresses, paths and words."""
    text = secret[:_LONGEST]
    for other in (_ADDRESS, _PATH, _TOKEN_HEAD):
        text = other.sub(" ", text)
    yield from (part for part in _BETWEEN.split(text) if len(part) >= _DIVISIBLE)
