"""Hovers on types of assertions, and on the keys whose meaning the type decides."""

from __future__ import annotations

from functools import cache

from suitecase.editor.markdown import fenced
from suitecase.editor.place import Place
from suitecase.formats.promptfoo.suite.parsed import Reading
from suitecase.schema.key_roles import Role
from suitecase.schema.key_texts import key_beside
from suitecase.text.compose import compose
from suitecase.text.emitting import yaml_text
from suitecase.text.node import Mapping, Scalar, at, plain
from suitecase_evaluators.promptfoo.assertion_type import NEGATION, AssertionType
from suitecase_evaluators.schema.field_role import FieldRole

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


def assertion_text(place: Place, roles: tuple[Role, ...], reading: Reading) -> str | None:
    """Return what the type of an assertion says about a place in it; None if it says nothing.

    Args:
        place: the place.
        roles: what the value there is.
        reading: how the file is read.
    """
    holder = at(place.root, place.path[:-1])[0] if place.path else None
    key = key_beside(place.model, place.root, place.path, FieldRole.GRADER_TYPE)
    kind = holder.get(key) if isinstance(holder, Mapping) and key is not None else None
    found = reading.assertion_type(kind.text) if isinstance(kind, Scalar) else None
    if found is None:
        return None
    known, negated = found
    if FieldRole.GRADER_TYPE in roles:
        return type_text(known, negated=negated)
    if place.on_key and FieldRole.GRADED_BY in roles:
        return f"For `{known.name}`: {_value(known)}."
    if place.on_key and FieldRole.GRADER_THRESHOLD in roles:
        scale = known.threshold
        return f"For `{known.name}`: {scale.in_words if scale is not None else 'it is not used'}."
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
