"""How the environment is filled in, and kept out of messages."""

from __future__ import annotations

from typing import Any

import pytest

from suitecase_evaluators.targets.config import read_target
from suitecase_evaluators.targets.config.canned import MockConfig
from suitecase_evaluators.targets.config.cli import CliConfig
from suitecase_evaluators.targets.config.llm import AzureConfig
from suitecase_evaluators.targets.environment import placeholders, resolve
from suitecase_evaluators.targets.redactor import Redactor
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


@pytest.mark.parametrize(
    "key", ["none", "EMPTY", "ollama", "sk-no-key-required", "xxxx", "-", "late"]
)
def test_a_key_of_a_server_of_ones_own_that_is_none_blacks_nothing_out(key: str) -> None:
    redact = Redactor()
    model = {
        "name": "t",
        "provider": "litellm",
        "model": "m",
        "api_base": "http://127.0.0.1:8000/v1",
    }
    resolve(
        read_target({**model, "api_key": "${{ LOCAL_API_KEY }}"}), {"LOCAL_API_KEY": key}, redact
    )
    redact.remember_environment({"LOCAL_API_KEY": key})
    text = f"{key}: none of them came late, EMPTY or not"
    assert redact(text) == text


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("https://models.example/v1", "late"),
        ("http://127.0.0.1:8000", "s3cr3t"),
        ("http://192.168.1.7/v1", "sk-proxy-1f9a0c77"),
        ("http://vllm:8000/v1", "a-real-key"),
    ],
)
def test_a_key_that_may_be_real_is_a_secret_wherever_it_stands_alone(
    address: str, key: str
) -> None:
    redact = Redactor()
    model = {"name": "t", "provider": "litellm", "model": "m", "api_base": address}
    resolve(read_target({**model, "api_key": key}), {}, redact)
    for text in (
        key,
        f"Bearer {key}.",
        f"bad key: {key}, try again",
        f"?key={key}&x=1",
        f'{{"key": "{key}"}}',
        f"first\\n{key}\\nlast",
        f"a%20{key}%0A",
        f"\x1b[31m{key}\x1b[0m",
        f"\u5bc6\u94a5{key}\u662f",
        f"--key={key}",
        f"(-{key})",
    ):
        assert key not in redact(text), text


def test_a_short_secret_is_no_part_of_another_word() -> None:
    redact = Redactor()
    redact.remember_key("late")
    text = "A plate, translated: refund-late is later than late_fee or LATE"
    assert redact(text) == text
    assert redact("It came late.") == "It came [redacted]."


def test_a_long_secret_is_found_inside_other_words() -> None:
    redact = Redactor(["sk-s3cret-0123456789"])
    assert redact("xsk-s3cret-0123456789y") == "x[redacted]y"


def test_one_target_with_a_real_key_makes_it_a_secret_for_all() -> None:
    redact = Redactor()
    redact.remember_key("sesame", "http://localhost:8000")
    redact.remember_key("sesame", "https://models.example")
    assert redact("open sesame") == "open [redacted]"
