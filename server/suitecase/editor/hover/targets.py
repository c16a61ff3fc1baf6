"""Hovers on targets, without their secrets, and on the environment variables they need."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from collections.abc import Mapping as MappingOf
from typing import Any

from suitecase.editor.answering import judge_of, target_entry
from suitecase.editor.markdown import code, cut_text, fenced
from suitecase.format.target_files import EMBEDDED, ParsedTarget, ParsedTargets
from suitecase.text.document import Document
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.targets.configured_secrets import NAMING_FIELDS
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.variable_names import PLACEHOLDER

_HIDDEN = "(not shown)"
_LONGEST = 300
_MOST_ITEMS = 20
#: Names of settings that may be secret.
_SECRET_NAME = re.compile(
    r"key|token|secret|passw|credential|auth|bearer|cookie|signature|\bsig\b", re.IGNORECASE
)
#: In a text: such a name as an option or before a value, the query or account of a URL, or what
#: looks like a key.
_SECRET_TEXT = re.compile(
    rf"(?<![\w-])(?>[\w-]*?(?:{_SECRET_NAME.pattern}))[\w-]*+[\"']?\s*+[:=]"
    rf"|(?<![\w-])\w*+-[\w-]*(?:{_SECRET_NAME.pattern})|\bbearer\s"
    r"|\?[\w.-]+=|//[^/@\s]+@|\b(?=\w*\d)(?=\w*[A-Za-z])[\w-]{20,}",
    re.IGNORECASE,
)


def target_text(name: str, targets: ParsedTargets | None, display_path: str) -> str | None:
    """Return the definition of a target as Markdown; None if it is unknown.

    Placeholders are shown by name; their values are never looked up.

    Args:
        name: the name of the target.
        targets: the targets file, if any.
        display_path: the display path of that file.
    """
    entry = target_entry(name, targets)
    if entry is None or targets is None:
        if name != EMBEDDED:
            return None
        return (
            f"**`{EMBEDDED}`** · the embedded target\n\nIt repeats the question, and judges by the "
            "words of the rubric that occur in the answer. It needs no key and asks no model."
        )
    line = targets.document.lines.number(entry.node.start)
    provider = entry.provider.text if entry.provider is not None else "no provider"
    parts = [
        f"**{code(name)}** · {code(provider)} · {code(display_path)}, line {line}",
        fenced("\n".join(_entries(entry.node, "")), "yaml"),
    ]
    judge = judge_of(name, targets)
    if judge == name:
        parts.append("Its answers are judged by itself, unless an evaluator names another target.")
    else:
        parts.append(f"Its answers are judged by {code(judge)}.")
    variables = _variables(entry)
    if variables:
        parts.append("From the environment: " + ", ".join(map(code, variables)) + ".")
    return "\n\n".join(parts)


def _variables(target: ParsedTarget) -> list[str]:
    names: list[str] = []
    remaining: list[Node] = [target.node]
    while remaining:
        current = remaining.pop()
        if isinstance(current, Scalar):
            names += PLACEHOLDER.findall(current.text)
        else:
            remaining += _values(current)
    return sorted(set(names))


def _values(node: Mapping | Sequence) -> list[Node]:
    return node.items if isinstance(node, Sequence) else [entry.value for _, entry in node]


def _entries(node: Mapping, indent: str) -> Iterator[str]:
    for name, entry in node:
        yield from _entry(f"{indent}{name}:", name, entry.value, indent)


def _entry(start: str, name: str, value: Node, indent: str) -> Iterator[str]:
    if isinstance(value, Scalar):
        yield f"{start} {_scalar(name, value)}".rstrip()
    elif isinstance(value, Mapping):
        yield start
        yield from _entries(value, f"{indent}  ")
    else:
        yield start
        for item in value.items[:_MOST_ITEMS]:
            if isinstance(item, Scalar):
                yield f"{indent}  - {_scalar(name, item)}"
            else:
                yield f"{indent}  - {_HIDDEN}"
        if len(value.items) > _MOST_ITEMS:
            yield f"{indent}  # {len(value.items) - _MOST_ITEMS} more"


def _scalar(name: str, scalar: Scalar) -> str:
    value: Any = scalar.value
    if not isinstance(value, str):
        return scalar.text if not _SECRET_NAME.search(name) or _counts(name, value) else _HIDDEN
    literal = PLACEHOLDER.sub("", value)
    if not literal.strip():
        return " ".join(value.split())
    if name not in NAMING_FIELDS and (_SECRET_NAME.search(name) or _SECRET_TEXT.search(literal)):
        named = [match.group() for match in PLACEHOLDER.finditer(value)]
        return " … ".join(["", *named, ""]).strip() if named else _HIDDEN
    redactor = Redactor()
    redactor.remember_environment(os.environ)
    return cut_text(" ".join(redactor(value).split()), _LONGEST)


def _counts(name: str, value: object) -> bool:
    """Whether a setting with such a name is a number of tokens, not a numeric secret."""
    return value is None or isinstance(value, bool | float) or name.endswith(("tokens", "minute"))


def environment_variable_at(
    document: Document, offset: int, environ: MappingOf[str, str]
) -> tuple[Span, str] | None:
    """Return the variable in `${{ }}` at an offset, and whether it is set, never its value.

    Args:
        document: a targets file.
        offset: in code points from the start of the document.
        environ: the environment of runs.
    """
    line, column = document.lines.position(offset)
    for match in PLACEHOLDER.finditer(document.lines.text(line)):
        if match.start() <= column <= match.end():
            start = offset - column + match.start()
            return Span(start, offset - column + match.end()), _description(match[1], environ)
    return None


def _description(name: str, environ: MappingOf[str, str]) -> str:
    location = "in the environment of the language server, in which runs are started"
    value = environ.get(name)
    if value is None:
        return (
            f"`{name}` is **not set** {location}. Cases that use this target cannot run until the "
            f"editor is started with it."
        )
    if not value:
        return f"`{name}` is **empty** {location}, which counts as unset."
    return f"`{name}` is **set** {location}. Its value is not shown."
