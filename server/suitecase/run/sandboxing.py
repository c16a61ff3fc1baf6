"""The sandbox of a run's programs: its configuration, and whether it meets the requirements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from suitecase.format.configuration import ParsedConfiguration
from suitecase.format.sandbox_warnings import LIMITS, loosened
from suitecase.format.settings import SandboxSettings
from suitecase.format.user_configuration import UserConfigurationError, user_file, user_sandbox
from suitecase.format.workspace import Folder, Workspace
from suitecase.run.jobs import Job
from suitecase.run.target_pool import TargetPool
from suitecase_evaluators.answers.sandbox_level import Level, WantedLevel, highest
from suitecase_evaluators.grade.registry import description_of, with_members
from suitecase_evaluators.grade.row_code import row_commands
from suitecase_evaluators.system.path_kinds import real_path
from suitecase_evaluators.targets.sandbox import bubblewrap
from suitecase_evaluators.targets.sandbox.confinement import Kind, Sandbox, reachable
from suitecase_evaluators.targets.sandbox.limits import Limits

#: The number of programs in messages.
_NAMED = 5
_UNKNOWN = "Nothing was run, since the sandbox of its programs is unknown."


class SandboxError(Exception):
    """The sandbox of a run is unknown or too low; `message` is shown to users."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class SandboxSetup:
    """The sandbox of a run's programs.

    Attributes:
        sandbox: the settings for all programs.
        least: the minimum level of every program.
        ignored: warnings about settings of the workspace that have no effect.
    """

    sandbox: Sandbox
    least: Level
    ignored: tuple[str, ...] = ()


def sandbox_of(
    configuration: ParsedConfiguration | None,
    root: Path,
    overrides: Mapping[str, Any] | None = None,
    *,
    results: Iterable[str | None] = (),
) -> SandboxSetup:
    """Return the sandbox of a run's programs.

    The user sets it on the command line or in their own configuration. The workspace may be
    untrusted, so it can only tighten the sandbox.

    Args:
        configuration: the workspace's configuration for the suite's folder.
        root: the root of the workspace, which isolated programs see.
        overrides: the settings of the command line.
        results: the files that the run writes its results to, or folders of them.

    Raises:
        SandboxError: the sandbox settings of a configuration are invalid. Errors in its other
            settings are ignored.
    """
    try:
        user, left_out = user_sandbox(dict(overrides or {}), root)
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
                **{
                    limit: _tighter(getattr(user, limit), workspace_settings, limit)
                    for limit in LIMITS
                },
            ),
            scripts=_more(user.scripts, workspace_settings, "scripts"),
            targets=_more(user.targets, workspace_settings, "targets"),
            workspace=real_path(root),
            kept={real_path(Path(path)) for path in results if path},
            # What they lead to later, when programs have run, does not count.
            readable=tuple(real_path(Path(folder)) for folder in user.readable),
            writable=tuple(real_path(Path(folder)) for folder in user.writable),
        ),
        least=max(Level(user.require), Level(workspace_settings.require), key=lambda it: it.rank),
        ignored=(
            *(f"{user_file()}: {warning}" for warning in _ignored(user, left_out)),
            *(f"{display_path}: {warning}" for warning in _ignored(user, workspace_settings)),
        ),
    )


def _tighter(most: int, theirs: SandboxSettings, name: str) -> int:
    """Return the lower of two limits; 0 and a missing setting mean no limit."""
    own = getattr(theirs, name) if name in theirs.model_fields_set else 0
    return min((it for it in (most, own) if it), default=0)


def _more(least: str, theirs: SandboxSettings, name: str) -> Level:
    own = getattr(theirs, name) if name in theirs.model_fields_set else None
    return highest(Level(least), own)


def _ignored(user: SandboxSettings, theirs: SandboxSettings) -> Iterator[str]:
    """Yield a warning for each setting of the workspace that would loosen the sandbox."""
    for name in loosened(theirs, user):
        setting = SandboxSettings.model_fields[name].alias or name
        value, own = getattr(theirs, name), getattr(user, name)
        if isinstance(value, list):
            yield _not_done(setting, setting, "FOLDER", "only the user's folders count")
        else:
            yield _not_done(f"{setting} = {json.dumps(value)}", setting, value, f"`{own}` applies")


def _not_done(text: str, setting: str, value: object, holds: str) -> str:
    return (
        f"`{text}` under `[sandbox]` has no effect, and {holds}: a workspace cannot loosen the "
        f"sandbox. To allow it, run with `--sandbox {setting}={value}`"
    )


def lowered(jobs: Iterable[Job], pool: TargetPool) -> list[str]:
    """Return warnings about programs whose entries request a lower level than they get.

    Raises:
        TargetError: a target does not exist.
    """
    return [
        f"{program.name} requests `sandbox: {program.requested}` but runs `{program.level.value}`, since a "
        f"workspace cannot loosen the sandbox. To allow it, run with "
        f"`--sandbox {program.kind}={program.requested}`"
        for program in dict.fromkeys(_programs(jobs, pool))
        if program.requested is not None and not Level(program.requested).meets(program.level)
    ]


def _problem_of(configuration: ParsedConfiguration) -> str | None:
    """Return why the sandbox settings of a configuration are unknown; None if they are not."""
    if configuration.error is not None and "sandbox" in configuration.text:
        line = configuration.text.count("\n", 0, configuration.error.span.start) + 1
        return f"{configuration.path}:{line}: {configuration.error.message}"
    if configuration.unreadable is not None:
        return f"{configuration.path} cannot be read: {configuration.unreadable}"
    wrong = next((issue for issue in configuration.issues if issue.path[:1] == ("sandbox",)), None)
    if wrong is None:
        return None
    line = configuration.text.count("\n", 0, wrong.span.start) + 1
    setting = ".".join(map(str, wrong.path))
    return (
        f"{configuration.path}:{line}: invalid setting `{setting}`; see `suitecase check "
        f"{configuration.path.parent}`"
    )


def required(requested: str | None, sandboxed: SandboxSetup) -> Level:
    """Return the required level: the higher of the request's and the configuration's."""
    return max(Level(requested or Level.NONE), sandboxed.least, key=lambda it: it.rank)


def require(level: Level, jobs: Iterable[Job], pool: TargetPool) -> None:
    """Make sure that every program of a run reaches a sandbox level.

    Raises:
        SandboxError: some would run with a lower level.
        TargetError: a target does not exist.
    """
    if level is Level.NONE:
        return
    too_low = {
        program.name: reached
        for program in dict.fromkeys(_programs(jobs, pool))
        if not (reached := reachable(program.level)).meets(level)
    }
    if not too_low:
        return
    listed = [
        f"  {name} would run with `{it.value}`" for name, it in list(too_low.items())[:_NAMED]
    ]
    if len(too_low) > _NAMED:
        listed.append(f"  and {len(too_low) - _NAMED:,} more")
    raise SandboxError(
        "\n".join((f"the sandbox level `{level.value}` is required, but:", *listed))
        + f"\nNothing was run. {_remedy(level)}"
    )


def isolates(jobs: Iterable[Job], pool: TargetPool) -> bool:
    """Whether a program of a run is isolated.

    Raises:
        TargetError: a target does not exist.
    """
    return any(program.level.in_namespaces for program in _programs(jobs, pool))


def _remedy(level: Level) -> str:
    if level.in_namespaces:
        missing = bubblewrap.unavailable(bubblewrap.found())
        if missing is not None:
            return f"This machine cannot isolate programs: {missing}."
    elif reachable(level) is Level.NONE:
        return "This system does not support limits for programs."
    return (
        f"To reach it, set `sandbox: {level.value}` in their entries, or "
        f'`targets = "{level.value}"` (`scripts` for evaluators) under `[sandbox]` in the '
        "configuration, and no lower level in your own."
    )


class _Program(NamedTuple):
    """A program that a run may start: its entry, the requested level and the actual one."""

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
        if job.case.row is not None and any(row_commands(job.case.row)):
            yield _Program("the code of a prompt or a transform", "scripts", None, sandbox.scripts)
