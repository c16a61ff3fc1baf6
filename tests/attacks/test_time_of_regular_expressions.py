"""A search takes time in proportion to the length of a text, whatever repeats in it, with every expression of ours.

Nothing can end a search: a language server answers nobody meanwhile, and no limit of time is kept.
A third of the expressions is tried, another one each time; `make sweep` tries all.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import suitecase
import suitecase_evaluators
from support.samples import sample

#: Expressions that get no long text, and why.
SHORT = {
    "suitecase.formats.promptfoo.rendering.string_filters._TAG": "its budget counts each `<`",
    "suitecase.formats.promptfoo.rules.prompt_texts._PRINTED": "searched up to the last `}}`",
    "suitecase.formats.promptfoo.running.providers.requests._PRINTED": "searched up to the last `}}`",
    "suitecase.editor.completion.formulas._FIGURE": "1,000 characters before the cursor",
    "suitecase.evidence.labels.spreadsheet_cells._VALUE": "300 characters",
    "suitecase.text.scalar.OLD_READINGS": "matched with whole texts, one attempt each",
    "suitecase_evaluators.promptfoo.graders.is_html._SELF_CLOSING": "a text that ends in `/`, so the first tag is found",
    "suitecase_evaluators.answers.refusal_patterns.PREFACES": "the first 400 characters",
    "suitecase_evaluators.targets.secret_forms._TOKEN_HEAD": "8,192 characters",
}
#: Characters that texts repeat, beside those of the expressions.
CHARACTERS = 'a1- \t\n"\\(.,#:=@/{[_é%'
#: What nothing expects behind them.
END = "\0"
#: The lengths are increased in small steps, since some expressions double their time with each character.
LENGTHS = (8, 16, 24, 32, 40, 48, 64, 96, 400, 4000)
#: From this length on, four times the length is tried. What is slow before takes more than the square of it.
LONG = 4000
#: In seconds of processor time: more than ten times what a search of this length takes.
SLOW = dict.fromkeys(LENGTHS, 0.0007) | {400: 0.008, LONG: 0.004}
#: How many times the time four times the length may take: 4 in proportion, 16 if it grows with the square.
MOST = 9

_METHODS = "search|match|fullmatch|finditer|findall|sub|subn|split"


class Text(NamedTuple):
    """A text that repeats a part."""

    start: str
    part: str
    end: str

    def of(self, length: int, expression: re.Pattern[Any]) -> Any:
        text = self.start + self.part * max(1, length // len(self.part)) + self.end
        return text.encode() if isinstance(expression.pattern, bytes) else text


def test_every_expression_takes_time_in_proportion() -> None:
    found = _expressions()
    assert len(found) > 600
    listed = {name for names in found.values() for name in names}
    assert listed >= SHORT.keys()
    slow = [
        f"{', '.join(names)}: {expression.pattern!r} takes too long for {text} as its text"
        for expression, names in sample(found.items())
        if SHORT.keys().isdisjoint(names)
        for text in _slow_texts(expression, set().union(*names.values()))
    ]
    assert slow == []


def _expressions() -> dict[re.Pattern[Any], dict[str, set[str]]]:
    """Return each expression with its names, and with how it is used by each."""
    found: dict[re.Pattern[Any], dict[str, set[str]]] = {}
    for package in (suitecase, suitecase_evaluators):
        root = Path(package.__path__[0])
        for file in sorted(root.rglob("*.py")):
            source = file.read_text("utf-8")
            if "import re\n" not in source or file.name == "__main__.py":
                continue
            parts = (package.__name__, *file.relative_to(root).with_suffix("").parts)
            module = import_module(".".join(parts).removesuffix(".__init__"))
            for name, value in vars(module).items():
                for expression in _within(value):
                    used = re.findall(rf"\b{name}\.({_METHODS})\b", source)
                    # Where it is used otherwise, it may be for searching.
                    found.setdefault(expression, {})[f"{module.__name__}.{name}"] = set(
                        used or ["search"]
                    )
            for way, text in re.findall(
                rf"\bre\.({_METHODS})\(\s*(\w+|rb?\"[^\"\n]*\")\s*,", source
            ):
                written = getattr(module, text, None) if text.isidentifier() else eval(text)
                if isinstance(written, str | bytes):
                    found.setdefault(re.compile(written), {})[f"{module.__name__}: {text}"] = {way}
    return found


def _within(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from _within((*value, *value.values()))
    elif isinstance(value, tuple | list | set | frozenset):
        for item in value:
            yield from _within(item)


def _slow_texts(expression: re.Pattern[Any], ways: set[str]) -> Iterator[Text]:
    """Yield the first text that is slow, for each way in which an expression is used."""
    texts = _texts(expression)
    for way in ways if ways <= {"match", "fullmatch"} else {"finditer"}:
        yield from _first_slow_text(expression, way, texts)


def _first_slow_text(expression: re.Pattern[Any], way: str, texts: list[Text]) -> Iterator[Text]:
    for length in LENGTHS:
        all_texts = [text.of(length, expression) for text in texts]
        if length < LONG and _time(expression, way, all_texts) < SLOW[length]:
            continue
        for text in texts:
            if _is_slow(expression, way, text, length):
                yield text
                return


def _is_slow(expression: re.Pattern[Any], way: str, text: Text, length: int) -> bool:
    one = text.of(length, expression)
    if any(_time(expression, way, [one]) < SLOW[length] for _ in range(3)):
        return False
    if length < LONG or _time(expression, way, [one]) > 100 * SLOW[length]:
        return True
    four = text.of(4 * length, expression)
    return all(
        _time(expression, way, [four]) > MOST * _time(expression, way, [one]) for _ in range(3)
    )


def _time(expression: re.Pattern[Any], way: str, texts: Iterable[Any]) -> float:
    search = getattr(expression, way)
    start = time.thread_time()
    for text in texts:
        found = search(text)
        if way == "finditer":
            for _ in found:
                pass
    return time.thread_time() - start


def _texts(expression: re.Pattern[Any]) -> list[Text]:
    written = expression.pattern
    source = written.decode("latin-1") if isinstance(written, bytes) else written
    tree = import_module("re._parser").parse(source, expression.flags)
    texts = {Text("", character, END) for character in CHARACTERS}
    whole = _example(tree)
    texts |= {Text("", whole[:length], END) for length in range(1, min(len(whole), 12) + 1)}
    for start, part in _repetitions(tree, ""):
        texts.add(Text(start, part, END))
        repeated = (part, f"{part} ", start, start + part, start + part * 3)
        texts |= {Text("", piece, END) for piece in repeated if piece}
    return sorted(texts)


def _repetitions(tree: Any, start: str) -> Iterator[tuple[str, str]]:
    """Yield what an expression repeats, each with an example of what stands before it."""
    for node in tree:
        kind, value = str(node[0]), node[1]
        if kind.endswith("REPEAT") and value[1] > 20:
            yield from ((start, part) for part in _parts(value[2]) if part)
        for inner in _inner(kind, value):
            yield from _repetitions(inner, start)
        start += _example([node])


def _parts(tree: Any) -> Iterator[str]:
    """Yield examples of what a repetition repeats."""
    nodes = list(tree)
    kind, value = str(nodes[0][0]), nodes[0][1]
    if len(nodes) > 1:
        yield _example(nodes)
    elif kind in ("SUBPATTERN", "BRANCH", "ATOMIC_GROUP"):
        for inner in _inner(kind, value):
            yield from _parts(inner)
    else:
        yield from _characters(kind, value) or [_example(nodes)]


def _inner(kind: str, value: Any) -> list[Any]:
    if kind.endswith("REPEAT"):
        return [value[2]]
    if kind == "BRANCH":
        return [branch for branch in value[1] if branch]
    if kind == "SUBPATTERN":
        return [value[3]] if value[3] else []
    if kind in ("ASSERT", "ASSERT_NOT"):
        return [value[1]]
    return [value] if kind == "ATOMIC_GROUP" else []


def _example(tree: Any) -> str:
    """Return a short text that matches, but for assertions."""
    text = ""
    for operation, value in tree:
        kind = str(operation)
        if kind.endswith("REPEAT"):
            text += _example(value[2]) * value[0]
        elif kind in ("SUBPATTERN", "BRANCH", "ATOMIC_GROUP"):
            text += next(map(_example, _inner(kind, value)), "")
        else:
            text += next(iter(_characters(kind, value)), "")
    return text


def _characters(kind: str, value: Any) -> list[str]:
    """Return some characters that one node of an expression matches."""
    if kind not in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
        return []
    members = value if kind == "IN" else [(kind, value)]
    own = [
        chr(it if isinstance(it, int) else it[0])
        for what, it in members
        if str(what) in ("LITERAL", "RANGE")
    ]
    return [each for each in dict.fromkeys((*own, *CHARACTERS)) if _is_one(members, each)][:6]


def _is_one(members: Any, character: str) -> bool:
    negated = str(members[0][0]) == "NEGATE"
    return any(map(_matches, members[negated:], [character] * len(members))) != negated


def _matches(member: Any, character: str) -> bool:
    kind, value = str(member[0]), member[1]
    if kind == "RANGE":
        return bool(value[0] <= ord(character) <= value[1])
    if kind == "CATEGORY":
        letter = str(value).rpartition("_")[2][0].lower()
        return (
            re.match(rf"\{letter.upper() if 'NOT' in str(value) else letter}", character)
            is not None
        )
    return kind == "ANY" or (ord(character) == value) is (kind == "LITERAL")
