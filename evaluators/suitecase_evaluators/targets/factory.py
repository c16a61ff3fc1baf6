"""Makes targets of their configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from suitecase_evaluators.sandbox.confinement import Sandbox
from suitecase_evaluators.targets import litellm_library
from suitecase_evaluators.targets.config.agent import AgentConfig
from suitecase_evaluators.targets.config.canned import MockConfig, ReplayConfig
from suitecase_evaluators.targets.config.cli import CliConfig
from suitecase_evaluators.targets.config.llm import LlmConfig
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.environment import resolve
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import Target, TargetError


def make_target(
    config: TargetConfig,
    *,
    folder: Path,
    environ: Mapping[str, str],
    redactor: Redactor | None = None,
    sandbox: Sandbox | None = None,
) -> Target:
    """Return the target of an entry of a targets file; nobody is asked yet.

    Args:
        folder: the folder of the targets file; its relative paths start there.
        environ: what placeholders are filled in from, and the environment of programs.
        redactor: is told of all secrets, for those who write what targets say.
        sandbox: how programs are held; None is as where nothing is configured.

    Raises:
        TargetError: the environment lacks something, or the provider cannot be asked.
    """
    if isinstance(config, AgentConfig):
        raise TargetError(
            f"target `{config.name}`: Suitecase does not start the agent `{config.provider}` "
            "itself. Run it through a target of `provider: cli`, with a `command_template` that "
            "starts the agent with {PROMPT} and prints its answer, or writes it to {OUTPUT_FILE}.",
            kind="configuration",
        )
    redactor = redactor or Redactor()
    redactor.remember_environment(environ)
    # Each provider's module is imported only where it is used.
    match resolve(config, environ, redactor):
        case MockConfig() as mock:
            from suitecase_evaluators.targets.mock import MockTarget

            return MockTarget(mock)
        case ReplayConfig() as replay:
            from suitecase_evaluators.targets.replay import ReplayTarget

            return ReplayTarget(replay, folder=folder, redactor=redactor)
        case CliConfig() as cli:
            from suitecase_evaluators.targets.cli import CliTarget

            return CliTarget(
                cli,
                folder=folder,
                environ=environ,
                redactor=redactor,
                sandbox=sandbox,
            )
        case LlmConfig() as model:
            if not litellm_library.is_installed():
                raise TargetError(
                    f"target `{config.name}`: models are asked through litellm, which is not "
                    f"installed; {litellm_library.INSTALL}",
                    kind="configuration",
                )
            from suitecase_evaluators.targets.litellm import LiteLlmTarget

            return LiteLlmTarget(model, environ=environ, redactor=redactor)
        case other:
            raise TargetError(
                f"target `{config.name}`: there is no way to ask the provider `{other.provider}`",
                kind="configuration",
            )
