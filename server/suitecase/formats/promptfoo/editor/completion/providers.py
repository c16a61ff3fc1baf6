"""Completion of the ids of providers: prefixes, with examples of models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.template import Stop, Template
from suitecase.formats.promptfoo.editor.completion.context import Cursor
from suitecase.formats.promptfoo.suite.providers.prefixes import (
    PREFIXES,
    ProviderKind,
    ProviderPrefix,
)
from suitecase.text.node import Span
from suitecase_evaluators.schema.field_role import FieldRole


def provider_ids(cursor: Cursor) -> Iterator[Item]:
    """Yield the ids of providers."""
    context = cursor.context
    if (
        FieldRole.TARGET not in cursor.roles
        or " " in context.typed
        or context.typed.startswith("file:")
    ):
        return
    if len(context.path) == 1 and cursor.in_test is None and context.shape != "inline":
        return
    quote = '"' if context.layout.quotes_keys and not context.style else ""
    whole = cursor.whole
    for label, shared in whole.shared_providers.items():
        yield Item(
            label=label,
            kind=ItemKind.TARGET,
            template=(f"{quote}{label}{quote}",),
            detail=f"{shared.id} in {whole.folder.shown(shared.path)}",
        )
    if whole.providers_file:
        return
    for prefix in PREFIXES.values():
        yield from _of_prefix(prefix, quote)


def ids_behind_colon(cursor: Cursor) -> list[Item]:
    """Return the ids that go on behind `- openai:`, which is a key as long as nothing follows."""
    context = cursor.context
    path = context.path
    if context.lead != " " or cursor.in_test is not None or len(path) != 3:
        return []
    prefix = PREFIXES.get(str(path[2]).partition(":")[0])
    is_listed = path[0] in ("providers", "targets") and not cursor.whole.providers_file
    if not is_listed or prefix is None or context.style:
        return []
    typed = f"{path[2]}:"
    span = Span(context.offset - len(typed), context.offset)
    if context.text[span.start : span.end] != typed:
        return []
    return [replace(it, span=span) for it in _of_prefix(prefix, "") if it.label != typed]


def _of_prefix(prefix: ProviderPrefix, quote: str) -> Iterator[Item]:
    for label, detail in _ids(prefix):
        yield Item(
            label=label,
            kind=ItemKind.TARGET,
            template=_template(label, prefix, quote),
            detail=detail,
            documentation=_documentation(prefix),
        )


def _template(label: str, prefix: ProviderPrefix, quote: str) -> Template:
    """Return an id; a colon at its end would make a key of it."""
    if not label.endswith(":"):
        return (f"{quote}{label}{quote}",)
    rest = "provider.py" if prefix.kind is ProviderKind.CODE else "model"
    return (f"{quote}{label}", Stop(rest), quote)


def _ids(prefix: ProviderPrefix) -> Iterator[tuple[str, str]]:
    title = prefix.description.partition(";")[0]
    mode = f"{prefix.modes[0]}:" if prefix.name == "anthropic" or prefix.needs_mode else ""
    for model in prefix.models:
        yield f"{prefix.name}:{mode}{model}", title
    if prefix.alone:
        yield prefix.name, title
    elif not prefix.models:
        yield f"{prefix.name}:{mode}", title


def _documentation(prefix: ProviderPrefix) -> str:
    texts = [f"{prefix.description}."]
    if prefix.modes:
        texts.append(f"Modes: {', '.join(f'`{mode}`' for mode in prefix.modes)}")
    if prefix.key is not None:
        texts.append(f"API key: `{prefix.key}`")
    return "\n\n".join(texts)
