"""How the programs of a run are held: what the configuration says, and whether it is enough."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from suitecase.run.jobs import Job
from suitecase.run.target_pool import TargetPool
from suitecase.suite.configuration import ParsedConfiguration
from suitecase.suite.loosened import LIMITS, loosened
from suitecase.suite.settings import SandboxSettings
from suitecase.suite.user_configuration import UserConfigurationError, user_sandbox
from suitecase.suite.workspace import Folder, Workspace
from suitecase_evaluators.registry import description_of, with_members
from suitecase_evaluators.sandbox import bubblewrap
from suitecase_evaluators.sandbox.confinement import Kind, Sandbox, reachable
from suitecase_evaluators.sandbox.level import Level, WantedLevel, highest
from suitecase_evaluators.sandbox.limits import Limits

#: Of the programs that are held too little so many are named.
_NAMED = 5
_UNKNOWN = "So it is not known how programs are to be held, and nothing was run."


class SandboxError(Exception):
    """The programs of a run must not be started as they would be; `message` is for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class SandboxSetup:
    """How the programs of a run are held.

    Attributes:
        sandbox: for all programs.
        least: the level that every program has to be held at, or more.
        ignored: what the workspace's configuration asks for and does not get.
    """

    sandbox: Sandbox
    least: Level
    ignored: tuple[str, ...] = ()


def sandbox_of(
    configuration: ParsedConfiguration | None,
    root: Path,
    overrides: Mapping[str, Any] | None = None,
) -> SandboxSetup:
    """Return how the programs of a run are held.

    The user says how far, on the command line or in a configuration of their own. The workspace,
    which may be anybody's, can ask for more and never for less.

    Args:
        configuration: the one of the workspace that holds in the suite's folder.
        root: the root of the workspace, which isolated programs see.
        asked: the settings of the command line.

    Raises:
        SandboxError: what a configuration says of it cannot be read. What is wrong elsewhere in
            it holds up no run.
    """
    try:
        user = user_sandbox(dict(overrides or {}))
    except UserConfigurationError as error:
        raise SandboxError(f"{error.message}. {_UNKNOWN}") from error
    problem = None if configuration is None else _problem_of(configuration)
    if problem is not None:
        raise SandboxError(f"{problem}. {_UNKNOWN}")
    workspace_settings = SandboxSettings() if configuration is None else configuration.model.sandbox
    display_path = (
        "" if configuration is None else Folder(Workspace(root), root).shown(configuration.path)
    )
    return SandboxSetup(
        Sandbox(
            limits=Limits(
                **{it: _tighter(getattr(user, it), workspace_settings, it) for it in LIMITS},
            ),
            scripts=_more(user.scripts, workspace_settings, "scripts"),
            targets=_more(user.targets, workspace_settings, "targets"),
            workspace=root.resolve(),
            readable=tuple(map(Path, user.readable)),
            writable=tuple(map(Path, user.writable)),
        ),
        least=max(Level(user.require), Level(workspace_settings.require), key=lambda it: it.rank),
        ignored=tuple(f"{display_path}: {it}" for it in _ignored(user, workspace_settings)),
    )


def _tighter(most: int, theirs: SandboxSettings, name: str) -> int:
    """Return the less of two limits, of which 0 is none; one that is not written is none, too."""
    own = getattr(theirs, name) if name in theirs.model_fields_set else 0
    return min((it for it in (most, own) if it), default=0)


def _more(least: str, theirs: SandboxSettings, name: str) -> Level:
    own = getattr(theirs, name) if name in theirs.model_fields_set else None
    return highest(Level(least), own)


def _ignored(user: SandboxSettings, theirs: SandboxSettings) -> Iterator[str]:
    """Yield what is not done that the workspace's configuration asks for, with who can."""
    for name in loosened(theirs, user):
        setting = SandboxSettings.model_fields[name].alias or name
        value, own = getattr(theirs, name), getattr(user, name)
        if isinstance(value, list):
            yield _not_done(setting, setting, "FOLDER", "no more folders than the user says")
        else:
            yield _not_done(f"{setting} = {json.dumps(value)}", setting, value, f"`{own}`")


def _not_done(text: str, setting: str, value: object, holds: str) -> str:
    return (
        f"`{text}` under `[sandbox]` has no effect, and {holds} counts: a workspace cannot hold "
        f"programs less. To allow it, run with `--sandbox {setting}={value}`"
    )


def lowered(jobs: Iterable[Job], pool: TargetPool) -> list[str]:
    """Return what to say of programs whose entries ask to be held less than they are.

    Raises:
        TargetError: there is no target of a name.
    """
    return [
        f"{program.name} requests `sandbox: {program.requested}` but runs `{program.level.value}`, since a "
        f"workspace cannot loosen the sandbox. To allow it, run with "
        f"`--sandbox {program.kind}={program.requested}`"
        for program in dict.fromkeys(_programs(jobs, pool))
        if program.requested is not None and not Level(program.requested).meets(program.level)
    ]


def _problem_of(configuration: ParsedConfiguration) -> str | None:
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
        f"{configuration.path}:{line}: invalid setting `{setting}`; see `suitecase check "
        f"{configuration.path.parent}`"
    )


def required(requested: str | None, sandboxed: SandboxSetup) -> Level:
    """Return how far programs have to be held: the more of what the request and `held` require."""
    return max(Level(requested or Level.NONE), sandboxed.least, key=lambda it: it.rank)


def require(level: Level, jobs: Iterable[Job], pool: TargetPool) -> None:
    """Make sure that programs will be held so far; a run that starts none passes.

    Raises:
        SandboxError: some would be held less.
        TargetError: there is no target of a name.
    """
    if level is Level.NONE:
        return
    too_low = {
        it.name: reached
        for it in dict.fromkeys(_programs(jobs, pool))
        if not (reached := reachable(it.level)).meets(level)
    }
    if not too_low:
        return
    listed = [
        f"  {name} would run with `{it.value}`" for name, it in list(too_low.items())[:_NAMED]
    ]
    if len(too_low) > _NAMED:
        listed.append(f"  and {len(too_low) - _NAMED:,} more")
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
        "configuration, and nothing less in your own."
    )


class _Program(NamedTuple):
    """A program that a run may start: who starts it, what its entry wants, and what it gets."""

    name: str
    kind: Kind
    requested: WantedLevel | None
    level: Level


def _programs(jobs: Iterable[Job], pool: TargetPool) -> Iterator[_Program]:
    sandbox = pool.sandbox
    for job in jobs:
        configs = [config.config for config in job.case.evaluators]
        judges = (judge for judge, _ in pool.judge_calls(configs, job.target))
        for name in (job.target, *judges):
            program = pool.config(name).command
            if program is not None:
                level = highest(sandbox.targets, program.sandbox)
                yield _Program(f"target `{name}`", "targets", program.sandbox, level)
        for config in with_members(configs):
            for command in description_of(config).commands(config):
                level = highest(sandbox.scripts, command.sandbox)
                yield _Program(f"evaluator `{config.name}`", "scripts", command.sandbox, level)
