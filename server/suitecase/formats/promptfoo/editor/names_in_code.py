"""The variables that JavaScript and Python read: `context.vars.name`, `context["vars"]["name"]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

#: A name that holds the variables, by a statement such as `const given = context.vars;`.
_ALIAS = re.compile(
    r"""\b(\w++)\s*+(?::[^=\n]{1,200}+)?=\s*+[\w.$?\[\]'"]*?\bvars\b['"\])]*\s*"""
    r"""(?:;|\|\||\?\?|or\b|\r?\n|\Z)"""
)
_GET = re.compile(
    r"""\.get\(\s*['"]vars['"]\s*+(?:,\s*\{\s*\}\s*+)?\)"""
    r"""\s*(?:\.get\(|\[)\s*(?P<quote>['"])(?P<name>[^'"\n]+)(?P=quote)"""
)
#: `const { name, other } = context.vars`: the names are those of constants, too.
_UNPACKED = re.compile(r"""\{([^{}]*)\}\s*+(?::[^=\n]{1,200}+)?=\s*+[\w.$?\[\]'"]*?\bvars\b""")
_KEY = re.compile(r"""[{,]\s*['"]?([A-Za-z_$][\w$]*)['"]?\s*(?=[:,}])""")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
#: After the name of the variables: a member, an index, or a call of `get`.
_MEMBER = (
    r"""['"]?\]?(?:\s*(?:\?\.|\.)\s*(?P<member>[A-Za-z_$][\w$]*)(?![\w$]*\s*\()"""
    r"""|\s*(?:\?\.)?\[\s*(?P<quote>['"`])(?P<index>[^'"`\n]+)(?P=quote)\s*\]"""
    r"""|\.get\(\s*(?P<get_quote>['"])(?P<got>[^'"\n]+)(?P=get_quote))"""
)


class CodeUse(NamedTuple):
    """A use of a variable; unless `is_certain`, other names of the code depend on it."""

    name: str
    start: int
    end: int
    is_certain: bool = True


def code_uses(text: str) -> list[CodeUse]:
    """Return the variables that a text of code reads, as far as they are named in it."""
    if "vars" not in text:
        return []
    return sorted({*_uses(text)}, key=lambda it: it.start)


def _uses(text: str) -> Iterator[CodeUse]:
    holders = {"vars", *(it[1] for it in _ALIAS.finditer(text))}
    names = "|".join(re.escape(holder) for holder in sorted(holders))
    for match in re.finditer(rf"(?<![\w$])(?:{names})(?![\w$]){_MEMBER}", text):
        group = next(name for name in ("member", "index", "got") if match[name] is not None)
        if group != "member" or match[group] not in ("vars", "get"):
            yield CodeUse(match[group], *match.span(group))
    for match in _GET.finditer(text):
        yield CodeUse(match["name"], *match.span("name"))
    for match in _UNPACKED.finditer(text):
        for word in _WORD.finditer(text, *match.span(1)):
            yield CodeUse(word[0], word.start(), word.end(), is_certain=False)


def keys_in(text: str) -> list[CodeUse]:
    """Return the keys of objects that code makes, which may be those of the variables it returns."""
    return [CodeUse(match[1], *match.span(1), is_certain=False) for match in _KEY.finditer(text)]
