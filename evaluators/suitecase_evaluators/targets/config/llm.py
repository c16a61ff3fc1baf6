"""Models: of OpenAI and Anthropic, of servers of the user's own, and of all providers that litellm knows."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from suitecase_evaluators.targets.config.placeholder import (
    Address,
    AnyInteger,
    Count,
    Number,
    PositiveNumber,
    Text,
    WholeNumber,
)
from suitecase_evaluators.targets.config.price import PriceConfig
from suitecase_evaluators.targets.config.target import StatusCode, TargetConfig

#: The default model of a Gemini target.
GEMINI_MODEL = "gemini-2.5-flash"
#: The parameters that `params` cannot set, and where they come from.
OWNED_PARAMS = {
    "model": "`model`",
    "messages": "the suite",
    "stream": "Suitecase, which reads answers as a whole",
    "n": "the number of attempts of a run",
    "temperature": "`temperature`",
    "max_tokens": "`max_output_tokens`",
    "seed": "`seed`",
    "api_key": "`api_key`",
    "api_base": "`api_base`",
    "base_url": "`api_base`",
    "timeout": "`timeout_seconds`",
    "request_timeout": "`timeout_seconds`",
    "num_retries": "`retry`",
    "max_retries": "`retry`",
}


class LlmConfig(TargetConfig):
    """What all models have."""

    asks: ClassVar[Literal["model", "program"] | None] = "model"
    asked_by: ClassVar[str | None] = "suitecase_evaluators.targets.litellm"

    api_key: Text | None = Field(
        default=None,
        description="The key. Write `${{ NAME }}` and set the variable, so that the key is in no "
        "file. Left out, the provider's usual variable is read, such as `OPENAI_API_KEY`.",
    )
    temperature: Number | None = Field(
        default=None,
        description="The sampling temperature; 0 is the most deterministic. Default: the provider's.",
    )
    max_output_tokens: Count | None = Field(
        default=None,
        description="The maximum length of an answer, in tokens. Default: the provider's.",
    )
    seed: AnyInteger | None = Field(
        default=None,
        description="A number that makes answers repeatable, if the provider supports it. With `--repeat`, "
        "each repeat has the next number, since all answers would be the same otherwise.",
    )
    tokens_per_minute: PositiveNumber | None = Field(
        default=None,
        description="The maximum number of input and output tokens per minute, including retries and "
        "judging: a request waits until earlier ones have used up their share. The tokens of a "
        "request are estimated from its length, and corrected by the provider's figures. "
        "`rate_limit` limits the number of requests; both may be set.",
    )
    max_response_mb: PositiveNumber | None = Field(
        default=None,
        description="The maximum size of a response after decompression, in MB (of 1,048,576 bytes). A "
        "longer one is not read to its end, and is an error. Default 20.",
    )
    price: PriceConfig | None = Field(
        default=None,
        description="The price of the model, in US dollars: `input_per_million`, `output_per_million`, "
        "`per_question`. It replaces the price that litellm knows, and `--budget-usd` needs it "
        "for a model whose price litellm does not know.",
        examples=[{"input_per_million": 0.5, "output_per_million": 1.5}],
    )
    params: dict[str, Any] | None = Field(
        default=None,
        description="More parameters for the call, as litellm names them, such as `top_p` or "
        "`reasoning_effort`.",
    )
    max_retries: WholeNumber | None = Field(
        default=None, description="Same as `retry.max_retries`, in AgentV's spelling."
    )
    retry_initial_delay_ms: Number | None = Field(
        default=None, description="Same as `retry.initial_delay_ms`, in AgentV's spelling."
    )
    retry_max_delay_ms: Number | None = Field(
        default=None, description="Same as `retry.max_delay_ms`, in AgentV's spelling."
    )
    retry_backoff_factor: Number | None = Field(
        default=None, description="Same as `retry.backoff_factor`, in AgentV's spelling."
    )
    retry_status_codes: list[StatusCode] | None = Field(
        default=None, description="Same as `retry.status_codes`, in AgentV's spelling."
    )

    @field_validator("params")
    @classmethod
    def _params_are_free(cls, params: dict[str, Any] | None) -> dict[str, Any] | None:
        for name in params or ():
            if name in OWNED_PARAMS:
                raise PydanticCustomError(
                    "owned_parameter",
                    "`{parameter}` cannot be set in `params`: it comes from {owner}",
                    {"parameter": name, "owner": OWNED_PARAMS[name], "place": (name,)},
                )
        return params

    @property
    def own_price(self) -> PriceConfig | None:
        return self.price


class LiteLlmConfig(LlmConfig):
    """Any model that litellm supports, including local servers."""

    provider: Literal["litellm"] = Field(description="Any model, by litellm's name.")
    model: str = Field(
        pattern=r"\S",
        description="The model as litellm names it: `provider/model`, such as "
        "`anthropic/claude-sonnet-4-5` or `ollama/llama3`. A server of your own that speaks the "
        "OpenAI protocol is `openai/NAME` with `api_base`.",
    )
    api_base: Address | None = Field(
        default=None, description="The server's address, if it is not the provider's own."
    )


ApiFormat = Annotated[str, Field(pattern=r"^(chat|responses|\s*\$\{\{.*\}\}\s*)$")]
_API_FORMAT = (
    "`chat` or `responses`, as in AgentV. Has no effect: models are always called through chat "
    "completions."
)


class OpenAiConfig(LlmConfig):
    """A model of OpenAI, or of a server that speaks its protocol."""

    provider: Literal["openai"] = Field(description="OpenAI, or a server that speaks its protocol.")
    model: str = Field(pattern=r"\S", description="The model, such as `gpt-4.1-mini`.")
    api_base: Address | None = Field(
        default=None,
        description="The server's address, if it is not OpenAI's own. Default: `https://api.openai.com/v1`.",
    )
    api_format: ApiFormat | None = Field(default=None, description=_API_FORMAT)


class AzureConfig(LlmConfig):
    """A deployment of Azure OpenAI."""

    provider: Literal["azure", "azure-openai"] = Field(description="Azure OpenAI, through litellm.")
    endpoint: Address | None = Field(
        default=None,
        description="The resource's address, `https://NAME.openai.azure.com`. Either this or "
        "`resource`.",
    )
    resource: Text | None = Field(
        default=None, description="The resource's name, from which the address is derived."
    )
    deployment: Text | None = Field(
        default=None, description="The deployment's name. Either this or `model`."
    )
    model: Text | None = Field(default=None, description="The deployment's name, as `deployment`.")
    version: Text | None = Field(
        default=None, description="The API's version. Default `2024-12-01-preview`."
    )
    api_format: ApiFormat | None = Field(default=None, description=_API_FORMAT)

    @model_validator(mode="after")
    def _is_addressed(self) -> AzureConfig:
        for one, other in (("endpoint", "resource"), ("deployment", "model")):
            if getattr(self, one) is None and getattr(self, other) is None:
                raise PydanticCustomError(
                    "missing_one_of",
                    "an azure target needs `{one}` or `{other}`",
                    {"one": one, "other": other},
                )
        return self

    @property
    def asked_model(self) -> str | None:
        return self.deployment or self.model


class AnthropicConfig(LlmConfig):
    """A model of Anthropic."""

    provider: Literal["anthropic"] = Field(description="Anthropic.")
    model: str = Field(pattern=r"\S", description="The model, such as `claude-sonnet-4-5`.")
    thinking_budget: Count | None = Field(
        default=None, description="The maximum number of thinking tokens. Default: no thinking."
    )


class GeminiConfig(LlmConfig):
    """A model of Google's Gemini API."""

    provider: Literal["gemini", "google", "google-gemini"] = Field(
        description="Google's Gemini API, through litellm."
    )
    model: Text | None = Field(default=None, description=f"The model. Default `{GEMINI_MODEL}`.")

    @property
    def asked_model(self) -> str:
        return self.model or GEMINI_MODEL


class OpenRouterConfig(LlmConfig):
    """A model of any provider, through OpenRouter."""

    provider: Literal["openrouter"] = Field(description="OpenRouter, through litellm.")
    model: str = Field(
        pattern=r"\S",
        description="The model as OpenRouter names it: `anthropic/claude-sonnet-4.5`.",
    )
    api_base: Address | None = Field(
        default=None,
        description="The server's address, if it is not OpenRouter's own. Default: "
        "`https://openrouter.ai/api/v1`.",
    )
