"""Agents that AgentV starts by itself: known here, and run through a `cli` target."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import ConfigDict, Field

from suitecase_evaluators.targets.config.placeholder import Flag, Text
from suitecase_evaluators.targets.config.target import TargetConfig


class AgentConfig(TargetConfig):
    """A coding agent. Suitecase checks the entry but does not start the agent: use `cli`.

    Its keys are its own tool's, which has more of them than are known here.
    """

    model_config = ConfigDict(extra="allow")

    asks: ClassVar[Literal["model", "program"] | None] = "program"


class CommandLineAgentConfig(AgentConfig):
    """A coding agent with a command line of its own."""

    executable: Text | None = Field(default=None, description="The agent's program.")
    args: list[str] | None = Field(default=None, description="More arguments for the agent.")
    cwd: Text | None = Field(default=None, description="Where the agent works.")
    model: Text | None = Field(default=None, description="The model the agent uses.")
    log_dir: Text | None = Field(default=None, description="Where the agent's logs go.")
    log_format: str | None = Field(
        default=None,
        pattern=r"^(summary|json|\s*\$\{\{.*\}\}\s*)$",
        description="`summary` or `json`: how the agent's log is written.",
    )
    system_prompt: Text | None = Field(default=None, description="The system prompt of the agent.")


class CodexConfig(CommandLineAgentConfig):
    """Codex CLI. Checked, but not started: use a `cli` target."""

    provider: Literal["codex", "codex-cli"] = Field(description="The agent Codex CLI.")


class ClaudeCodeConfig(CommandLineAgentConfig):
    """Claude Code. Checked, but not started: use a `cli` target."""

    provider: Literal["claude-code"] = Field(description="The agent Claude Code.")


class OtherAgentConfig(AgentConfig):
    """An agent, or answers of one, that AgentV knows. Checked, but not asked: use a `cli` target."""

    provider: Literal[
        "agentv",
        "cc-mirror",
        "claude",
        "claude-cli",
        "claude-sdk",
        "copilot",
        "copilot-cli",
        "copilot-log",
        "copilot-sdk",
        "copilot_sdk",
        "pi-cli",
        "transcript",
    ] = Field(description="The agent.")


class PiConfig(CommandLineAgentConfig):
    """Pi, however it is started."""

    pi_provider: Text | None = Field(default=None, description="The provider that Pi uses.")
    api_key: Text | None = Field(
        default=None, description="The key for that provider; write `${{ NAME }}`."
    )
    tools: Text | None = Field(
        default=None, description="The tools Pi may use, such as `read,bash,edit,write`."
    )
    thinking: Text | None = Field(default=None, description="How long Pi thinks.")


class PiCodingAgentConfig(PiConfig):
    """The Pi coding agent. Checked, but not started: use a `cli` target."""

    provider: Literal["pi-coding-agent", "pi"] = Field(description="The agent Pi.")


class PiAgentSdkConfig(PiConfig):
    """The Pi agent SDK. Checked, but not started: use a `cli` target."""

    provider: Literal["pi-agent-sdk"] = Field(description="The agent Pi, through its SDK.")


class EditorAgentConfig(AgentConfig):
    """An agent that lives in an editor."""

    vscode_cmd: Text | None = Field(default=None, description="The command that starts the editor.")
    workspace_template: Text | None = Field(
        default=None, description="The workspace the agent works in."
    )
    wait: Flag | None = Field(default=None, description="Whether to wait for the answer.")
    dry_run: Flag | None = Field(default=None, description="Only show the prompt.")
    subagent_root: Text | None = Field(
        default=None, description="The folder of the agent's subagents."
    )


class VsCodeConfig(EditorAgentConfig):
    """Copilot in VS Code. Checked, but not started: use a `cli` target."""

    provider: Literal["vscode"] = Field(description="The agent in VS Code.")


class VsCodeInsidersConfig(EditorAgentConfig):
    """Copilot in VS Code Insiders. Checked, but not started: use a `cli` target."""

    provider: Literal["vscode-insiders"] = Field(description="The agent in VS Code Insiders.")
