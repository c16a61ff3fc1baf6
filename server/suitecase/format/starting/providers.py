"""The providers of models that litellm knows, and the environment variables of their keys.

litellm takes seconds to import and is not installed everywhere, so its names are repeated here; a test
compares them.
"""

from __future__ import annotations

#: The variables that litellm reads for each provider, the key first. Without any, it needs none or
#: reads files of its own.
KEY_VARIABLES: dict[str, tuple[str, ...]] = {
    "ai21": ("AI21_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "azure": ("AZURE_API_KEY", "AZURE_API_BASE", "AZURE_API_VERSION"),
    "azure_ai": ("AZURE_AI_API_KEY", "AZURE_AI_API_BASE"),
    "baseten": ("BASETEN_API_KEY",),
    "bedrock": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION_NAME"),
    "cerebras": ("CEREBRAS_API_KEY",),
    "cloudflare": ("CLOUDFLARE_API_KEY", "CLOUDFLARE_API_BASE"),
    "codestral": ("CODESTRAL_API_KEY",),
    "cohere": ("COHERE_API_KEY",),
    "cohere_chat": ("COHERE_API_KEY",),
    "dashscope": ("DASHSCOPE_API_KEY",),
    "databricks": ("DATABRICKS_API_KEY", "DATABRICKS_API_BASE"),
    "deepinfra": ("DEEPINFRA_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "featherless_ai": ("FEATHERLESS_AI_API_KEY",),
    "fireworks_ai": ("FIREWORKS_AI_API_KEY",),
    "gemini": ("GEMINI_API_KEY",),
    "github": ("GITHUB_API_KEY",),
    "github_copilot": (),
    "groq": ("GROQ_API_KEY",),
    "hosted_vllm": ("HOSTED_VLLM_API_KEY", "HOSTED_VLLM_API_BASE"),
    "huggingface": ("HUGGINGFACE_API_KEY",),
    "hyperbolic": ("HYPERBOLIC_API_KEY",),
    "lambda_ai": ("LAMBDA_API_KEY",),
    "litellm_proxy": ("LITELLM_PROXY_API_KEY", "LITELLM_PROXY_API_BASE"),
    "llamafile": (),
    "lm_studio": (),
    "meta_llama": ("LLAMA_API_KEY",),
    "minimax": ("MINIMAX_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "moonshot": ("MOONSHOT_API_KEY",),
    "nebius": ("NEBIUS_API_KEY",),
    "novita": ("NOVITA_API_KEY",),
    "nvidia_nim": ("NVIDIA_NIM_API_KEY",),
    "ollama": (),
    "ollama_chat": (),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "perplexity": ("PERPLEXITYAI_API_KEY",),
    "replicate": ("REPLICATE_API_KEY",),
    "sagemaker": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION_NAME"),
    "sambanova": ("SAMBANOVA_API_KEY",),
    "together_ai": ("TOGETHERAI_API_KEY",),
    "v0": ("V0_API_KEY",),
    "vercel_ai_gateway": ("VERCEL_AI_GATEWAY_API_KEY",),
    "vertex_ai": ("VERTEXAI_PROJECT", "VERTEXAI_LOCATION"),
    "volcengine": ("VOLCENGINE_API_KEY",),
    "wandb": ("WANDB_API_KEY",),
    "xai": ("XAI_API_KEY",),
}
#: Other providers of chat models: litellm documents how each finds its key.
OTHER = frozenset(
    """
    ai21_chat aiml amazon_nova apertis bedrock_mantle bytez chatgpt chutes clarifai cometapi compactifai
    datarobot docker_model_runner edenai empower friendliai galadriel gigachat gradient_ai helicone heroku
    inception lemonade maritalk meta modelscope morph nano-gpt nlp_cloud nscale oci oobabooga ovhcloud
    petals poe predibase publicai sagemaker_chat sap scaleway snowflake synthetic tencent triton vllm
    watsonx xiaomi_mimo xinference zai
    """.split()  # noqa: SIM905 - a list of 60 lines says no more
)
#: Where servers on this machine are by default, for what is printed at the end.
LOCAL_SERVERS = {
    "ollama": "http://localhost:11434",
    "ollama_chat": "http://localhost:11434",
    "lm_studio": "http://localhost:1234/v1",
    "llamafile": "http://127.0.0.1:8080/v1",
}
