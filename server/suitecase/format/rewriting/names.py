"""Names for what has none, and other names for what shares one."""

from __future__ import annotations

import re

from suitecase.format.rule import Edit, Fix
from suitecase.text.emitting import in_quotes
from suitecase.text.node import Scalar

#: A name is short enough to be typed, whatever it is made of.
_WORDS = 5
_PLAIN = re.compile(r"[A-Za-z_][\w-]*")
_WORD = re.compile(r"[a-z0-9]+")


def name_of_text(text: str, default: str) -> str:
    """Return a name made of the first words of a text, which YAML reads as text without quotes."""
    name = "-".join(_WORD.findall(text.casefold())[:_WORDS])
    if not name:
        return default
    return name if isinstance(Scalar(0, 0, name, "").value, str) else f"{default}-{name}"


def plain_name(name: str) -> str:
    """Return a name as it is written in YAML."""
    return name if _PLAIN.fullmatch(name) else in_quotes(name)


def renamed(written: Scalar, name: str, *, safe: bool = True) -> Fix | None:
    """Return the fix that gives something another name, in the quotes of the one it has."""
    if written.style == '"':
        text = in_quotes(name)
    elif written.style == "'":
        text = "'" + name.replace("'", "''") + "'"
    elif written.style or written.end <= written.start:
        return None
    else:
        text = name
    return Fix(f"Rename to `{name}`", (Edit(written.span, text),), safe)
