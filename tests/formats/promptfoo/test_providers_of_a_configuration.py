"""The providers of a configuration in each of the forms that promptfoo takes."""

from pathlib import Path

import pytest

from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.promptfoo.suite.providers.prefixes import OTHER_NAMES, PREFIXES, ProviderKind
from suitecase.formats.promptfoo.suite.providers.providers import (
    ProviderEntry,
    ProviderProblem,
    identify,
    provider_entries,
)
from suitecase.text.compose import compose
from suitecase.text.node import Mapping

FILES = {
    "bot.py": "def call_api(prompt, options, context):\n    return {}\n\n\ndef other():\n    pass\n",
    "empty.py": "import os\n",
    "bot.js": "module.exports = class {};\n",
    "one.yaml": "id: openai:gpt-4.1\nlabel: One\n",
    "many.yaml": "- id: openai:gpt-4.1\n- id: echo\n  label: Two\n",
    "broken.yaml": "id: [\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    return Folder(Workspace(tmp_path), tmp_path)


def entries(folder: Folder, text: str) -> tuple[ProviderEntry, ...]:
    root = compose(text).root
    assert isinstance(root, Mapping)
    return provider_entries(root.get("providers"), folder)


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("openai:gpt-4.1", ["openai:gpt-4.1"]),
        ("[openai:gpt-4.1, echo]", ["openai:gpt-4.1", "echo"]),
        ("[{id: openai:gpt-4.1, label: Big}]", ["Big"]),
        ("[{openai:gpt-4.1: {config: {temperature: 0}}}]", ["openai:gpt-4.1"]),
        ("[{openai:gpt-4.1: {id: small, label: Small}}]", ["Small"]),
        ("[file://one.yaml, file://many.yaml]", ["One", "openai:gpt-4.1", "Two"]),
        ("[file://bot.py:other]", ["file://bot.py:other"]),
    ],
)
def test_every_form_names_its_providers(folder: Folder, written: str, names: list[str]) -> None:
    found = entries(folder, f"providers: {written}\n")
    assert [it.name for it in found] == names
    assert [it.number for it in found] == list(range(1, len(names) + 1))
    assert not any(it.problem for it in found)


def test_options_stand_under_the_id_that_is_a_key(folder: Folder) -> None:
    (entry,) = entries(folder, "providers: [{openai:gpt-4.1: {config: {temperature: 0}}}]\n")
    assert entry.config is not None
    assert "temperature" in entry.config


def test_places_of_listed_providers_are_in_their_file(folder: Folder) -> None:
    text = "providers: [file://one.yaml]\n"
    (entry,) = entries(folder, text)
    assert entry.path == folder.path / "one.yaml"
    assert entry.label is not None
    assert FILES["one.yaml"][entry.label.start : entry.label.end] == "One"
    assert text[entry.span.start : entry.span.end] == "file://one.yaml"


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("opneai:gpt-4.1", ProviderProblem.UNKNOWN),
        ("gpt-4o", ProviderProblem.UNKNOWN),
        ("Openai:gpt-4.1", ProviderProblem.UNKNOWN),
        ("openai", ProviderProblem.NO_MODEL),
        ('"openai:"', ProviderProblem.NO_MODEL),
        ("anthropic:messages", ProviderProblem.NO_MODEL),
        ("azure:gpt-4o", ProviderProblem.NO_MODE),
        ("huggingface:gpt2", ProviderProblem.NO_MODE),
        ("file://nope.py", ProviderProblem.MISSING),
        ("file://bot.py:nope", ProviderProblem.NO_FUNCTION),
        ("file://empty.py", ProviderProblem.NO_FUNCTION),
        ("file://bot.txt", ProviderProblem.UNKNOWN_ENDING),
        ("python:nope.py", ProviderProblem.MISSING),
        ("file://nope.yaml", ProviderProblem.MISSING),
        ("{label: Nobody}", ProviderProblem.NOT_A_PROVIDER),
        ("{openai:gpt-4.1: }", ProviderProblem.NOT_A_PROVIDER),
        ("{config: {temperature: 0}}", ProviderProblem.NOT_A_PROVIDER),
        ("5", ProviderProblem.NOT_A_PROVIDER),
        ("file://bot.py", None),
        ("file://bot.py:other", None),
        ("bot.js", None),
        ("file://../elsewhere.py", None),
        ("exec:python bot.py", None),
        ("https://example.com/chat", None),
        ('"{{ env.PROVIDER }}"', None),
        ('"openai:{{ env.MODEL }}"', None),
        ("promptfoo://provider/4711", None),
        ("openai:chat", None),
        ("anthropic:claude-agent-sdk", None),
        ("deepseek:", None),
    ],
)
def test_what_is_wrong_with_a_provider(
    folder: Folder, written: str, problem: ProviderProblem | None
) -> None:
    quoted = f'"{written}"' if written.endswith(":") else written
    (entry,) = entries(folder, f"providers:\n  - {quoted}\n")
    assert entry.problem is problem


def test_what_answers_is_known_by_the_id(folder: Folder) -> None:
    kinds = {
        "openai:gpt-4.1": ProviderKind.MODEL,
        "openai:codex-sdk": ProviderKind.AGENT,
        "anthropic:claude-agent-sdk": ProviderKind.AGENT,
        "file://bot.py": ProviderKind.CODE,
        "exec:./run.sh": ProviderKind.CODE,
        "http://localhost:8080": ProviderKind.HTTP,
        "echo": ProviderKind.BUILT_IN,
    }
    assert {it: identify(it, folder).kind for it in kinds} == kinds


def test_other_names_stand_for_prefixes_that_exist() -> None:
    assert set(OTHER_NAMES.values()) <= set(PREFIXES)
    assert not set(OTHER_NAMES) & set(PREFIXES)
