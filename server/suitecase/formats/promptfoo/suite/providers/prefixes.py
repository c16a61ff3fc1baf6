"""The providers that promptfoo knows, by what their ids start with.

Read in the registry of promptfoo 0.121.20. Names of models are examples for completion: any model
that a service has can be named.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

#: The version of promptfoo whose providers these are.
READ_AT = "0.121.20"


class ProviderKind(StrEnum):
    """What answers behind a provider."""

    MODEL = "model"
    #: A script or a program of the project.
    CODE = "code"
    #: An address that is called.
    HTTP = "http"
    #: An agent with tools of its own.
    AGENT = "agent"
    #: Part of promptfoo: it echoes, replays, or asks a person.
    BUILT_IN = "built-in"


@dataclass(frozen=True, slots=True)
class ProviderPrefix:
    """What an id starts with, up to its first colon."""

    name: str
    kind: ProviderKind
    description: str
    #: What may stand between the prefix and the model.
    modes: tuple[str, ...] = ()
    #: Examples of what follows the prefix.
    models: tuple[str, ...] = ()
    #: It is an id without anything behind it.
    alone: bool = False
    #: It has to be followed by something.
    needs_more: bool = True
    #: One of the modes has to stand there.
    needs_mode: bool = False
    #: The variable with its API key.
    key: str | None = None


def _model(
    name: str,
    description: str,
    models: str = "",
    modes: str = "",
    key: str | None = None,
    *,
    needs_more: bool = True,
    needs_mode: bool = False,
) -> ProviderPrefix:
    return ProviderPrefix(
        *(name, ProviderKind.MODEL, description, tuple(modes.split()), tuple(models.split())),
        needs_more=needs_more,
        needs_mode=needs_mode,
        key=key,
    )


def _other(
    kind: ProviderKind,
    name: str,
    description: str,
    *,
    alone: bool = False,
    needs_more: bool = False,
    modes: str = "",
) -> ProviderPrefix:
    return ProviderPrefix(
        *(name, kind, description, tuple(modes.split())), alone=alone, needs_more=needs_more
    )


_OPENAI_MODES = (
    "chat responses completion embedding embeddings image video tts speech transcription realtime "
    "moderation assistant agents chatkit codex-sdk codex codex-app-server codex-desktop"
)
_AZURE_MODES = (
    "chat responses completion embedding embeddings assistant foundry-agent image video realtime "
    "moderation"
)
_HUGGINGFACE_MODES = (
    "chat text-generation text-classification token-classification feature-extraction "
    "sentence-similarity"
)

_MODELS = (
    _model(
        *("openai", "OpenAI", "gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5 gpt-5-mini gpt-4.1"),
        *(_OPENAI_MODES, "OPENAI_API_KEY"),
    ),
    _model(
        "anthropic",
        "Anthropic; `claude-agent-sdk` is an agent",
        "claude-sonnet-5 claude-opus-5 claude-haiku-4-5 claude-sonnet-4-6",
        "messages completion claude-agent-sdk claude-code",
        "ANTHROPIC_API_KEY",
    ),
    _model(
        "google",
        "Google AI Studio",
        "gemini-3.1-pro-preview gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite",
        "live image video embedding embeddings",
        "GOOGLE_API_KEY",
    ),
    _model("palm", "Google AI Studio, under its old name", key="GOOGLE_API_KEY"),
    _model("vertex", "Google Vertex AI", "gemini-2.5-pro", "chat embedding embeddings video"),
    _model(
        *("azure", "Azure OpenAI, by deployment", "", _AZURE_MODES, "AZURE_API_KEY"),
        needs_mode=True,
    ),
    _model(
        *("azureopenai", "Azure OpenAI, by deployment", "", _AZURE_MODES, "AZURE_API_KEY"),
        needs_mode=True,
    ),
    _model(
        "bedrock",
        "Amazon Bedrock",
        "us.anthropic.claude-sonnet-4-6 us.amazon.nova-pro-v1:0",
        "converse messages completion embedding embeddings agents mantle kb knowledge-base "
        "nova-sonic video",
    ),
    _model("bedrock-agent", "An agent of Amazon Bedrock"),
    _model("sagemaker", "Amazon SageMaker", modes="embedding embeddings jumpstart"),
    _model(
        "openrouter", "OpenRouter", "openai/gpt-5.4 google/gemini-2.5-pro", "", "OPENROUTER_API_KEY"
    ),
    _model(
        "groq", "Groq", "openai/gpt-oss-120b llama-3.3-70b-versatile", "responses", "GROQ_API_KEY"
    ),
    _model(
        *("mistral", "Mistral AI", "mistral-large-latest mistral-small-latest"),
        *("embedding embeddings", "MISTRAL_API_KEY"),
    ),
    _model("deepseek", "DeepSeek", "deepseek-chat", "", "DEEPSEEK_API_KEY", needs_more=False),
    _model("xai", "xAI", "grok-4.3", "image video responses voice", "XAI_API_KEY"),
    _model("ollama", "Ollama", "llama3.3 qwen3", "chat completion embedding embeddings"),
    _model("localai", "LocalAI", "", "chat completion embedding embeddings", needs_more=False),
    _model(
        "litellm", "LiteLLM", "gpt-5.4", "chat completion embedding embeddings", needs_more=False
    ),
    _model(
        *("huggingface", "Hugging Face", "", _HUGGINGFACE_MODES, "HF_TOKEN"),
        needs_mode=True,
    ),
    _model("hf", "Hugging Face", "", _HUGGINGFACE_MODES, "HF_TOKEN", needs_mode=True),
    _model("cohere", "Cohere", "command-a-03-2025", "chat embedding embeddings", "COHERE_API_KEY"),
    _model(
        "perplexity", "Perplexity", "sonar sonar-pro", "", "PERPLEXITY_API_KEY", needs_more=False
    ),
    _model(
        "togetherai", "Together AI", "", "chat completion embedding embeddings", "TOGETHER_API_KEY"
    ),
    _model("fireworks", "Fireworks AI", key="FIREWORKS_API_KEY"),
    _model("replicate", "Replicate", "", "image moderation", "REPLICATE_API_TOKEN"),
    _model("github", "GitHub Models", "openai/gpt-5", "", "GITHUB_TOKEN", needs_more=False),
    _model("cerebras", "Cerebras", key="CEREBRAS_API_KEY", needs_more=False),
    _model("nvidia", "NVIDIA NIM", key="NVIDIA_API_KEY"),
    _model("moonshot", "Moonshot AI", key="MOONSHOT_API_KEY", needs_more=False),
    _model("minimax", "MiniMax", needs_more=False),
    _model("meta", "Meta", needs_more=False),
    _model("llamaapi", "Llama API", modes="chat", needs_more=False),
    _model("ai21", "AI21 Labs", key="AI21_API_KEY"),
    _model("abliteration", "Abliteration", needs_more=False),
    _model("aimlapi", "AI/ML API", needs_more=False),
    _model("cometapi", "CometAPI", needs_more=False),
    _model("atlascloud", "Atlas Cloud", needs_more=False),
    _model("alibaba", "Alibaba Cloud", modes="embedding embeddings", needs_more=False),
    _model("alicloud", "Alibaba Cloud", modes="embedding embeddings", needs_more=False),
    _model("aliyun", "Alibaba Cloud", modes="embedding embeddings", needs_more=False),
    _model("dashscope", "Alibaba Cloud", modes="embedding embeddings", needs_more=False),
    _model("cloudera", "Cloudera", needs_more=False),
    _model("cloudflare-ai", "Cloudflare Workers AI", modes="chat completion embedding embeddings"),
    _model("cloudflare-gateway", "Cloudflare AI Gateway"),
    _model("databricks", "Databricks"),
    _model("mlflow-gateway", "MLflow AI Gateway"),
    _model(
        "docker",
        "Docker Model Runner",
        modes="chat completion embedding embeddings",
        needs_more=False,
    ),
    _model("envoy", "Envoy AI Gateway", needs_more=False),
    _model("f5", "F5", needs_more=False),
    _model("fal", "fal.ai", "", "image", "FAL_KEY", needs_mode=True),
    _model("helicone", "Helicone", "openai/gpt-4o"),
    _model("hyperbolic", "Hyperbolic", "", "image audio", "HYPERBOLIC_API_KEY"),
    _model("jfrog", "JFrog ML", needs_more=False),
    _model("qwak", "JFrog ML", needs_more=False),
    _model("modelslab", "ModelsLab", modes="image", needs_mode=True),
    _model("novita", "Novita AI", needs_more=False),
    _model(
        "nscale", "Nscale", modes="chat completion embedding embeddings image", needs_more=False
    ),
    _model("orcarouter", "OrcaRouter", needs_more=False),
    _model("portkey", "Portkey", needs_more=False),
    _model("quiverai", "QuiverAI", needs_more=False),
    _model("snowflake", "Snowflake Cortex"),
    _model("truefoundry", "TrueFoundry", needs_more=False),
    _model("vercel", "Vercel AI Gateway", modes="embedding embeddings"),
    _model("voyage", "Voyage AI, for embeddings", key="VOYAGE_API_KEY"),
    _model("watsonx", "IBM watsonx", modes="chat"),
    _model(
        "elevenlabs",
        "ElevenLabs",
        modes="tts stt agents history isolation alignment",
        needs_mode=True,
    ),
    _model(
        *("transformers", "Transformers.js", ""),
        "feature-extraction embeddings text-generation",
        needs_mode=True,
    ),
    _model(
        *("transformers.js", "Transformers.js", ""),
        "feature-extraction embeddings text-generation",
        needs_mode=True,
    ),
    _model("bam", "IBM BAM, which was shut down", needs_more=False),
)
_CODE, _HTTP = ProviderKind.CODE, ProviderKind.HTTP
_AGENT, _BUILT_IN = ProviderKind.AGENT, ProviderKind.BUILT_IN
_OTHERS = (
    _other(_CODE, "python", "A function of a Python script", needs_more=True),
    _other(_CODE, "golang", "A function of a Go program", needs_more=True),
    _other(_CODE, "ruby", "A function of a Ruby script", needs_more=True),
    _other(_CODE, "exec", "A command that prints the answer", needs_more=True),
    _other(_CODE, "package", "A provider of a package of npm", needs_more=True),
    _other(_HTTP, "http", "An HTTP API", alone=True),
    _other(_HTTP, "https", "An HTTP API", alone=True),
    _other(_HTTP, "ws", "A WebSocket", alone=True),
    _other(_HTTP, "wss", "A WebSocket", alone=True),
    _other(_HTTP, "websocket", "A WebSocket", alone=True),
    _other(_HTTP, "webhook", "A webhook", needs_more=True),
    _other(_HTTP, "n8n", "A workflow of n8n", alone=True),
    _other(_AGENT, "a2a", "An agent that speaks A2A", alone=True),
    _other(_AGENT, "mcp", "The tools of an MCP server", alone=True),
    _other(_AGENT, "opencode", "OpenCode", alone=True),
    _other(_AGENT, "openclaw", "OpenClaw", alone=True),
    _other(_AGENT, "openinterpreter", "Open Interpreter", alone=True),
    _other(_AGENT, "browser", "A browser that is controlled", alone=True),
    _other(_AGENT, "slack", "A channel of Slack", alone=True),
    _other(_BUILT_IN, "llama", "A server of llama.cpp", alone=True),
    _other(_BUILT_IN, "echo", "Answers with the prompt", alone=True),
    _other(_BUILT_IN, "sequence", "Sends prompts one after the other", alone=True),
    _other(
        *(_BUILT_IN, "promptfoo", "Part of promptfoo"),
        modes="manual-input simulated-user model redteam",
        needs_more=True,
    ),
    _other(_BUILT_IN, "agentic", "For red teams", needs_more=True),
)

#: By prefix.
PREFIXES = {model.name: model for model in (*_MODELS, *_OTHERS)}
#: Ids that are whole: nothing may follow them.
WHOLE_IDS = frozenset({"echo", "browser", "sequence"})
#: What people write for a prefix.
OTHER_NAMES = {
    "gemini": "google",
    "claude": "anthropic",
    "gpt": "openai",
    "chatgpt": "openai",
    "together": "togetherai",
    "together_ai": "togetherai",
    "grok": "xai",
    "aws": "bedrock",
    "vertexai": "vertex",
    "vertex_ai": "vertex",
    "google-ai": "google",
    "googleai": "google",
    "azure_openai": "azure",
    "azure-openai": "azure",
    "open_router": "openrouter",
    "fireworks_ai": "fireworks",
    "huggingface-hub": "huggingface",
    "py": "python",
    "go": "golang",
    "script": "exec",
    "shell": "exec",
}
