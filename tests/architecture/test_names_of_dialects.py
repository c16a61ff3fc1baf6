"""No module outside `formats/` knows a dialect: what is special about one stands in its folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import suitecase
from suitecase import formats
from suitecase.format.dialect import dialect_named

PACKAGE = Path(suitecase.__file__).parent
FORMATS = Path(next(iter(formats.__path__)))
DIALECTS = sorted(it.parent.name for it in FORMATS.glob("*/dialect.py"))


def test_the_dialects_are_found() -> None:
    assert DIALECTS == ["agent_skills", "agentv", "promptfoo"]
    assert [dialect_named(it).name for it in DIALECTS] == DIALECTS


def test_no_module_outside_of_formats_imports_or_names_a_dialect() -> None:
    named = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        folded = text.casefold()
        if not path.is_relative_to(FORMATS) and any(name in folded for name in DIALECTS):
            tree = ast.parse(text)
            module = path.relative_to(PACKAGE).as_posix()
            named += [f"{module}:{line}: {what}" for line, what in _names(tree)]
    assert named == []


def _names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the imports of dialects, and the texts in the code that are the name of one."""
    documentation = {
        id(it.body[0].value)
        for it in ast.walk(tree)
        if isinstance(it, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and it.body
        and isinstance(it.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            module = node.module if isinstance(node, ast.ImportFrom) else None
            for name in [module or ""] if module else [it.name for it in node.names]:
                if any(name.startswith(f"suitecase.formats.{it}") for it in DIALECTS):
                    yield node.lineno, name
        if isinstance(node, ast.Constant) and id(node) not in documentation:
            text = str(node.value).casefold()
            if text in DIALECTS or "promptfoo" in text:
                yield node.lineno, text
