"""The services whose models can be called, and litellm's names for them.

Read in promptfoo 0.121.20 (addresses, variables) and litellm 1.106.2 (names). A service that litellm
does not know is called at its address, if it speaks the OpenAI protocol.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

#: The manner in which `config` is read, and its defaults.
Manner = Literal["openai", "anthropic", "google", "mistral", "ollama", "bedrock", "plain"]


@dataclass(frozen=True, slots=True)
class Service:
    """A service of models.

    Attributes:
        litellm: litellm's name of the service.
        keys: the variables with its API key, of which the first that is set counts.
        manner: how `config` is read.
        modes: the modes between the prefix and the model, with litellm's name for each.
        address: its address, if litellm does not know it.
        addresses: the variables that override its address.
        needs_key: whether calls need a key.
    """

    litellm: str
    keys: tuple[str, ...] = ()
    manner: Manner = "openai"
    modes: Mapping[str, str] | None = None
    address: str | None = None
    addresses: tuple[str, ...] = ()
    needs_key: bool = True


_OPENAI = Service(
    "openai",
    ("OPENAI_API_KEY",),
    modes={"chat": "openai", "responses": "openai", "completion": "text-completion-openai"},
    addresses=("OPENAI_API_BASE_URL", "OPENAI_BASE_URL"),
)
_AZURE = Service(
    "azure",
    ("AZURE_API_KEY", "AZURE_OPENAI_API_KEY"),
    modes={"chat": "azure", "responses": "azure", "completion": "azure_text"},
    addresses=("AZURE_API_BASE_URL", "AZURE_OPENAI_API_BASE_URL", "AZURE_OPENAI_BASE_URL"),
)
_GOOGLE = Service("gemini", ("GOOGLE_API_KEY", "GEMINI_API_KEY", "PALM_API_KEY"), "google")
_HUGGINGFACE = Service(
    "openai",
    ("HF_TOKEN", "HF_API_TOKEN"),
    modes={"chat": "openai"},
    address="https://router.huggingface.co/v1",
)
_ALIBABA = Service(
    "openai",
    ("DASHSCOPE_API_KEY",),
    address="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
)


def _own(address: str, *keys: str, addresses: tuple[str, ...] = ()) -> Service:
    """Return a service that litellm does not know, which speaks the OpenAI protocol."""
    return Service("openai", keys, address=address, addresses=addresses)


#: By the prefix of ids.
SERVICES: Mapping[str, Service] = {
    "openai": _OPENAI,
    "anthropic": Service(
        "anthropic",
        ("ANTHROPIC_API_KEY",),
        "anthropic",
        {"messages": "anthropic"},
        addresses=("ANTHROPIC_BASE_URL",),
    ),
    "google": _GOOGLE,
    "palm": _GOOGLE,
    "vertex": Service("vertex_ai", (), "google", {"chat": "vertex_ai"}, needs_key=False),
    "azure": _AZURE,
    "azureopenai": _AZURE,
    "bedrock": Service("bedrock", (), "bedrock", {"converse": "bedrock/converse"}, needs_key=False),
    "openrouter": Service("openrouter", ("OPENROUTER_API_KEY",)),
    "groq": Service("groq", ("GROQ_API_KEY",)),
    "mistral": Service(
        "mistral", ("MISTRAL_API_KEY",), "mistral", addresses=("MISTRAL_API_BASE_URL",)
    ),
    "deepseek": Service("deepseek", ("DEEPSEEK_API_KEY",)),
    "xai": Service("xai", ("XAI_API_KEY",)),
    "cerebras": Service("cerebras", ("CEREBRAS_API_KEY",)),
    "cohere": Service("cohere_chat", ("COHERE_API_KEY",), "plain", {"chat": "cohere_chat"}),
    "perplexity": Service("perplexity", ("PERPLEXITY_API_KEY",)),
    "togetherai": Service("together_ai", ("TOGETHER_API_KEY",), modes={"chat": "together_ai"}),
    "fireworks": Service(
        "fireworks_ai", ("FIREWORKS_API_KEY",), addresses=("FIREWORKS_API_BASE_URL",)
    ),
    "github": _own("https://models.github.ai/inference", "GITHUB_TOKEN"),
    "ollama": Service(
        "ollama_chat",
        (),
        "ollama",
        # Its API for completions puts a prompt into a chat, and litellm puts words around it.
        {"chat": "ollama_chat", "completion": "ollama_chat"},
        address="http://localhost:11434",
        addresses=("OLLAMA_BASE_URL",),
        needs_key=False,
    ),
    "localai": Service(
        "openai",
        ("OPENAI_API_KEY",),
        "plain",
        {"chat": "openai"},
        address="http://localhost:8080/v1",
        addresses=("LOCALAI_BASE_URL",),
        needs_key=False,
    ),
    "litellm": Service(
        "openai",
        ("LITELLM_API_KEY", "OPENAI_API_KEY"),
        modes={"chat": "openai"},
        address="http://0.0.0.0:4000",
        addresses=("LITELLM_API_BASE",),
        needs_key=False,
    ),
    "huggingface": _HUGGINGFACE,
    "hf": _HUGGINGFACE,
    "replicate": Service("replicate", ("REPLICATE_API_TOKEN", "REPLICATE_API_KEY"), "plain"),
    "ai21": Service("ai21_chat", ("AI21_API_KEY",), "plain"),
    "nvidia": _own("https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY"),
    "moonshot": _own("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
    "llamaapi": Service(
        "openai",
        ("LLAMA_API_KEY",),
        modes={"chat": "openai"},
        address="https://api.llama.com/compat/v1",
    ),
    "aimlapi": _own("https://api.aimlapi.com/v1", "AIML_API_KEY"),
    "cometapi": _own("https://api.cometapi.com/v1", "COMETAPI_KEY"),
    "hyperbolic": _own("https://api.hyperbolic.xyz/v1", "HYPERBOLIC_API_KEY"),
    "nscale": _own("https://inference.api.nscale.com/v1", "NSCALE_SERVICE_TOKEN"),
    "orcarouter": _own("https://api.orcarouter.ai/v1", "ORCAROUTER_API_KEY"),
    "truefoundry": _own("https://llm-gateway.truefoundry.com", "TRUEFOUNDRY_API_KEY"),
    "novita": _own("https://api.novita.ai/openai/v1", "NOVITA_API_KEY"),
    "alibaba": _ALIBABA,
    "alicloud": _ALIBABA,
    "aliyun": _ALIBABA,
    "dashscope": _ALIBABA,
}
