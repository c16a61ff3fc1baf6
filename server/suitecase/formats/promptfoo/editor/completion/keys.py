"""Completion of keys: those that are missing, as far as they are used beside the ones that are there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.keys import entry, key_item, span_of_key, typed_key
from suitecase.editor.completion.skeletons import fields_of
from suitecase.editor.completion.template import Break, Stop, Template
from suitecase.formats.promptfoo.editor.completion.context import Cursor
from suitecase.formats.promptfoo.editor.completion.names import wanted_variables
from suitecase.formats.promptfoo.suite.models.prompt import PromptObject
from suitecase.formats.promptfoo.suite.models.provider import ProviderObject
from suitecase.schema.fields import Field, alternatives
from suitecase_evaluators.promptfoo.assertion_types import ASSERTION_TYPES
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: The keys that most configurations begin with, in promptfoo's spelling.
_FIRST = ("description", "prompts", "providers", "defaultTest", "tests")
#: The same for tests and what is in them.
_FIRST_IN_TEST = ("description", "vars", "assert", "type", "value", "threshold", "options")
#: Keys whose value is a list that begins on the next line, and what its first item begins with.
_LISTS = {
    "prompts": "",
    "providers": "",
    "targets": "",
    "tests": "",
    "assert": "type: ",
    "extensions": FILE_SCHEME,
}
_MAPPINGS = frozenset(
    [
        "defaultTest",
        "vars",
        "options",
        "config",
        "env",
        "metadata",
        "tags",
        "evaluateOptions",
        "commandLineOptions",
    ]
)
_GRADED_BY_MODELS = frozenset({"model", "embedding", "classifier"})
#: Keys of assertions of some types only.
_OWN_KEYS = frozenset(key for kind in ASSERTION_TYPES.values() for key in kind.own_keys)


def keys(cursor: Cursor) -> Iterator[Item]:
    """Yield the keys that are missing, the likeliest first."""
    context = cursor.context
    yield from variables_to_set(cursor)
    model = _model(cursor)
    if model is None:
        return
    present = context.present if context.shape == "key" else frozenset()
    fields = [
        it
        for it in fields_of(model).values()
        if it.name not in present and not it.info.deprecated and _fits(it, cursor, present)
    ]
    in_head = cursor.in_test is None
    first = [cursor.whole.file.reading.key(it) for it in (_FIRST if in_head else _FIRST_IN_TEST)]
    fields.sort(key=lambda it: _rank(it, first))
    for field in fields:
        yield key_item(field, context, _start(field, cursor))


def variables_to_set(cursor: Cursor) -> Iterator[Item]:
    """Yield the names of variables, under `vars`."""
    context = cursor.context
    path = context.holder if context.shape == "key" else context.path
    if cursor.in_test is None or path[-1:] != ("vars",):
        return
    present = context.present if context.shape == "key" else frozenset()
    quote = '"' if context.layout.quotes_keys else ""
    start: Template = (f": {quote}", Stop(), quote)
    for name, detail in wanted_variables(cursor.whole):
        if name and name not in present and name != context.word:
            yield Item(
                label=name,
                kind=ItemKind.VARIABLE,
                template=entry(name, context, start),
                detail=detail,
                typed=typed_key(name, context),
                span=span_of_key(context),
            )


def _model(cursor: Cursor) -> type[BaseModel] | None:
    """Return the model whose keys may stand at the cursor: the simplest of several."""
    models = cursor.context.models
    path = cursor.context.holder if cursor.context.shape == "key" else cursor.context.path
    if path == ("tests",):
        return None  # a list begins there
    if models:
        return models[0]
    return ProviderObject if path[-1:] == ("provider",) else None


def _rank(field: Field, first: list[str]) -> tuple[bool, int]:
    is_first = field.name in first
    return not (field.info.is_required() or is_first), first.index(field.name) if is_first else 0


def _fits(field: Field, cursor: Cursor, present: frozenset[str]) -> bool:
    """Whether a key is used beside the ones that are there."""
    name = field.name
    if name == "$schema":
        return cursor.context.layout.quotes_keys
    if name in ("targets", "plugins", "strategies") and not cursor.context.holder:
        return False  # of red teams
    if name in ("template", "function") and field.model is PromptObject:
        return False  # which nobody writes in YAML
    if name == "providers" and "targets" in present:
        return False
    if cursor.assertion is None:
        return True
    found = cursor.whole.file.reading.assertion_type(cursor.type_text)
    if found is None:
        return name not in _OWN_KEYS
    kind = found[0]
    if name in _OWN_KEYS and name not in kind.own_keys:
        return False
    if name == "value":
        return bool(kind.values)
    if name == "threshold":
        return kind.threshold is not None
    if name in ("provider", "rubricPrompt", "rubric_prompt"):
        return kind.graded_by in _GRADED_BY_MODELS
    return True


def _start(field: Field, cursor: Cursor) -> Template | None:
    """Return the colon and the initial text of a value that is not what its type begins with."""
    context = cursor.context
    if context.flow or context.layout.quotes_keys:
        return _start_in_line(field, cursor)
    if {str, bool} <= set(alternatives(field.info.annotation)):
        return (": ", Stop())
    return start_of(_canonical(field.name, cursor), context, in_test=cursor.in_test is not None)


def _start_in_line(field: Field, cursor: Cursor) -> Template | None:
    """Return the colon and the initial text of a value in braces."""
    name = _canonical(field.name, cursor)
    if name in _LISTS or name in ("prompts", "providers"):
        return (": [", Stop(), "]")
    if name in _MAPPINGS:
        return (": {", Stop(), "}")
    types = set(alternatives(field.info.annotation))
    if {str, bool} <= types or field.info.annotation is Any:
        quote = '"' if cursor.context.layout.quotes_keys else ""
        return (f": {quote}", Stop(), quote)
    return None


def _canonical(name: str, cursor: Cursor) -> str:
    spellings = cursor.whole.file.reading.vocabulary.spellings
    return next((ours for ours, theirs in spellings.items() if theirs == name), name)


def start_of(name: str, context: Context, *, in_test: bool) -> Template | None:
    """Return the colon and the initial text of a list or a mapping below its key."""
    column, layout = context.column, context.layout
    if name in ("prompts", "providers") and (in_test or context.holder):
        return (": [", Stop(), "]")
    if name in _LISTS:
        return (":", Break(column + layout.dash_step), f"- {_LISTS[name]}", Stop())
    if name in _MAPPINGS:
        return (":", Break(column + layout.step), Stop())
    return None
