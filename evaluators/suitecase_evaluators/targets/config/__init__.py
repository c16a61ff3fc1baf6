"""The targets file as pydantic models: cheap to import, checked without the environment."""

from suitecase_evaluators.targets.config.agent import (
    AgentConfig,
    ClaudeCodeConfig,
    CodexConfig,
    OtherAgentConfig,
    PiAgentSdkConfig,
    PiCodingAgentConfig,
    VsCodeConfig,
    VsCodeInsidersConfig,
)
from suitecase_evaluators.targets.config.canned import MockConfig, ReplayConfig
from suitecase_evaluators.targets.config.cli import (
    CliConfig,
    CommandHealthcheck,
    HttpHealthcheck,
)
from suitecase_evaluators.targets.config.file import (
    PROVIDERS,
    TargetEntry,
    TargetsFile,
    read_target,
)
from suitecase_evaluators.targets.config.llm import (
    AnthropicConfig,
    AzureConfig,
    GeminiConfig,
    LiteLlmConfig,
    LlmConfig,
    OpenAiConfig,
    OpenRouterConfig,
)
from suitecase_evaluators.targets.config.placeholder import (
    Flag,
    Number,
    WholeNumber,
    as_flag,
    as_int,
    as_number,
)
from suitecase_evaluators.targets.config.target import RetryConfig, TargetConfig

__all__ = [
    "PROVIDERS",
    "AgentConfig",
    "AnthropicConfig",
    "AzureConfig",
    "ClaudeCodeConfig",
    "CliConfig",
    "CodexConfig",
    "CommandHealthcheck",
    "Flag",
    "GeminiConfig",
    "HttpHealthcheck",
    "LiteLlmConfig",
    "LlmConfig",
    "MockConfig",
    "Number",
    "OpenAiConfig",
    "OpenRouterConfig",
    "OtherAgentConfig",
    "PiAgentSdkConfig",
    "PiCodingAgentConfig",
    "ReplayConfig",
    "RetryConfig",
    "TargetConfig",
    "TargetEntry",
    "TargetsFile",
    "VsCodeConfig",
    "VsCodeInsidersConfig",
    "WholeNumber",
    "as_flag",
    "as_int",
    "as_number",
    "read_target",
]
