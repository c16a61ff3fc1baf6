"""Variables of the environment, where a targets file names them: whether they are set."""

from __future__ import annotations

from collections.abc import Mapping

from suitecase.syntax.document import Document
from suitecase.syntax.node import Span
from suitecase_evaluators.targets.config.placeholder import PLACEHOLDER


def environment_variable_at(
    document: Document, offset: int, environ: Mapping[str, str]
) -> tuple[Span, str] | None:
    """Return the variable in `${{ }}` at an offset, and whether it is set, never to what.

    Args:
        document: a targets file.
        offset: in code points from the start of the document.
        environ: the environment that runs are started in.
    """
    line, column = document.lines.position(offset)
    for found in PLACEHOLDER.finditer(document.lines.text(line)):
        if found.start() <= column <= found.end():
            start = offset - column + found.start()
            return Span(start, offset - column + found.end()), _said(found[1], environ)
    return None


def _said(name: str, environ: Mapping[str, str]) -> str:
    where = "in the environment of the language server, in which runs are started"
    value = environ.get(name)
    if value is None:
        return (
            f"`{name}` is **not set** {where}. Cases that use this target cannot run until the "
            f"editor is started with it."
        )
    if not value:
        return f"`{name}` is **empty** {where}, which counts as unset."
    return f"`{name}` is **set** {where}. Its value is not shown."
