"""Providers: the models, programs and services that answer."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Discriminator, Field, Tag

from suitecase.formats.promptfoo.suite.models.field_types import (
    CODE,
    DATA,
    TEXTS,
    AnyKeys,
    ChosenPrompts,
    Count,
    Environment,
    Label,
    PromptfooModel,
    ProviderId,
)
from suitecase.schema.key_roles import Defines, File, Kind, Under
from suitecase_evaluators.schema.field_role import FieldRole

#: What happens where a setting of a provider cannot be read.
_NO_ANSWER = "each question to this provider ends with an error"
#: The settings of providers that may be files, as providers of models and of HTTP APIs read them.
SETTINGS: Final = Under(
    {
        "tools": (File((*DATA, *CODE), _NO_ANSWER),),
        "functions": (File(DATA, _NO_ANSWER),),
        "response_format": (File(DATA, _NO_ANSWER, at_any_depth=True),),
        "output_format": (File(DATA, _NO_ANSWER, at_any_depth=True),),
        "body": (File(TEXTS, _NO_ANSWER, at_any_depth=True),),
        "request": (File((".txt",), _NO_ANSWER),),
        "transformRequest": (File(CODE, _NO_ANSWER),),
        "transformResponse": (File(CODE, _NO_ANSWER), FieldRole.CODE),
    }
)


class _ProviderKeys(PromptfooModel):
    """What is set of a provider, beside its id."""

    label: Annotated[Label | None, Defines(Kind.PROVIDER)] = Field(
        default=None,
        description="The provider's name in results and in filters such as `providers` of a test. "
        "Default: its id.",
        examples=["gpt, creative"],
    )
    config: Annotated[Any, SETTINGS] = Field(
        default=None,
        description="Settings that the provider reads, such as `temperature`; each provider has its own.",
        examples=[{"temperature": 0, "max_tokens": 500}],
    )
    prompts: ChosenPrompts | None = Field(
        default=None,
        description="The prompts that are sent to this provider, by label or id. Default: all.",
        examples=[["short", "detailed"]],
    )
    transform: Annotated[
        str | None, File(CODE, "each answer of this provider is an error"), FieldRole.CODE
    ] = Field(
        default=None,
        description="JavaScript that changes each answer of this provider, or a `file://` path of a "
        "function. It runs before the test's `transform`.",
        examples=["output.trim()"],
    )
    delay: Count | None = Field(
        default=None,
        description="How many milliseconds to wait after each call.",
        examples=[500],
    )
    env: Environment | None = Field(
        default=None,
        description="Environment variables for this provider only.",
        examples=[{"OPENAI_BASE_URL": "http://localhost:8080/v1"}],
    )
    inputs: AnyKeys | None = Field(
        default=None,
        description="The named inputs of a target that takes several, each with a description; for red "
        "teams.",
    )


class ProviderSettings(_ProviderKeys):
    """What is set of a provider whose id is the key."""

    id: ProviderId | None = Field(
        default=None,
        description="Which provider it is: a prefix that names the service, and the model; or the path "
        "of a script.",
        examples=["openai:gpt-4.1", "anthropic:messages:claude-sonnet-4-5", "file://provider.py"],
    )


class ProviderObject(_ProviderKeys):
    """A provider with its settings."""

    id: ProviderId = Field(
        description="Which provider it is: a prefix that names the service, and the model; or the path "
        "of a script.",
        examples=["openai:gpt-4.1", "anthropic:messages:claude-sonnet-4-5", "file://provider.py"],
    )


def is_named_by_key(value: object) -> bool:
    """Whether a provider is written as a mapping from its id to its settings."""
    if not isinstance(value, dict) or len(value) != 1:
        return False
    (key, settings) = next(iter(value.items()))
    return key not in ProviderSettings.model_fields and (
        settings is None or isinstance(settings, dict)
    )


def _provider_kind(value: object) -> str:
    if isinstance(value, dict):
        return "<by id>" if is_named_by_key(value) else "<provider>"
    return "<text>"


#: An item of `providers`.
ProviderEntry = Annotated[
    Annotated[ProviderId, Tag("<text>")]
    | Annotated[ProviderObject, Tag("<provider>")]
    | Annotated[dict[ProviderId, ProviderSettings], Tag("<by id>")],
    Discriminator(_provider_kind),
]
