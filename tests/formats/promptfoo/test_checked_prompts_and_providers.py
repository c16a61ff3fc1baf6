"""What `check` reports of prompts and providers, beyond the examples of the rules."""

import json
from pathlib import Path

import pytest

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace


def analyzed(folder: Path, text: str, name: str = "promptfooconfig.yaml") -> Analysis:
    path = folder / name
    workspace = Workspace(folder)
    return check(parse_document(path, text, workspace), Folder(workspace, path.parent), path)


def codes(folder: Path, text: str, name: str = "promptfooconfig.yaml") -> list[str]:
    return [it.code for it in analyzed(folder, text, name).findings]


def test_fixes_in_json_stay_json(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Say {{x}}")
    text = json.dumps(
        {
            "prompts": [{"id": "short", "label": "Short", "file": "a.txt"}, "Yes/no: {{x}}"],
            "providers": ["opneai:gpt-4.1", {"id": "groq:m", "config": {"apiKey": "${GROQ}"}}],
            "tests": [
                {
                    "vars": {"x": "1"},
                    "prompts": "Short",
                    "assert": [{"type": "icontains", "value": "a"}],
                }
            ],
        },
        indent=2,
    )
    fixes = [it.fix for it in analyzed(tmp_path, text, "promptfooconfig.json").findings if it.fix]
    assert len(fixes) == 5
    for fix in fixes:
        json.loads(fix.apply(text))


SECRET = "sk-proj-5e1f7c0a93b2d48e6f70"


@pytest.mark.parametrize(
    "setting",
    [
        f"env: {{OPENAI_API_KEY: {SECRET}}}\n",
        f"defaultTest: {{options: {{provider: {{id: openai:gpt-4.1, config: {{apiKey: {SECRET}}}}}}}}}\n",
    ],
)
def test_no_message_shows_a_key(tmp_path: Path, setting: str) -> None:
    found = analyzed(tmp_path, f'prompts: ["Say {{{{x}}}}"]\nproviders: [echo]\n{setting}').findings
    assert [it.code for it in found] == ["PF341"]
    shown = [it.message + (it.fix.title + it.fix.edits[0].text if it.fix else "") for it in found]
    assert not any(SECRET in it for it in shown)


def test_a_path_from_the_root_of_the_workspace_leads_to_the_file(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "polite.txt").write_text("Say {{x}}")
    text = "prompts: [file://evals/polite.txt]\nproviders: [echo]\n"
    (finding,) = analyzed(tmp_path, text, "evals/promptfooconfig.yaml").findings
    assert finding.code == "PF302"
    assert finding.fix is not None
    assert "[file://polite.txt]" in finding.fix.apply(text)


def test_findings_in_a_list_of_providers_are_in_that_file(tmp_path: Path) -> None:
    listed = "- id: echo\n- id: opneai:gpt-4.1\n"
    (tmp_path / "providers.yaml").write_text(listed)
    text = 'prompts: ["Say {{x}}"]\nproviders: [file://providers.yaml]\n'
    analysis = analyzed(tmp_path, text)
    (found,) = analysis.external[tmp_path / "providers.yaml"].findings
    assert found.fix is not None
    assert found.fix.apply(listed) == "- id: echo\n- id: openai:gpt-4.1\n"
    assert analysis.findings == []


def test_prompts_of_two_kinds_of_files_are_parsed_where_templates_allow(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"role": "user", "content": {{ question | dump }}}]')
    (tmp_path / "b.json").write_text('[{% for m in messages %}{"role": "user"},{% endfor %}]')
    text = "prompts: [file://a.json, file://b.json]\nproviders: [echo]\n"
    assert codes(tmp_path, text) == []


def test_a_text_in_place_of_the_list_of_providers_works_with_a_named_configuration(
    tmp_path: Path,
) -> None:
    text = 'prompts: ["Say {{x}}"]\nproviders: echo\n'
    assert codes(tmp_path, text) == ["PF343"]


@pytest.mark.parametrize(
    "written",
    [
        "prompts: {a: b, c: [}",
        "prompts: [[], {}, null, 5, {id: [x]}, {raw: {}}]",
        "providers: [{}, [], {a: b}, {a: {id: 5}}, 5, null, {id: {}}]",
        'prompts: ["file://", "*", "/", "exec:", "a\\u0000/b"]\nproviders: ["file://", "exec:", ":"]',
        "targets: 5\nproviders: {a: {b: c}}",
        "prompts: &p [*p]",
    ],
)
def test_no_text_makes_a_rule_fail(tmp_path: Path, written: str) -> None:
    tests = "\ntests: [{vars: {x: 1}, prompts: [{}], providers: [[]], options: {provider: [1]}}]\n"
    assert analyzed(tmp_path, written + tests).failures == []
