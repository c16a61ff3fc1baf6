"""The files that are derived from the code: `python -m suitecase.derived [--check]`.

Pages of rules come from the rules' docstrings, JSON Schemas and the reference from the models and the
commands. They are committed, so
that people can read and link to them, and a test says when one is stale.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from suitecase.text.addresses import json_schema
from suitecase_evaluators.system.path_kinds import is_there

ROOT = Path(__file__).parents[2]


_SETTINGS_HEAD = """\
# Settings of the language server

Settings are under `suitecase` in an editor's settings, or are initialization options, with or without
that key: `{"suitecase": {"codeLens": false}}`. If the client supports it, the server requests the
settings of each folder. `null` means not set. An invalid value is reported and treated as not set.
`inlayHints` may be true or false for all its kinds.

These settings do not change which findings are reported: that is configured in `suitecase.toml`, so
that the editor reports the same as CI.

| Setting | Default | What it does |
| --- | --- | --- |"""


def derived_files() -> dict[Path, str]:
    """Return the text each derived file should have, by its path in the repository."""
    from suitecase.checking.rules import all_rules, families
    from suitecase.cli import group
    from suitecase.cli.completing.answer import TABLE as COMPLETION_TABLE
    from suitecase.cli.completing.table import derive as derive_completion_table
    from suitecase.reference.pages import pages
    from suitecase.reference.rules import list_of_rules
    from suitecase_evaluators.promptfoo.reference_page import NAME as ASSERTIONS_PAGE
    from suitecase_evaluators.promptfoo.reference_page import page as assertions_page

    files = _table_of_assertion_types()
    files |= {Path("docs", "rules", f"{rule.name}.md"): rule.markdown() for rule in all_rules()}
    files[Path("docs", "rules", "README.md")] = list_of_rules(all_rules(), families())
    reference = {**pages(group), ASSERTIONS_PAGE: assertions_page()}
    files |= {Path("docs", "reference", name): text for name, text in reference.items()}
    files[Path("docs", "editors", "settings.md")] = _table_of_settings()
    files[COMPLETION_TABLE.relative_to(ROOT)] = derive_completion_table()
    for name, schema in _schemas().items():
        text = json.dumps(schema, indent=2, ensure_ascii=False)
        files[Path("schemas", f"{name}.schema.json")] = text + "\n"
    return files


def stale() -> list[Path]:
    """Return the derived files that are not what they should be, and those nothing derives."""
    files = derived_files()
    wrong = [
        path
        for path, text in files.items()
        if not is_there(ROOT / path) or (ROOT / path).read_text("utf-8") != text
    ]
    places = ("docs/rules/*.md", "docs/reference/**/*.md", "schemas/*.schema.json")
    there = [path for pattern in places for path in ROOT.glob(pattern)]
    return wrong + [path.relative_to(ROOT) for path in there if path.relative_to(ROOT) not in files]


def _table_of_assertion_types() -> dict[Path, str]:
    from suitecase_evaluators.promptfoo.assertion_types import FILE, as_json
    from suitecase_evaluators.promptfoo.known_graders import described_types

    return {FILE.relative_to(ROOT): as_json(described_types())}


def _table_of_settings() -> str:
    from suitecase.lsp.settings import each_setting

    rows = [
        f"| `{name}` | `{json.dumps(field.get_default(call_default_factory=True))}` "
        f"| {field.description} |"
        for name, field in each_setting()
    ]
    return "\n".join([_SETTINGS_HEAD, *rows, ""])


def _schemas() -> dict[str, dict[str, Any]]:
    from pydantic import TypeAdapter

    from suitecase.cli.output.check.json_formats import FindingsJson
    from suitecase.figures.figures_schema import FiguresLine
    from suitecase.format.settings import Configuration
    from suitecase.formats.suitecase.model import SuiteFile
    from suitecase.run.record_model import RecordModel
    from suitecase_evaluators.targets.config import TargetsFile

    described: dict[str, tuple[TypeAdapter[Any], str]] = {
        "suite": (TypeAdapter(SuiteFile), "An evaluation suite"),
        "targets": (TypeAdapter(TargetsFile), "The targets of a workspace"),
        "configuration": (
            TypeAdapter(Configuration),
            "`suitecase.toml`, or `[tool.suitecase]` in `pyproject.toml`",
        ),
        "result": (TypeAdapter(RecordModel), "A line of a results file"),
        "figures": (TypeAdapter(FiguresLine), "A line of a file of figures, `*.figures.jsonl`"),
        "findings": (TypeAdapter(FindingsJson), "What `suitecase check --format json` prints"),
    }
    schemas: dict[str, dict[str, Any]] = {}
    for name, (adapter, title) in described.items():
        schema = adapter.json_schema()
        if name in ("suite", "targets", "configuration"):
            _allow_free_keys(schema)
        schemas[name] = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": json_schema(name),
            **schema,
            "title": title,
        }
    return schemas


def _allow_free_keys(schema: Any) -> None:
    """Let keys that start with `x-` stand wherever others are forbidden, as the checker does."""
    if isinstance(schema, dict):
        if schema.get("additionalProperties") is False:
            schema.setdefault("patternProperties", {})["^x-"] = {}
        for value in list(schema.values()):
            _allow_free_keys(value)
    elif isinstance(schema, list):
        for value in schema:
            _allow_free_keys(value)


def main(arguments: list[str]) -> int:
    """Write the derived files; with `--check` only say which are stale."""
    if "--check" in arguments:
        for path in stale():
            print(f"stale: {path}; run: python -m suitecase.derived")  # noqa: T201 - a script
        return 1 if stale() else 0
    for path, text in _table_of_assertion_types().items():
        (ROOT / path).write_text(text, "utf-8")  # first, since what the others say depends on it
    files = derived_files()
    for path in stale():
        if path in files:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(files[path], "utf-8")
        else:
            (ROOT / path).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
