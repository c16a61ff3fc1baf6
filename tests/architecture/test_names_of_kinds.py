"""Evaluators and targets describe themselves: their names stand only where they are defined, or as listed here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from suitecase.derived import ROOT
from suitecase_evaluators.grade.registry import TYPES
from suitecase_evaluators.targets.config import PROVIDERS

SERVER = ROOT / "server" / "suitecase"
#: Modules of the server, with the reason why they name a kind of evaluator or target.
ALLOWED = {
    "cli/completing/values.py": "the embedded `mock`, and what `init --target` takes",
    "cli/run.py": "`replay` is an option",
    "cli/starting/questions.py": "the default of a question",
    "figures/answer_values.py": "types in records, whose details are figures; `refusal` is a finish reason",
    "authoring/generating/rubric_edits.py": "`criteria` is a key of cases",
    "editor/completion/environment.py": "names of litellm's models have their provider in front",
    "editor/navigation/definition.py": "`criteria` is a variable of prompts",
    "editor/refactoring/judges.py": "makes an `llm_judge` of what has rubrics and no type",
    "editor/starting_texts.py": "contracts of scripts: what writes a prompt, and what aggregates",
    "reference/evaluator_examples.py": "an example of each evaluator",
    "installation.py": "`litellm` is a library",
    "authoring/releasing/croissant.py": "`regex` is a key of the Croissant format",
    "checking/rules/keys.py": "tells `criteria` of an `llm_judge` from the evaluator of that name",
    "checking/rules/target_settings.py": "`api_format` is a key of two providers in another tool",
    "run/call_spans.py": "OpenTelemetry's names of litellm's providers",
    "run/target_pool.py": "the embedded `mock`, and the target of `--replay`",
    "format/starting/providers.py": "names of litellm's providers",
    "authoring/starting/suite_files.py": "writes a target of each kind",
    "format/starting/target.py": "the kinds of targets that a first suite can have",
    "formats/suitecase/implicit_evaluators.py": "names of evaluators that cases have without writing them",
    "formats/suitecase/model.py": "examples in hovers",
    "evidence/named_judges.py": "evaluators that cases have without writing them",
    "formats/suitecase/resolve.py": "evaluators that cases have without writing them",
    "format/target_files.py": "the embedded `mock`",
    "schema/schema_contradictions.py": "`contains` is a keyword of JSON Schema",
    "schema/schema_remarks.py": "`json_schema` is a key of requests to models",
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
    found = {path for path, _ in _named()}

    assert found - ALLOWED.keys() == set(), "let the evaluator or the target describe it"
    assert ALLOWED.keys() - found == set(), "no longer needed"


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
