"""How the programs of a run are held: what the configuration says, and whether it is enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from suitecase.run.jobs import Job
from suitecase.run.panel import Panel, judge_calls
from suitecase.suite.configuration import WrittenConfiguration
from suitecase_evaluators.code_judge import CodeJudgeConfig
from suitecase_evaluators.composite import CodeAggregator, CompositeConfig
from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.judge.config import LlmJudgeConfig, PromptScript
from suitecase_evaluators.sandbox import bubblewrap
from suitecase_evaluators.sandbox.confinement import Sandbox, reachable
from suitecase_evaluators.sandbox.level import Level, WantedLevel
from suitecase_evaluators.sandbox.limits import Limits
from suitecase_evaluators.targets.config.cli import CliConfig

#: Of the programs that are held too little so many are named.
_NAMED = 5


class SandboxError(Exception):
    """The programs of a run must not be started as they would be; `message` is for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def sandbox_of(configuration: WrittenConfiguration | None, root: Path) -> Sandbox:
    """Return how the programs of a run are held.

    Args:
        configuration: the one that holds in the suite's folder.
        root: the root of the workspace, which isolated programs see.

    Raises:
        SandboxError: what the configuration says of it cannot be read. What is wrong elsewhere in
            it holds up no run.
    """
    if configuration is None:
        return Sandbox(readable=(root.resolve(),))
    problem = _problem_of(configuration)
    if problem is not None:
        raise SandboxError(
            f"{problem}. So it is not known how programs are to be held, and nothing was run."
        )
    settings = configuration.model.sandbox
    folder = configuration.path.parent
    return Sandbox(
        limits=Limits(
            cpu_seconds=settings.cpu_seconds,
            memory_mb=settings.memory_mb,
            file_size_mb=settings.file_size_mb,
            open_files=settings.open_files,
            processes=settings.processes,
        ),
        scripts=Level(settings.scripts),
        targets=Level(settings.targets),
        readable=(root.resolve(),),
        writable=tuple((folder / Path(it).expanduser()).resolve() for it in settings.writable),
    )


def _problem_of(configuration: WrittenConfiguration) -> str | None:
    """Return why nobody knows how programs are to be held; None where that is known."""
    if configuration.error is not None and "sandbox" in configuration.text:
        line = configuration.text.count("\n", 0, configuration.error.span.start) + 1
        return f"{configuration.path}:{line}: {configuration.error.message}"
    if configuration.unreadable is not None:
        return f"{configuration.path} cannot be read: {configuration.unreadable}"
    wrong = next((it for it in configuration.issues if it.path[:1] == ("sandbox",)), None)
    if wrong is None:
        return None
    line = configuration.text.count("\n", 0, wrong.span.start) + 1
    setting = ".".join(map(str, wrong.path))
    return (
        f"{configuration.path}:{line}: the setting `{setting}` cannot be as it is; `suitecase check "
        f"{configuration.path.parent}` says why"
    )


def required(asked: str | None, configuration: WrittenConfiguration | None) -> Level:
    """Return how far programs have to be held: the more of what two places require."""
    levels = [Level(asked)] if asked is not None else []
    if configuration is not None:
        levels.append(Level(configuration.model.sandbox.require))
    return max(levels, key=lambda it: it.rank, default=Level.NONE)


def require(level: Level, jobs: Iterable[Job], panel: Panel) -> None:
    """Make sure that programs will be held so far; a run that starts none passes.

    Raises:
        SandboxError: some would be held less.
        TargetError: there is no target of a name.
    """
    if level is Level.NONE:
        return
    held = {
        name: reached
        for name, wanted in dict.fromkeys(_programs(jobs, panel))
        if not (reached := reachable(wanted)).meets(level)
    }
    if not held:
        return
    listed = [f"  {name} would run with `{it.value}`" for name, it in list(held.items())[:_NAMED]]
    if len(held) > _NAMED:
        listed.append(f"  and {len(held) - _NAMED:,} more")
    raise SandboxError(
        "\n".join((f"the sandbox `{level.value}` is required, and not reached:", *listed))
        + f"\nNothing was run. {_remedy(level)}"
    )


def _remedy(level: Level) -> str:
    if level.in_namespaces:
        missing = bubblewrap.unavailable(bubblewrap.found())
        if missing is not None:
            return f"This machine cannot isolate programs: {missing}."
    elif reachable(level) is Level.NONE:
        return "This system has no limits for programs."
    return (
        f"To hold them so far, write `sandbox: {level.value}` in their entries, or "
        f'`targets = "{level.value}"` (`scripts` for evaluators) under `[sandbox]` in the '
        "configuration."
    )


def _programs(jobs: Iterable[Job], panel: Panel) -> Iterator[tuple[str, Level]]:
    """Yield each program that a run may start: who starts it, and how far it is to be held."""
    for job in jobs:
        configs = [it.config for it in job.case.evaluators]
        judges = (it.target for it in judge_calls(configs, panel.judge_of(job.target)))
        for name in (job.target, *judges):
            config = panel.config(name)
            if isinstance(config, CliConfig):
                yield f"target `{name}`", _level(config.sandbox, panel.sandbox.targets)
        for name, wanted in _scripts(configs):
            yield f"evaluator `{name}`", _level(wanted, panel.sandbox.scripts)


def _scripts(configs: Iterable[EvaluatorConfig]) -> Iterator[tuple[str, WantedLevel | None]]:
    for config in configs:
        match config:
            case CodeJudgeConfig():
                yield config.name, config.sandbox
            case LlmJudgeConfig(prompt=PromptScript(sandbox=wanted)):
                yield config.name, wanted
            case CompositeConfig():
                yield from _scripts(config.evaluators)
                if isinstance(config.aggregator, CodeAggregator):
                    yield config.name, config.aggregator.sandbox
            case _:
                pass


def _level(wanted: WantedLevel | None, default: Level) -> Level:
    return default if wanted is None else Level(wanted)
