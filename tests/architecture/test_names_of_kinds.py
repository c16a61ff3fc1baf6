"""Evaluators and targets describe themselves: their names stand only where they are defined, or as listed here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from suitecase.derived import ROOT
from suitecase_evaluators.grade.registry import TYPES
from suitecase_evaluators.targets.config import PROVIDERS

SERVER = ROOT / "server" / "suitecase"
#: Modules of the server that name kinds of evaluators or targets, with the reason.
ALLOWED = {
    "cli/completing/values.py": "completes a command line, and imports nothing that reads suites",
    "figures/answer_values.py": "types in records, whose details are figures; `refusal` is a finish reason",
    "reference/evaluator_examples.py": "an example of each evaluator",
    "checking/rules/keys.py": "tells `criteria` of an `llm_judge` from the evaluator of that name",
    "checking/rules/target_settings.py": "`api_format` is a key of two providers in another tool",
    "run/target_pool.py": "the embedded `mock`, and the target of `--replay`",
    "format/starting/target.py": "the kinds of targets that a first suite can have",
    "formats/suitecase/implicit_evaluators.py": "a name of an evaluator that cases have without writing it",
    "formats/suitecase/model.py": "examples in hovers",
    "formats/suitecase/resolve.py": "makes configurations of evaluators, whose types are literals",
    "format/target_files.py": "the embedded `mock`",
}
#: What the words are that modules have in them, and that are no evaluators and targets there.
OTHER_THINGS = {
    "cli/run.py": ("an option", {"replay"}),
    "authoring/generating/rubric_edits.py": ("a key of cases", {"criteria"}),
    "evidence/named_judges.py": ("a key of evaluators", {"criteria"}),
    "editor/navigation/definition.py": ("a variable of prompts", {"criteria"}),
    "installation.py": ("a library", {"litellm"}),
    "authoring/releasing/croissant.py": ("a key of the Croissant format", {"regex"}),
    "run/call_spans.py": ("OpenTelemetry's names of providers", {"azure", "gemini", "litellm"}),
    "format/starting/providers.py": (
        "names of litellm's providers",
        {"anthropic", "azure", "gemini", "openai", "openrouter"},
    ),
    "format/starting/target.py": (
        "names of litellm's providers",
        {"anthropic", "gemini", "openai"},
    ),
    "schema/schema_contradictions.py": ("a keyword of JSON Schema", {"contains"}),
    "schema/schema_remarks.py": ("a key of requests to models", {"json_schema"}),
}
#: Other formats have names of their own, which are mapped to these.
FORMATS = (
    "formats/agent_skills/",
    "formats/agentv/",
    "formats/promptfoo/",
    "formats/suitecase/current/",
    "formats/suitecase/legacy/",
    "formats/suitecase/prompt_library/",
    "formats/suitecase/rules/",
    "formats/detection.py",
)
#: A key of records.
KEYS_OF_RECORDS = frozenset({"token_usage", "cost"})
#: Packages that show records.
WITH_RECORDS = ("report/", "run/", "viewing/", "cli/output/run/")
#: Names that are words of other things: a type of JSON Schema, a key of items in pages and editors,
#: a key of suites.
COMMON_WORDS = frozenset({"number", "label", "human"})


def test_no_module_matches_evaluators_or_targets_by_name() -> None:
    found: dict[str, set[str]] = {}
    for path, name in _named():
        found.setdefault(path, set()).add(name)
    others = {path: names for path, (_, names) in OTHER_THINGS.items()}
    kinds = {path for path, names in found.items() if names - others.get(path, set())}

    assert kinds - ALLOWED.keys() == set(), "let the evaluator or the target describe it"
    assert ALLOWED.keys() - kinds == set(), "no longer needed"
    assert {path: names - found.get(path, set()) for path, names in others.items()} == {
        path: set() for path in others
    }, "no longer needed"


def _named() -> Iterator[tuple[str, str]]:
    names = {*TYPES, *PROVIDERS} - COMMON_WORDS
    for path in sorted(SERVER.rglob("*.py")):
        module = path.relative_to(SERVER).as_posix()
        if module.startswith(FORMATS):
            continue
        text = path.read_text("utf-8")
        if names.isdisjoint(re.findall(r"""["'](\w+)["']""", text)):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and node.value in names:
                is_figure = node.value in KEYS_OF_RECORDS and module.startswith(WITH_RECORDS)
                if not is_figure:
                    yield module, str(node.value)
