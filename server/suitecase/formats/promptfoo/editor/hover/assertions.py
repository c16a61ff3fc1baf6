"""Hovers on types of assertions, and on the keys whose meaning the type decides."""

from __future__ import annotations

from functools import cache

from suitecase.editor.markdown import fenced
from suitecase.editor.place import Place
from suitecase.formats.promptfoo.suite.parsed import Reading
from suitecase.text.compose import compose
from suitecase.text.emitting import yaml_text
from suitecase.text.node import Mapping, Scalar, at, plain
from suitecase_evaluators.promptfoo.assertion_type import NEGATION, AssertionType

_GRADED_BY = {
    "text": "decided by the text of the answer",
    "model": "graded by a model",
    "code": "decided by code",
    "embedding": "graded by an embedding",
    "classifier": "graded by a classifier",
    "measure": "measured",
    "trace": "decided by the trace of the run",
    "set": "a set of assertions",
}


def type_at(place: Place, reading: Reading) -> tuple[AssertionType, bool] | None:
    """Return the type of the assertion around a place, and whether it is negated; None elsewhere."""
    path = place.path
    for length in range(len(path) - 1, 1, -1):
        if isinstance(path[length - 1], int) and path[length - 2] == "assert":
            node, _, taken = at(place.root, path[:length])
            kind = node.get("type") if isinstance(node, Mapping) and taken == length else None
            return reading.assertion_type(kind.text) if isinstance(kind, Scalar) else None
    return None


def is_in_assertion(place: Place) -> bool:
    """Whether a place is a key of an assertion, or the value of one."""
    path = place.path
    return len(path) > 2 and isinstance(path[-2], int) and path[-3] == "assert"


def assertion_text(place: Place, reading: Reading) -> str | None:
    """Return what the type of an assertion says about a place in it; None if it says nothing."""
    if not is_in_assertion(place):
        return None
    found = type_at(place, reading)
    if found is None:
        return None
    kind, negated = found
    match place.path[-1]:
        case "type":
            return type_text(kind, negated=negated)
        case "value" if place.on_key:
            return f"For `{kind.name}`: {_value(kind)}."
        case "threshold" if place.on_key:
            scale = kind.threshold
            what = scale.in_words if scale is not None else "it is not used"
            return f"For `{kind.name}`: {what}."
    return None


@cache
def type_text(kind: AssertionType, *, negated: bool = False) -> str:
    """Return the description of a type of assertion."""
    name = f"{NEGATION}{kind.name}" if negated else kind.name
    facts = [f"**`{name}`**", "assertion", _GRADED_BY[kind.graded_by]]
    texts = [" · ".join(facts), kind.description]
    if negated and kind.negatable:
        texts.append("`not-` inverts the result: the assertion passes where this does not hold.")
    elif negated:
        texts.append("This type has no negated form.")
    keys = [f"- `value`: {_value(kind)}"]
    if kind.threshold is not None:
        keys.append(f"- `threshold`: {kind.threshold.in_words}")
    if kind.negatable and not negated:
        keys.append(f"- `{NEGATION}{kind.name}` inverts the result")
    texts.append("\n".join(keys))
    if kind.example:
        texts.append(fenced(example(kind, negated=negated), "yaml"))
    return "\n\n".join(texts)


def example(kind: AssertionType, *, negated: bool = False) -> str:
    """Return an example of a type as an item of a list."""
    root = compose(kind.example).root
    if not isinstance(root, Mapping):
        return kind.example
    value = plain(root)
    if negated and kind.negatable:
        value["type"] = f"{NEGATION}{kind.name}"
    first, *rest = yaml_text(value).rstrip().split("\n")
    return "\n".join([f"- {first}", *(f"  {line}" for line in rest)])


def _value(kind: AssertionType) -> str:
    text = kind.values_in_words
    return f"{text}, required" if kind.value_required else text
