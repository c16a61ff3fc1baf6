"""Templates as promptfoo fills them with nunjucks, read as text: nothing is executed.

`read_template` says which variables a text uses, where, and what nunjucks would refuse; `parsed_template`
has the tree that this is found in. Most texts have no braces, and cost a search for them; the parser is only
loaded for the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from suitecase.formats.promptfoo.templates.uses import Template
from suitecase.text.recent import recent

if TYPE_CHECKING:
    from suitecase.formats.promptfoo.templates.analysis import Reading
    from suitecase.formats.promptfoo.templates.parsing import ParsedTemplate

#: A text that nunjucks changes or refuses has one of these.
_CODE = re.compile(r"\{[{%#]|#\}")
#: The start of a tag, also one within another: `{{%` has two.
_OPENING = re.compile(r"(?=\{([{%#]))")
#: The characters that end a tag for promptfoo when it looks for one that is open.
_CLOSING = {"{": "}", "%": "%", "#": "#"}
_LINE_END = re.compile(r"[\n\r\u2028\u2029]|\Z")
_RAW = re.compile(r"\{%\s*raw\s*%\}")
_END_RAW = re.compile(r"\{%\s*endraw\s*%\}")
#: A name in one pair of braces, or with a brace missing on a side. `${name}` is JavaScript's.
_BRACED = re.compile(r"(?<![{$\\])\{[ \t]*(?P<name>[A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}?(?!\})")


#: Of a text without braces.
EMPTY = Template()


def read_template(text: str) -> Template:
    """Return what a text uses as a template of nunjucks. Never raises."""
    return _reading(text).template if _CODE.search(text) else EMPTY


def parsed_template(text: str) -> ParsedTemplate:
    """Return the tree of a text as a template of nunjucks. Never raises."""
    return _reading(text).parsed


@recent(most=2048)
def _reading(text: str) -> Reading:
    from suitecase.formats.promptfoo.templates.analysis import Reading

    return Reading(text)


def is_template(text: str) -> bool:
    """Return whether nunjucks changes or refuses a text."""
    return _CODE.search(text) is not None


def open_tag(text: str) -> tuple[int, int] | None:
    """Return the place of a tag that is open where its line ends; None if there is none.

    promptfoo then sends a prompt (and takes the value of a variable) as it is: none of its
    variables is filled in, those of other lines included. In JSON it does so only where it fails
    to read the prompt as JSON.
    """
    if "{" not in text or (_RAW.search(text) and _END_RAW.search(text)):
        return None
    closed = dict.fromkeys(_CLOSING, -1)
    line_end = -1
    for opening in _OPENING.finditer(text):
        start, kind = opening.start(), opening[1]
        # The next of each is looked for once, so that no text takes long.
        if closed[kind] < start + 2:
            found = text.find(_CLOSING[kind], start + 2)
            closed[kind] = found if found >= 0 else len(text) + 1
        if line_end < start + 2:
            match = _LINE_END.search(text, start + 2)
            line_end = match.start() if match else len(text)
        if line_end < closed[kind]:
            return start, line_end
    return None


@dataclass(frozen=True, slots=True)
class Braced:
    """A name in braces that nunjucks does not fill in: `{name}` or `{name}}`."""

    name: str
    start: int
    end: int


def single_braces(text: str) -> Iterator[Braced]:
    """Yield the names in single braces, as Python's formatted strings have them."""
    if "{" in text:
        for match in _BRACED.finditer(text):
            yield Braced(match["name"], *match.span())
