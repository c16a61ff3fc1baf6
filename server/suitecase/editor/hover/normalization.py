"""Hovers on `normalize`: the expected text after each step."""

from __future__ import annotations

from suitecase.checking.rules.evaluator_lists import own_list
from suitecase.checking.rules.synonyms import valid_normalize
from suitecase.editor.markdown import code, cut_text, fenced
from suitecase.editor.place import Place
from suitecase.formats.suitecase.case_messages import expected_messages
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.schema.fields import Field, field_at
from suitecase.schema.roles import key_with
from suitecase.text.node import Mapping, Scalar, Sequence, at, plain
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.grade.field_match import MISSING
from suitecase_evaluators.grade.field_match import field_at as value_at
from suitecase_evaluators.grade.normalize import normalized, steps_of
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.text.json_values import NotJsonError, find_json, show_json

#: Longer texts are cut.
_MOST = 200


def steps_at(suite: ParsedSuite, place: Place) -> str | None:
    """Return the expected text at a `normalize` after each of its steps; None elsewhere."""
    path = place.path[:-1] if place.path and isinstance(place.path[-1], int) else place.path
    field = field_at(place.model, place.root, path) if path else None
    if field is None or field.role is not FieldRole.NORMALIZE:
        return None
    holder, _, taken = at(place.root, path[:-1])
    if not isinstance(holder, Mapping) or taken < len(path) - 1:
        return None
    node = holder.get(path[-1]) if isinstance(path[-1], str) else None
    normalize = plain(node) if node is not None else None
    steps = steps_of(normalize) if valid_normalize(normalize) else ()
    found = _expected(suite, place, field, holder)
    if not steps or found is None:
        return None
    title, text = found
    rows = [("as it is", text)]
    for number, step in enumerate(steps, 1):
        rows.append((step, normalized(text, steps[:number])))
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:<{width}}  {cut_text(show_json(it), _MOST)}" for name, it in rows]
    shown = fenced("\n".join(lines))
    return f"{title}, step by step:\n\n{shown}"


def _expected(
    suite: ParsedSuite, place: Place, field: Field, holder: Mapping
) -> tuple[str, str] | None:
    """Return what the answer is compared with, and its title."""
    key = key_with(field.model, FieldRole.COMPARED_TEXT)
    value = holder.get(key) if key is not None else None
    if isinstance(value, Sequence) and value.items:
        value = value.items[0]
    if isinstance(value, Scalar) and isinstance(value.value, str):
        return f"**`{key}`**", value.text
    for number in range(len(suite.cases)) if place.case is None else (place.case,):
        case = suite.cases[number]
        if case.model is None or (place.case is None and own_list(case) is not None):
            continue
        text = _text_of(expected_messages(case.model), holder)
        if text is not None:
            name = f" of {code(case.id.text)}" if case.id is not None else ""
            return f"**Expected output**{name}", text
    return None


def _text_of(expected: tuple[Message, ...], holder: Mapping) -> str | None:
    """Return the text that a case expects, or that of a field whose path is beside."""
    path = holder.get("path")
    if not expected:
        return None
    if not isinstance(path, Scalar):
        return expected[-1].text
    try:
        found = value_at(path.text, find_json(expected[-1].text).value)
    except NotJsonError:
        return None
    return found if found is not MISSING and isinstance(found, str) else None
