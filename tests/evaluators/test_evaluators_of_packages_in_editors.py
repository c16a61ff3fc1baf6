"""An evaluator of a package is checked and shown as one that is built in, whatever its keys are called."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from suitecase.checking.check import check
from suitecase.editor.hover import HoverContext, RenderedPrompt, hover_at
from suitecase.editor.inlay_hints import HintKinds, hints
from suitecase.editor.missing_files import creations
from suitecase.editor.results import DocumentResults
from suitecase.editor.semantic_tokens import tokens
from suitecase.format.reading import parse_document
from suitecase.format.target_files import find_targets
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Span
from suitecase_evaluators.grade import third_party
from support.evaluators.packages import install, module
from support.ide.marked_workspace import MarkedWorkspace

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TOP = """
from typing import Annotated, Any
class Writer(Model):
    run: Annotated[list[str], FieldRole.COMMAND]
def _commands(config):
    if config.checker is not None:
        yield Command(line=config.checker, cwd=config.start, sandbox=config.held)
def _prompt(config):
    written = config.asked if isinstance(config.asked, str) else None
    return Prompt(
        filled=lambda text, subject: filled_prompt(text or "{{ candidate_answer }}", subject),
        written=written,
    )
DESCRIPTION = Description(
    judge_calls=lambda config: [JudgeCalls(least=1, most=2, target=config.who)],
    commands=_commands,
    prompt=_prompt,
)
"""
KEYS = """
asked: Annotated[str | Writer | None, FieldRole.PROMPT] = None
who: Annotated[str | None, FieldRole.TARGET] = None
checker: Annotated[list[str] | None, FieldRole.COMMAND] = None
start: Annotated[str | None, FieldRole.FOLDER] = None
held: Annotated[Literal["limits", "networked", "isolated"] | None, FieldRole.SANDBOX] = None
shape: Annotated[dict[str, Any] | str | None, FieldRole.SCHEMA] = None
pattern: Annotated[str | None, FieldRole.REGEX] = None
good: Annotated[str | None, FieldRole.CRITERIA] = None
"""


@pytest.fixture(autouse=True)
def package(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The package is installed in this process."""
    text = module(KEYS, "...", top=TOP).replace(
        "(AcmeConfig)\n", "(AcmeConfig, description=DESCRIPTION)\n"
    )
    folder = install(
        tmp_path_factory.mktemp("packages"),
        "p-acme",
        {"acme": "acme_in_editors:acme"},
        {"acme_in_editors": text},
    )
    monkeypatch.syspath_prepend(folder)
    _forget()
    yield
    _forget()


def _forget() -> None:
    third_party.providers.cache_clear()
    third_party._loaded.cache_clear()


def suite(entry: str) -> str:
    return (
        "evalcases:\n  - id: greet\n    input: Hi\n    expected_outcome: Says hello\n"
        f"    execution:\n      target: small\n      evaluators:\n        - {entry}\n"
    )


class Looked:
    """A suite in a folder with a targets file, as an editor has it."""

    def __init__(self, folder: Path, entry: str) -> None:
        (folder / "targets.yaml").write_text(
            "targets:\n  - {name: small, provider: openai, model: m, judge_target: large}\n"
            "  - {name: large, provider: openai, model: m}\n"
        )
        (folder / "tone.md").write_text("Warm? {{ candidate_answer }}")
        self.text = suite(entry)
        self.path = folder / "a.eval.yaml"
        workspace = Workspace(folder)
        written = parse_document(self.path, self.text, workspace)
        assert isinstance(written, ParsedSuite)
        self.written, self.folder = written, Folder(workspace, folder)
        self.analysis = check(self.written, self.folder, self.path)

    def findings(self) -> list[tuple[str, str, str]]:
        return [
            (it.rule.code, self.text[it.span.start : it.span.end], it.message)
            for it in self.analysis.findings
        ]

    def hover(self, place: str) -> str:
        around = HoverContext(
            self.path, self.folder, lambda _suite, _folder: RenderedPrompt("Hi", ())
        )
        offset = self.text.index(place.replace("|", "")) + place.index("|")
        found = hover_at(self.written, offset, DocumentResults(), NOW, around)
        return found.markdown if found else ""


@pytest.mark.parametrize(
    ("own", "built_in", "codes"),
    [
        ("asked: gone/tone.md", "type: llm_judge, prompt: gone/tone.md", ["SC301"]),
        (
            'asked: "{{ qestion }} {{ candidate_answer }}"',
            'type: llm_judge, prompt: "{{ qestion }} {{ candidate_answer }}"',
            ["SC302"],
        ),
        (
            'asked: "Is it {{ question }}?"',
            'type: llm_judge, prompt: "Is it {{ question }}?"',
            ["SC303"],
        ),
        (
            'asked: "Is {{ candidate_answer } warm? {{ candidate_answer }}"',
            'type: llm_judge, prompt: "Is {{ candidate_answer } warm? {{ candidate_answer }}"',
            ["SC323"],
        ),
        (
            'asked: "${candidate_answer}"',
            'type: llm_judge, prompt: "${candidate_answer}"',
            ["SC619"],
        ),
        (
            "asked: {run: [python, gone.py]}",
            "type: llm_judge, prompt: {script: [python, gone.py]}",
            ["SC321"],
        ),
        ("who: nobody", "type: llm_judge, target: nobody", ["SC501"]),
        ("who: small", "type: llm_judge, target: small", ["SC316"]),
        ("checker: [python, gone.py]", "type: code_judge, script: [python, gone.py]", ["SC321"]),
        (
            "checker: [python, -m, x], start: gone",
            "type: code_judge, script: [python, -m, x], cwd: gone",
            ["SC322"],
        ),
        (
            "checker: [python, -m, x], start: ../gone",
            "type: code_judge, script: [python, -m, x], cwd: ../gone",
            ["SC535"],
        ),
        (
            "checker: [python, ../x.py]",
            "type: code_judge, script: [python, ../x.py]",
            ["SC536"],
        ),
        (
            "checker: [python, -m, x], held: networked",
            "type: code_judge, script: [python, -m, x], sandbox: networked",
            ["SC538"],
        ),
        ("shape: {type: numbr}", "type: json_schema, schema: {type: numbr}", ["SC402"]),
        ('shape: "{"', 'type: json_schema, schema: "{"', ["SC401"]),
        ("pattern: ^(a+)+b", "type: regex, value: ^(a+)+b", ["SC331"]),
        ('good: ""', 'type: criteria, criteria: ""', ["SC317"]),
    ],
)
def test_what_is_wrong_is_found_as_in_a_built_in_evaluator(
    own: str, built_in: str, codes: list[str], tmp_path: Path
) -> None:
    found = Looked(tmp_path, f"{{name: a, type: acme, {own}}}").findings()
    same = Looked(tmp_path, f"{{name: a, {built_in}}}").findings()

    assert [code for code, _, _ in found] == codes
    renamed = [
        (code, place, message.replace("`schema`", "`shape`").replace("`criteria`", "`good`"))
        for code, place, message in same
    ]
    assert found == renamed


def test_a_sound_entry_has_no_findings(tmp_path: Path) -> None:
    entry = (
        "{name: a, type: acme, asked: tone.md, who: large, checker: [python, -m, x], start: .,"
        " held: isolated, shape: {type: object}, pattern: a+, good: Is warm}"
    )
    assert Looked(tmp_path, entry).findings() == []


def test_its_names_variables_and_schemas_are_coloured(tmp_path: Path) -> None:
    looked = Looked(
        tmp_path,
        'name: a\n          type: acme\n          who: large\n          asked: "Warm? {{ candidate_answer }}"\n'
        "          shape: '{\"a\": 1}'",
    )
    coloured = [
        f"{it.type} {looked.text[it.span.start : it.span.end]}" for it in tokens(looked.written)
    ]

    assert coloured[:3] == ["class small", "class large", "parameter {{ candidate_answer }}"]
    assert 'property "a"' in coloured


def test_hovers_show_the_prompt_the_target_and_the_rules(tmp_path: Path) -> None:
    entry = '{name: a, type: acme, asked: "Warm? {{ candidate_answer }}", who: large}'
    looked = Looked(tmp_path, entry)

    assert "What `large` is asked to judge by" in looked.hover("type: ac|me")
    assert "Warm? (the answer of small)" in looked.hover("as|ked:")
    assert "variable of judge prompts" in looked.hover("candidate|_answer")
    assert "**`large`** · `openai` · `targets.yaml`" in looked.hover("who: lar|ge")
    assert "[prompt-file-missing]" in looked.hover("as|ked:")


def test_files_and_targets_are_found_from_their_names(tmp_path: Path) -> None:
    looked = Looked(tmp_path, "{name: a, type: acme}")
    (tmp_path / "check.py").write_text("print()")
    entry = "{name: a, type: acme, asked: tone.md, who: large, checker: [python, check.py]}"
    files = {"a.eval.yaml": suite(entry), "targets.yaml": (tmp_path / "targets.yaml").read_text()}

    def definition(before: str) -> list[str]:
        marked = files["a.eval.yaml"].replace(before, f"{before}|", 1)
        return MarkedWorkspace(
            tmp_path, {**files, "a.eval.yaml": marked}, at="a.eval.yaml"
        ).definition()

    assert looked.findings() == []
    assert definition("asked: to") == ["tone.md: «»Warm? {{ candidate_answer }}"]
    assert definition("python, che") == ["check.py: «»print()"]
    (target,) = definition("who: la")
    assert "name: «large»" in target


def test_a_missing_prompt_and_a_missing_script_can_be_made(tmp_path: Path) -> None:
    looked = Looked(
        tmp_path, "{name: a, type: acme, asked: new/tone.md, checker: [python, new.py]}"
    )
    whole = Span(0, len(looked.text))
    found = creations(looked.written, looked.analysis, looked.folder, whole, creates_files=True)

    made = {it.title: it.created.text for it in found if it.created is not None}

    assert list(made) == ["Create `new/tone.md`", "Create `new.py`"]
    assert "{{ candidate_answer }}" in made["Create `new/tone.md`"]


def test_the_judge_that_it_asks_is_shown_behind_its_type(tmp_path: Path) -> None:
    looked = Looked(tmp_path, "{name: a, type: acme}")
    named = Looked(tmp_path, "{name: a, type: acme, who: large}")

    assert _judges(looked) == ["judged by large"]
    assert _judges(named) == []


def _judges(looked: Looked) -> list[str]:
    targets = find_targets(looked.folder.workspace, looked.folder.path)
    found = hints(looked.written, Span(0, len(looked.text)), HintKinds(), {}, targets)
    behind = looked.text.index("type: acme") + len("type: acme")
    return [it.label for it in found if it.offset == behind]
