"""Completion of environment variables in a targets file, inside `${{ }}`.

Only names that files of the workspace mention, and the usual one for a provider's key: the editor's
own environment is private, its values most of all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.cursor import line_start
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.format.target_places import PLACES
from suitecase.format.workspace import Folder, Found
from suitecase.text.node import Mapping, Scalar, Span
from suitecase_evaluators.targets.config.file import model_of_provider
from suitecase_evaluators.targets.config.llm import LiteLlmConfig, LlmConfig
from suitecase_evaluators.targets.variable_names import PLACEHOLDER

#: Files that list the variables of a project; `.env` itself, with its secrets, is not read.
EXAMPLES = (".env.example", ".env.sample", ".env.template", ".env.dist", "example.env")
_OPEN = re.compile(r"\$\{\{([ \t]*)(\w*)\Z")
_BEGUN = re.compile(r"\w*|\$\{?")
_REST = re.compile(r"(\w*)([ \t]*\}\})?")
_ASSIGNED = re.compile(
    r"^[ \t]*(?:#[ \t]*)?(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=", re.MULTILINE
)
#: The keys of a target that tell its provider.
_TELLS = ("provider", "model")
_NO_NAME = re.compile(r"\W+")


def environment(context: Context, folder: Folder | None) -> list[Item] | None:
    """Return the variables after `${{`, or as the value of a key; None elsewhere."""
    text, offset = context.text, context.offset
    opened = _OPEN.search(text[line_start(text, offset) : offset])
    rest = _REST.match(text, offset)
    if opened is None or rest is None:
        return _whole(context, folder)
    span = Span(offset - len(opened[2]), rest.end(1))
    before = "" if opened[1] else " "
    closing = "" if rest[2] and rest[2][0] in " \t" else " " if rest[2] else " }}"
    sources: dict[str, str] = {}
    for name, source in (*_mentioned(text, span, folder), *_own_key(context)):
        sources.setdefault(name, source)
    return [
        Item(
            label=name,
            kind=ItemKind.VARIABLE,
            template=(f"{before}{name}{closing}",),
            detail=where,
            typed=name,
            span=span,
        )
        for name, where in sources.items()
    ]


def _whole(context: Context, folder: Folder | None) -> list[Item] | None:
    """Return variables with their braces, where an API key is expected and nothing else is there."""
    field = context.field
    is_key = field is not None and field.name == "api_key"
    if not is_key or not _BEGUN.fullmatch(context.word) or context.followed or context.in_prose:
        return None
    sources: dict[str, str] = {}
    for name, source in (*_own_key(context), *_mentioned(context.text, context.span, folder)):
        sources.setdefault(name, source)
    return [
        Item(
            label=f"${{{{ {name} }}}}",
            kind=ItemKind.VARIABLE,
            template=(context.lead, f"${{{{ {name} }}}}"),
            detail=where,
            typed=f"${{{{ {name}" if context.word.startswith("$") else name,
            span=context.span,
        )
        for name, where in sources.items()
    ]


def _mentioned(text: str, span: Span, folder: Folder | None) -> Iterator[tuple[str, str]]:
    """Yield the variables mentioned in the text, except the one at the cursor, and in other files."""
    for match in PLACEHOLDER.finditer(text):
        if match.start(1) != span.start:
            yield match[1], "named in this file"
    if folder is None:
        return
    for name in EXAMPLES:
        for variable in _ASSIGNED.findall(_text(folder, name)):
            yield variable, f"named in `{name}`"
    for place in PLACES:
        for match in PLACEHOLDER.finditer(_text(folder, place)):
            if match[1] != text[span.start : span.end]:
                yield match[1], f"named in `{place}`"


def _own_key(context: Context) -> Iterator[tuple[str, str]]:
    """Yield the conventional variable for the key of a model, such as `OPENAI_API_KEY`."""
    field = context.field
    if field is None or field.name != "api_key" or not issubclass(field.model, LlmConfig):
        return
    target = context.parent if isinstance(context.parent, Mapping) else None
    provider, model = (
        node.text if isinstance(node, Scalar) else ""
        for node in (target.get(key) if target is not None else None for key in _TELLS)
    )
    name = (
        model.partition("/")[0]
        if model_of_provider(provider) is LiteLlmConfig and "/" in model
        else provider
    )
    if name:
        yield f"{_NO_NAME.sub('_', name).upper()}_API_KEY", "a name for this key"


def _text(folder: Folder, name: str) -> str:
    """Return the text of the nearest file with a name, searching upwards; empty if there is none."""
    match = folder.find(name)
    text = folder.read(match.path) if isinstance(match, Found) else ""
    return text if isinstance(text, str) else ""
