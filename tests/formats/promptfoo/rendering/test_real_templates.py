"""Templates that people wrote are filled in as in nunjucks.

The templates are next to some checkouts of the repository, not in it. nunjucks is installed with the tools
that benchmarks compare with (`make benchmark-peers`).
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from suitecase.derived import ROOT
from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.render import render_text
from suitecase.formats.promptfoo.rendering.supported import unsupported
from suitecase.formats.promptfoo.templates.template import is_template, read_template
from suitecase.formats.promptfoo.templates.uses import Use
from suitecase.text.node import Mapping, Node, Scalar, Sequence
from suitecase.text.parsing import parse

FOLDER = ROOT.parent / "shared" / "corpus" / "promptfoo"
MODULES = ROOT / "benchmarks" / ".peers" / "node_modules"
SCRIPT = Path(__file__).parent / "render_with_nunjucks.cjs"
_TEXTS = (".txt", ".md", ".json", ".jsonl", ".j2", ".csv", ".njk")
_YAML = (".yaml", ".yml")

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="no templates that people wrote")


def _scalars(node: Node | None) -> list[str]:
    match node:
        case Mapping():
            return [text for it in node.entries.values() for text in _scalars(it.value)]
        case Sequence():
            return [text for it in node.items for text in _scalars(it)]
        case Scalar():
            return [node.text]
        case _:
            return []


def _templates() -> list[str]:
    found: dict[str, None] = {}
    for path in sorted(FOLDER.rglob("*")):
        if not path.is_file() or path.suffix not in (*_TEXTS, *_YAML):
            continue
        text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        texts = [text] if path.suffix in _TEXTS else _scalars(parse(text, ()).head.node)
        found.update(dict.fromkeys(it for it in texts if is_template(it)))
    return list(found)


def _value(use: Use) -> Any:
    """Return a value that a template may expect of a variable."""
    value: Any = f'a "{use.name}" of\n{use.name}'
    for member in reversed(use.members):
        value = {member: value}
    return [value, value] if use.is_iterated else value


def _pairs() -> list[tuple[str, dict[str, Any]]]:
    pairs = []
    for template in _templates():
        uses = [it for it in read_template(template).uses if not it.is_environment]
        pairs.append((template, {it.name: _value(it) for it in uses}))
        pairs.append((template, {it.name: number for number, it in enumerate(uses)}))
        pairs.append((template, {}))
    return pairs


def test_real_templates_are_supported() -> None:
    templates = _templates()
    assert len(templates) > 50
    found = {
        template: [it.message for it in unsupported(template)]
        for template in templates
        if not read_template(template).problems
    }
    assert {template: it for template, it in found.items() if it} == {}


@pytest.mark.skipif(not (MODULES / "nunjucks").is_dir(), reason="nunjucks is not installed")
def test_real_templates_are_filled_in_as_by_nunjucks() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    pairs = _pairs()
    run = subprocess.run(
        [node, str(SCRIPT), "-"],
        input=json.dumps(pairs).encode(),
        env={"NODE_PATH": str(MODULES)},
        capture_output=True,
        check=True,
    )
    environment = {"HOME_TOWN": "Bern", "EMPTY": ""}
    for (template, variables), expected in zip(pairs, json.loads(run.stdout), strict=True):
        try:
            found: str | None = render_text(template, variables, environment)
        except UnsupportedTemplateError as error:
            pytest.fail(f"{error.message}: {template}")
        except TemplateError:
            found = None
        assert found == expected, template
