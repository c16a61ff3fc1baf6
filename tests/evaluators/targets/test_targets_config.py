"""What a targets file may say, and how it is told what is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from suitecase_evaluators.targets.config import PROVIDERS, TargetsFile, read_target
from suitecase_evaluators.targets.config.cli import CliConfig
from suitecase_evaluators.targets.config.file import model_of_provider, models
from suitecase_evaluators.targets.config.llm import AzureConfig

CORPUS = Path(__file__).parents[4] / "shared/corpus/agentv/tree-2026-02-01/examples"
MINIMAL: dict[str, dict[str, Any]] = {
    "replay": {"results": "results.jsonl"},
    "cli": {"command_template": "cat"},
    "litellm": {"model": "openai/gpt-4.1-mini"},
    "openai": {"model": "gpt-4.1-mini"},
    "openrouter": {"model": "anthropic/claude-sonnet-4.5"},
    "azure": {"endpoint": "https://x.openai.azure.com", "deployment": "d"},
    "anthropic": {"model": "claude-sonnet-4-5"},
}


def problems(**entry: Any) -> list[tuple[str, tuple[int | str, ...]]]:
    """Return the type and place of what is wrong with one entry."""
    with pytest.raises(ValidationError) as caught:
        TargetsFile.model_validate({"targets": [{"name": "t", **entry}]})
    return [(it["type"], it["loc"]) for it in caught.value.errors()]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_name_of_a_provider_is_accepted(provider: str) -> None:
    entry = {"name": "t", "provider": provider, **MINIMAL.get(PROVIDERS[provider], {})}
    target = TargetsFile.model_validate({"$schema": "targets.json", "targets": [entry]}).targets[0]
    assert target.provider == provider
    assert read_target(entry) == target


def test_unknown_and_missing_providers_are_reported_at_the_entry() -> None:
    assert problems(provider="azur") == [("union_tag_invalid", ("targets", 0))]
    assert problems() == [("union_tag_not_found", ("targets", 0))]
    assert problems(provider=["azure"]) == [("union_tag_invalid", ("targets", 0))]


def test_unknown_keys_are_refused_but_for_the_authors_own() -> None:
    assert problems(provider="mock", respones="x") == [
        ("extra_forbidden", ("targets", 0, "<mock>", "respones"))
    ]
    assert read_target({"name": "t", "provider": "mock", "x-note": 1}).name == "t"


def test_no_targets_are_an_error() -> None:
    with pytest.raises(ValidationError, match="at least 1"):
        TargetsFile.model_validate({"targets": []})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("workers", 0),
        ("workers", 1.5),
        ("workers", "four"),
        ("timeout_seconds", 0),
        ("timeout_seconds", "30"),
        ("timeout_seconds", "about ${{ T }}"),
        ("rate_limit", -1),
        ("retry", {"max_retries": -1}),
        ("provider_batching", "yes"),
    ],
)
def test_numbers_are_numbers(field: str, value: object) -> None:
    ((_, place),) = problems(provider="mock", **{field: value})
    assert place[:4] == ("targets", 0, "<mock>", field)


def test_a_placeholder_may_stand_for_a_number() -> None:
    entry = {"name": "t", "provider": "mock", "timeout_seconds": "${{ T }}", "workers": "${{W}}"}
    assert read_target(entry).timeout_seconds == "${{ T }}"


def test_azure_needs_an_address_and_a_deployment() -> None:
    assert problems(provider="azure", model="m") == [("missing_one_of", ("targets", 0, "<azure>"))]
    assert problems(provider="azure", resource="r") == [
        ("missing_one_of", ("targets", 0, "<azure>"))
    ]
    assert isinstance(
        read_target({"name": "t", "provider": "azure-openai", "resource": "r", "model": "m"}),
        AzureConfig,
    )


@pytest.mark.parametrize("name", ["num_retries", "max_retries", "timeout", "api_key", "stream"])
def test_params_cannot_set_what_has_a_key_of_its_own(name: str) -> None:
    assert problems(provider="litellm", model="a/b", params={name: 1}) == [
        ("owned_parameter", ("targets", 0, "<litellm>", "params"))
    ]


@pytest.mark.parametrize(
    "template",
    [
        'ask "{PROMPT}"',
        "ask '{PROMPT}'",
        'ask "about \\" {PROMPT}"',
        """ask 'it'"'{GUIDELINES}'" """,
    ],
)
def test_placeholders_inside_quotes_are_refused(template: str) -> None:
    assert problems(provider="cli", command_template=template) == [
        ("quoted_placeholder", ("targets", 0, "<cli>", "command_template"))
    ]


@pytest.mark.parametrize(
    "template",
    [
        "ask {PROMPT}",
        "ask \"a\" {PROMPT} 'b' > {OUTPUT_FILE}",
        'ask "${HOME}" {PROMPT}',
        """ask --json '{"a": 1}' {PROMPT}""",
        'ask "it\'s" {PROMPT}',
        "ask it\\'s {PROMPT}",
        "ask ${{ MODEL }} {PROMPT}",
        "bash -c 'ask < {PROMPT_FILE} > {OUTPUT_FILE}'",
        'ask {PROMPT} --case "{EVAL_ID}-{ATTEMPT}" "{FILES}"',
    ],
)
def test_other_braces_and_quotes_are_the_shells_own(template: str) -> None:
    target = read_target({"name": "t", "provider": "cli", "command_template": template})
    assert isinstance(target, CliConfig)
    assert target.command_template == template


def test_unknown_placeholders_of_templates_are_reported() -> None:
    assert problems(provider="cli", command_template="ask {PROMT}") == [
        ("unknown_placeholder", ("targets", 0, "<cli>", "command_template"))
    ]
    assert problems(provider="cli", command_template="ask", files_format="{PROMPT}") == [
        ("unknown_placeholder", ("targets", 0, "<cli>", "files_format"))
    ]


def test_a_health_check_has_a_known_type() -> None:
    assert problems(provider="cli", command_template="x", healthcheck={"type": "ping"}) == [
        ("union_tag_invalid", ("targets", 0, "<cli>", "healthcheck"))
    ]
    assert problems(provider="cli", command_template="x", healthcheck={"type": "http"}) == [
        ("missing", ("targets", 0, "<cli>", "healthcheck", "<http>", "url"))
    ]


def test_every_field_has_a_description() -> None:
    definitions = TargetsFile.model_json_schema()["$defs"]
    silent = [
        f"{name}.{field}"
        for name, definition in definitions.items()
        for field, schema in definition.get("properties", {}).items()
        if not schema.get("description")
    ]
    assert len(definitions) > 14
    assert silent == []


def test_the_names_of_providers_are_those_of_their_models() -> None:
    by_name = {
        name: model
        for model in models()
        for name in get_args(model.model_fields["provider"].annotation)
    }
    assert [*PROVIDERS] == [*by_name]
    assert {it: model_of_provider(it) for it in PROVIDERS} == by_name


def test_checking_a_file_imports_nothing_heavy() -> None:
    program = (
        "import sys, suitecase_evaluators.targets.config as c; "
        "c.TargetsFile.model_validate({'targets': [{'name': 't', 'provider': 'mock'}]}); "
        "print([it for it in ('litellm', 'tenacity', 'jsonschema', 'yaml') if it in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not part of the project")
def test_targets_files_of_the_corpus_are_valid() -> None:
    import yaml

    files = [it for it in CORPUS.rglob("targets.yaml") if it.parent.name == ".agentv"]
    assert len(files) == 4
    for file in files:
        TargetsFile.model_validate(yaml.safe_load(file.read_text("utf-8")))
