"""The targets of a run: who is asked and who judges, each made once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from suitecase.near_names import nearest
from suitecase.rules.invalid_targets import why_unreadable, why_unusable
from suitecase.run.call_spans import TracedTarget
from suitecase.suite.target_files import EMBEDDED, PLACES, ParsedTargets
from suitecase_evaluators.evaluator import EvaluatorConfig, JudgeCalls
from suitecase_evaluators.records.answered_by import AnsweredBy
from suitecase_evaluators.registry import judge_calls
from suitecase_evaluators.sandbox.confinement import Sandbox
from suitecase_evaluators.targets.config.canned import MockConfig, ReplayConfig
from suitecase_evaluators.targets.config.file import model_of_provider
from suitecase_evaluators.targets.config.placeholder import as_int
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.environment import resolve
from suitecase_evaluators.targets.factory import make_target
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import Question, Reply, Target, TargetError
from suitecase_evaluators.targets.waiting import waiting

#: Questions under way at a target that does not say how many it takes.
DEFAULT_WORKERS = 4


class UnknownTargetError(TargetError):
    """The targets file has no target of a name."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message, kind="configuration")
        self.name = name


class TargetPool:
    """Makes targets by their names in the targets file, where `mock` always is."""

    def __init__(
        self,
        targets: ParsedTargets | None,
        *,
        folder: Path,
        environ: Mapping[str, str],
        redactor: Redactor,
        workers: int | None = None,
        sandbox: Sandbox | None = None,
        replay: str | None = None,
    ) -> None:
        """
        Args:
            replay: absolute path of a results file that answers for every target.
            sandbox: how programs are held; None is as where nothing is configured.
            workers: how many questions may be under way at each target, whatever it says itself.
        """
        self._written = targets
        self._folder = targets.path.parent if targets is not None else folder
        self._environ = environ
        self._redactor = redactor
        self._workers = workers
        self._replay = replay
        self.sandbox = sandbox or Sandbox()
        self._made: dict[str, _Bounded] = {}
        self._identities: dict[str, str | None] = {}
        redactor.remember_environment(environ)

    @property
    def folder(self) -> Path:
        """The folder that paths in targets count from: that of the targets file."""
        return self._folder

    def target(self, name: str) -> Target:
        """Return a target.

        Raises:
            TargetError: there is none of that name, or the environment lacks something it needs.
        """
        return self._bounded(name)

    def _bounded(self, name: str) -> _Bounded:
        if name not in self._made:
            config = self._config(name)
            self._remember_secrets(name)
            resolved = resolve(config, self._environ, self._redactor)
            workers = self._workers or as_int(resolved.workers)
            target = make_target(
                config,
                folder=self._folder,
                environ=self._environ,
                redactor=self._redactor,
                sandbox=self.sandbox,
            )
            self._made[name] = _Bounded(
                TracedTarget(target, resolved),
                workers or DEFAULT_WORKERS,
                as_int(getattr(resolved, "seed", None)),
            )
        return self._made[name]

    def _remember_secrets(self, name: str) -> None:
        """Know the secrets of a target that is replayed: what was recorded is without them."""
        config = self._written.config(name) if self._written is not None else None
        if self._replay is not None and config is not None:
            with suppress(TargetError):
                resolve(config, self._environ, self._redactor)

    def judge_of(self, name: str) -> str:
        """Return the name of the target that judges the answers of a target.

        Raises:
            TargetError: there is no target of that name.
        """
        return self._config(name).judge_target or name

    def judge_calls(
        self, evaluators: Iterable[EvaluatorConfig], name: str
    ) -> list[tuple[str, JudgeCalls]]:
        """Return what evaluators ask judges, each with the target that it asks.

        Args:
            name: the target that gave the answer.

        Raises:
            TargetError: there is no target of that name.
        """
        judge = self.judge_of(name)
        return [(it.target or judge, it) for it in judge_calls(evaluators)]

    def workers(self, name: str) -> int:
        """Return how many questions may be under way at a target.

        Raises:
            TargetError: as `target` does.
        """
        return self._bounded(name).workers

    def identity(self, name: str) -> str | None:
        """Return what tells who answers for a target, for the cache; None where asking is free."""
        if name not in self._identities:
            from suitecase.run.target_settings import identity

            resolved = resolve(self._config(name), self._environ)
            self._identities[name] = identity(resolved, self._folder, self._environ)
        return self._identities[name]

    def asks(self, name: str) -> AnsweredBy | None:
        """Return what a target asks; None where only its answers tell."""
        return self._config(name).asks

    def costs(self, name: str) -> bool:
        """Whether asking a target may cost money."""
        return self._config(name).asks is not None

    def config(self, name: str) -> TargetConfig:
        """Return the entry of a target, with its placeholders in place.

        Raises:
            TargetError: there is no target of that name.
        """
        return self._config(name)

    def takes_files(self, name: str) -> bool:
        """Whether a target is given the paths of files rather than what is in them."""
        # Of an answer that is replayed, too: so its question is the one that was recorded.
        entry = self._written.entry(name) if self._written is not None else None
        if entry is None or entry.provider is None:
            return False
        return model_of_provider(entry.provider.text).takes_files

    async def close(self) -> None:
        """Close all targets; safe to call twice."""
        for target in self._made.values():
            await target.close()

    def _config(self, name: str) -> TargetConfig:
        config = self._written.config(name) if self._written is not None else None
        if self._replay is not None:
            entry = self._written.entry(name) if self._written is not None else None
            judge = entry.judge_target.text if entry and entry.judge_target else None
            return ReplayConfig(
                name=name, provider="replay", results=self._replay, judge_target=judge
            )
        if config is not None:
            return config
        if self._written is not None and name in self._written.unusable:
            raise TargetError(
                f"target `{name}` in {self._written.path} cannot be asked: "
                f"{why_unusable(self._written, name)}",
                kind="configuration",
            )
        if name == EMBEDDED:
            return MockConfig(name=EMBEDDED, provider="mock")
        if self._written is None:
            raise TargetError(
                f"no file defines the target `{name}`: there is no targets.yaml beside the suite "
                f"or in a folder above it. Write one (it may also be {PLACES[2]}), or run with "
                f"`--target {EMBEDDED}`, which asks no model.",
                kind="configuration",
            )
        if self._written.wrong is not None:
            raise TargetError(
                f"{self._written.path}, which should define the target `{name}`, cannot be read: "
                f"{why_unreadable(self._written)}",
                kind="configuration",
            )
        suggestion = nearest(name, self._written.spans)
        listed = ", ".join(f"`{it}`" for it in self._written.spans)
        hint = f"did you mean `{suggestion}`?" if suggestion else f"it has {listed or 'none'}"
        raise UnknownTargetError(
            name, f"there is no target `{name}` in {self._written.path}; {hint}"
        )


class _Bounded(Target):
    """A target that is asked no more than so many questions at once."""

    def __init__(self, target: Target, workers: int, seed: int | None) -> None:
        """
        Args:
            seed: that the configuration has; each repeat has one of its own, counted on from it.
        """
        super().__init__(target.name)
        self.workers = workers
        self._seed = seed
        self._target = target
        self._places = asyncio.Semaphore(workers)

    async def ask(self, question: Question) -> Reply:
        with waiting():
            await self._places.acquire()
        try:
            return await self._target.ask(self._seeded(question))
        finally:
            self._places.release()

    def _seeded(self, question: Question) -> Question:
        # With one seed for all, repeats would be the same answer several times.
        repeat = 1 if question.call_context is None else question.call_context.repeat
        if self._seed is None or question.seed is not None or repeat == 1:
            return question
        return replace(question, seed=self._seed + repeat - 1)

    async def close(self) -> None:
        await self._target.close()
