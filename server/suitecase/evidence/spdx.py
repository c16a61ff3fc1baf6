"""SPDX license expressions: `CC-BY-4.0`, `MIT OR Apache-2.0`, `LicenseRef-ShoeThesaurus-7`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from suitecase.text.near_names import nearest, spelt_alike

#: A license that is not in the list of SPDX.
OWN = "LicenseRef-"

_TOKEN = re.compile(r"[()]|[^\s()]+")
_OPERATORS = ("AND", "OR", "WITH")
_OWN = re.compile(
    r"(?:DocumentRef-[A-Za-z0-9.-]+:)?LicenseRef-[A-Za-z0-9.-]+|AdditionRef-[A-Za-z0-9.-]+"
)
#: What is left of an identifier behind its name.
_REST = re.compile(r"(?:[-.]?(\d+(?:\.\d+)*)|\.\d+)?(?:-only|-or-later)?")
#: What people add to an identifier.
_WORDS = re.compile(r"(?i)\b(?:the|licen[sc]e|version)\b-?")
_VERSION = re.compile(r"([A-Za-z])-?[vV]\.?-?(\d)")
#: Names of this length are near too many others.
_TOO_SHORT = 4
_NOT_OF_NAME = re.compile(r"[^A-Za-z0-9.]+")


@dataclass(frozen=True, slots=True)
class Identifiers:
    """The identifiers of the SPDX license list, by their spelling in lower case.

    `licenses` and `exceptions` have all of them; `deprecated` those that are deprecated.
    """

    licenses: Mapping[str, str]
    exceptions: Mapping[str, str]
    deprecated: frozenset[str]

    @property
    def current(self) -> list[str]:
        """The identifiers of licenses that are not deprecated."""
        return [it for it in self.licenses.values() if it not in self.deprecated]


@dataclass(frozen=True, slots=True)
class LicenseProblem:
    """What is wrong with an expression, with its place there.

    `meant` is what belongs there instead, if that is known.
    """

    start: int
    end: int
    message: str
    meant: str | None = None


@cache
def identifiers() -> Identifiers:
    """Return the SPDX license list that comes with Suitecase."""
    licenses: dict[str, str] = {}
    exceptions: dict[str, str] = {}
    deprecated: set[str] = set()
    text = files("suitecase.evidence").joinpath("spdx_identifiers.txt").read_text("utf-8")
    for line in text.splitlines():
        *marks, name = line.split()
        if "#" in marks:
            continue
        (exceptions if "&" in marks else licenses)[name.lower()] = name
        if "-" in marks:
            deprecated.add(name)
    return Identifiers(licenses, exceptions, frozenset(deprecated))


@lru_cache(maxsize=256)
def license_problem(expression: str) -> LicenseProblem | None:
    """Return the first thing that is wrong with a license expression, or None."""
    tokens = [(match.start(), match.end(), match[0]) for match in _TOKEN.finditer(expression)]
    if not any(_is_operator(text) or text in "()" for _, _, text in tokens):
        text = expression.strip()
        start = expression.find(text)
        return _of_license(start, start + len(text), text)
    return next(_problems(tokens), None)


def _problems(tokens: list[tuple[int, int, str]]) -> Iterator[LicenseProblem]:
    open_at: list[tuple[int, int]] = []
    before: str | None = None  # what stands to the left: "license", "exception" or an operator
    for start, end, text in tokens:
        complete = before in ("license", "exception")
        if text == "(":
            open_at.append((start, end))
            if complete or before == "WITH":
                yield LicenseProblem(start, end, "`AND` or `OR` is missing before `(`")
        elif text == ")" or _is_operator(text):
            if not complete or (before == "exception" and text.upper() == "WITH"):
                yield LicenseProblem(start, end, f"a license is missing before `{text}`")
            if text != ")":
                before = text.upper()
            elif open_at:
                open_at.pop()
            else:
                yield LicenseProblem(start, end, "`)` closes no parenthesis")
        elif complete:
            yield LicenseProblem(start, end, f"`AND`, `OR` or `WITH` is missing before `{text}`")
        else:
            problem = (_of_exception if before == "WITH" else _of_license)(start, end, text)
            if problem is not None:
                yield problem
            before = "exception" if before == "WITH" else "license"
    if before not in ("license", "exception"):
        start, end, text = tokens[-1]
        yield LicenseProblem(start, end, f"a license is missing after `{text}`")
    if open_at:
        yield LicenseProblem(*open_at[0], "the parenthesis is not closed")


def _is_operator(text: str) -> bool:
    return text.upper() in _OPERATORS


def _of_license(start: int, end: int, text: str) -> LicenseProblem | None:
    known = identifiers()
    name = known.licenses.get(text.lower()) or known.licenses.get(text.removesuffix("+").lower())
    if name is None:
        if _OWN.fullmatch(text):
            return None
        near = _near(text, known.current)
        message = f"`{text}` is not an SPDX license identifier"
        if near:
            asked = " or ".join(f"`{it}`" for it in near)
            meant = near[0] if len(near) == 1 else None
            return LicenseProblem(start, end, f"{message}; did you mean {asked}?", meant)
        own = OWN + (_NOT_OF_NAME.sub("-", text.removeprefix(OWN)).strip("-.") or "NAME")
        message += f"; for a license that is not in its list, write `{own}`"
        return LicenseProblem(start, end, message, own if not own.endswith("NAME") else None)
    if name not in known.deprecated:
        return None
    later = text.endswith("+")
    base = known.licenses.get(f"{name.removesuffix('+')}-{'or-later' if later else 'only'}".lower())
    message = f"SPDX has deprecated `{name}`"
    return LicenseProblem(start, end, f"{message}; use `{base}`" if base else message, base)


def _near(text: str, known: Collection[str]) -> list[str]:
    """Return what a name most likely stands for: one identifier, or a few that fit alike.

    A name without its version is that of the newest.
    """
    name = _VERSION.sub(r"\1-\2", _WORDS.sub("", _NOT_OF_NAME.sub("-", text))).strip("-.")
    same = spelt_alike(name, known)
    if same is not None:
        return [same]
    started = [it for it in known if it.lower().startswith(name.lower())] if name else []
    versions = {
        it: _versions(found[1]) for it in started if (found := _REST.fullmatch(it[len(name) :]))
    }
    if versions:
        newest = max(versions.values())
        return [it for it, version in versions.items() if version == newest]
    meant = nearest(name, known) if len(name) > _TOO_SHORT else None
    return [meant] if meant is not None else []


def _versions(text: str | None) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text or "")))


def _of_exception(start: int, end: int, text: str) -> LicenseProblem | None:
    known = identifiers()
    name = known.exceptions.get(text.lower())
    if name is not None or _OWN.fullmatch(text):
        return None
    meant = nearest(text, known.exceptions.values())
    hint = f"; did you mean `{meant}`?" if meant else ""
    return LicenseProblem(start, end, f"`{text}` is not an SPDX license exception{hint}", meant)
