"""How the environment is filled in, and kept out of messages."""

from __future__ import annotations

from typing import Any

import pytest

from suitecase_evaluators.targets.config import AzureConfig, CliConfig, MockConfig, read_target
from suitecase_evaluators.targets.environment import Redactor, placeholders, resolve
from suitecase_evaluators.targets.target import TargetError


def azure(**more: Any) -> AzureConfig:
    config = read_target(
        {
            "name": "base",
            "provider": "azure",
            "endpoint": "https://${{ HOST }}/v1",
            "api_key": "${{ KEY }}",
            "model": "${{ MODEL }}",
            **more,
        }
    )
    assert isinstance(config, AzureConfig)
    return config


ENVIRON = {"HOST": "models.example", "KEY": "s3cret-key-value", "MODEL": "gpt-4.1"}


def test_placeholders_are_named_once() -> None:
    assert placeholders(azure(version="${{ KEY }}")) == ("KEY", "HOST", "MODEL")


def test_placeholders_are_filled_in() -> None:
    config = resolve(azure(), ENVIRON)
    assert (config.endpoint, config.api_key, config.model) == (
        "https://models.example/v1",
        "s3cret-key-value",
        "gpt-4.1",
    )


def test_numbers_and_truth_values_come_out_as_such() -> None:
    config = read_target(
        {
            "name": "t",
            "provider": "cli",
            "command_template": "x",
            "timeout_seconds": "${{ T }}",
            "workers": "${{ W }}",
            "verbose": "${{ V }}",
        }
    )
    resolved = resolve(config, {"T": "2.5", "W": "3", "V": "true"})
    assert isinstance(resolved, CliConfig)
    assert (resolved.timeout_seconds, resolved.workers, resolved.verbose) == (2.5, 3, True)


def test_what_does_not_fit_is_named_without_its_value() -> None:
    config = azure(timeout_seconds="${{ T }}")
    with pytest.raises(TargetError) as caught:
        resolve(config, {**ENVIRON, "T": "half an hour"})
    message = caught.value.message
    assert caught.value.kind == "configuration"
    assert "`base`" in message
    assert "timeout_seconds" in message
    assert "from T" in message
    assert "half an hour" not in message


@pytest.mark.parametrize("environ", [{}, {"KEY": ""}])
def test_missing_variables_are_named_without_values(environ: dict[str, str]) -> None:
    with pytest.raises(TargetError) as caught:
        resolve(azure(), {"HOST": "models.example", **environ})
    message = caught.value.message
    assert caught.value.kind == "configuration"
    assert "`base`" in message
    assert "KEY, MODEL" in message
    assert "HOST" not in message
    assert "models.example" not in message


def test_other_dollar_braces_are_left_alone() -> None:
    config = read_target({"name": "t", "provider": "mock", "response": "${{ github.sha }} ${X}"})
    assert placeholders(config) == ()
    resolved = resolve(config, {})
    assert isinstance(resolved, MockConfig)
    assert resolved.response == "${{ github.sha }} ${X}"


def test_secrets_are_redacted_however_they_are_written() -> None:
    redact = Redactor()
    secret = 'pa"ss wörd/1'
    resolve(azure(), {**ENVIRON, "KEY": secret}, redact)
    from json import dumps
    from shlex import quote
    from urllib.parse import quote as percent

    for form in (secret, dumps(secret), quote(secret), percent(secret, safe=""), repr(secret)):
        cleaned = redact(f"before {form} after")
        assert "[redacted]" in cleaned
        assert "wörd" not in cleaned
        assert "w%C3" not in cleaned


def test_a_secret_that_holds_another_leaves_nothing_behind() -> None:
    redact = Redactor(["abcdefgh", "abcdefghijkl"])
    assert redact("abcdefghijkl abcdefgh") == "[redacted] [redacted]"


def test_names_of_models_stay_readable_and_short_values_are_no_secrets() -> None:
    redact = Redactor(["on"])
    resolve(azure(), ENVIRON, redact)
    assert redact("gpt-4.1 is on models.example") == "gpt-4.1 is on [redacted]"


def test_a_key_in_the_file_itself_is_a_secret() -> None:
    redact = Redactor()
    resolve(azure(api_key="abcd"), ENVIRON, redact)
    assert redact("key abcd") == "key [redacted]"


def test_the_end_of_a_text_is_cut_after_secrets_are_gone() -> None:
    redact = Redactor(["0123456789"])
    assert redact.tail("x" * 50 + "0123456789" + "y" * 6, limit=12) == "... acted]yyyyyy"
