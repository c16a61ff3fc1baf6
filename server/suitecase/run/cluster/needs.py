"""What the machines of a cluster need for a run: variables, packages, sandbox levels, and files."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from suitecase.format.starting.providers import KEY_VARIABLES
from suitecase.run.cluster.connection import Requirements
from suitecase.run.cluster.dependencies import Dependencies
from suitecase.run.cluster.versions import grading_packages
from suitecase.run.effective import EffectiveHashes
from suitecase.run.jobs import Job, Jobs
from suitecase.run.plan import Plan
from suitecase.run.target_pool import TargetPool
from suitecase_evaluators.answers.sandbox_level import Level, highest
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import description_of, with_members
from suitecase_evaluators.grade.row_code import row_commands
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.environment import placeholders


class Needs(NamedTuple):
    """What the machines of a cluster need for a run."""

    machine: Requirements
    files: Dependencies


def needs_of(
    jobs: Jobs,
    planned: Plan,
    pool: TargetPool,
    hashes: EffectiveHashes,
    *,
    least: Level,
    also: Iterable[Path] = (),
    environ: Mapping[str, str] = os.environ,
) -> Needs:
    """Return what machines need to grade some jobs.

    Args:
        jobs: the jobs; the cases are read once, for the files that they name.
        least: the sandbox level that each program has to reach.
        also: further files and folders, by absolute path.
        environ: the environment of this machine.

    Raises:
        TargetError: a target does not exist.
    """
    return _Collected(planned, pool, hashes, environ).of(jobs, least, also)


class _Collected:
    def __init__(
        self, planned: Plan, pool: TargetPool, hashes: EffectiveHashes, environ: Mapping[str, str]
    ) -> None:
        self._planned = planned
        self._pool = pool
        self._hashes = hashes
        self._environ = environ
        self._files = Dependencies(planned.folder.workspace)
        self._levels: dict[Level, None] = {}
        self._types: set[str] = set()
        self._targets: set[str] = set()
        self._variables: dict[str, str] = {}
        #: Evaluators that cases share are the same objects; these keep them alive.
        self._seen: dict[int, EvaluatorConfig] = {}

    def of(self, jobs: Jobs, least: Level, also: Iterable[Path]) -> Needs:
        # Programs may start there.
        self._files.folders.add(self._planned.folder.path)
        for job in jobs.kinds():
            self._add(job)
        # All files that the hashes of the cases depend on are known afterwards.
        deque(self._hashes.versions(jobs), maxlen=0)
        targets = self._planned.targets
        # The suite and the targets file travel as what they say; the others are opened.
        unopened = {self._planned.suite.path, None if targets is None else targets.path}
        self._files.add(file for file in self._hashes.files if file not in unopened)
        self._files.add(also)
        return Needs(
            Requirements(
                packages=grading_packages(self._types),
                variables=dict(sorted(self._variables.items())),
                levels=tuple(level.value for level in self._levels),
                least=least,
            ),
            self._files,
        )

    def _add(self, job: Job) -> None:
        configs = [evaluator.config for evaluator in job.case.evaluators]
        for name in (job.target, *(it for it, _ in self._pool.judge_calls(configs, job.target))):
            if name not in self._targets:
                self._targets.add(name)
                self._add_target(self._pool.config(name))
        for command in row_commands(job.case.row) if job.case.row is not None else ():
            self._levels[self._pool.sandbox.scripts] = None
            self._files.add_command(command.line, self._planned.folder.path)
        for config in configs:
            if id(config) not in self._seen:
                self._seen[id(config)] = config
                self._add_evaluator(config)

    def _add_target(self, config: TargetConfig) -> None:
        for name in (*placeholders(config), *self._variables_of_provider(config)):
            self._variables.setdefault(name, config.name)
        command = config.command
        if command is not None:
            self._levels[highest(self._pool.sandbox.targets, command.sandbox)] = None
            self._files.add_command(command.line, self._pool.folder / (command.cwd or "."))
        if config.answers is not None:
            self._files.add([self._pool.folder / config.answers])

    def _variables_of_provider(self, config: TargetConfig) -> list[str]:
        """Return the variables of this machine that a model's library reads by itself."""
        if config.asks != "model" or getattr(config, "api_key", None) is not None:
            return []
        names = (config.provider, (config.asked_model or "").partition("/")[0])
        return [it for name in names for it in KEY_VARIABLES.get(name, ()) if self._environ.get(it)]

    def _add_evaluator(self, config: EvaluatorConfig) -> None:
        folder = self._planned.folder
        for member in with_members((config,)):
            self._types.add(member.type)
            description = description_of(member)
            for command in description.commands(member):
                self._levels[highest(self._pool.sandbox.scripts, command.sandbox)] = None
                place = folder.start_folder(command.cwd)
                if place is not None:
                    self._files.add_command(command.line, place)
            self._files.add(folder.path / file for file in description.files(member))
