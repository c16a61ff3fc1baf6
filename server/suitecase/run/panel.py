"""The targets of a run: who is asked and who judges, each made once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path

from suitecase.rule import nearest
from suitecase.suite.target_files import EMBEDDED, PLACES, WrittenTargets
from suitecase_evaluators.code_judge import CodeJudgeConfig
from suitecase_evaluators.composite import CompositeConfig, JudgeAggregator
from suitecase_evaluators.criteria import CriteriaConfig
from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.judge.config import LlmJudgeConfig
from suitecase_evaluators.targets.config.canned import MockConfig
from suitecase_evaluators.targets.config.cli import CliConfig
from suitecase_evaluators.targets.config.placeholder import as_int
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.environment import Redactor, resolve
from suitecase_evaluators.targets.factory import make_target
from suitecase_evaluators.targets.target import Question, Reply, Target, TargetError

#: Questions under way at a target that does not say how many it takes.
DEFAULT_WORKERS = 4


class UnknownTargetError(TargetError):
    """The targets file has no target of a name."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message, kind="configuration")
        self.name = name


class Panel:
    """Makes targets by their names in the targets file, where `mock` always is."""

    def __init__(
        self,
        written: WrittenTargets | None,
        *,
        folder: Path,
        environ: Mapping[str, str],
        redactor: Redactor,
    ) -> None:
        self._written = written
        self._folder = written.path.parent if written is not None else folder
        self._environ = environ
        self._redactor = redactor
        self._made: dict[str, _Bounded] = {}
        redactor.remember_environment(environ)

    def target(self, name: str) -> Target:
        """Return a target.

        Raises:
            TargetError: there is none of that name, or the environment lacks something it needs.
        """
        if name not in self._made:
            config = self._config(name)
            workers = as_int(resolve(config, self._environ, self._redactor).workers)
            self._made[name] = _Bounded(
                make_target(
                    config, folder=self._folder, environ=self._environ, redactor=self._redactor
                ),
                workers or DEFAULT_WORKERS,
            )
        return self._made[name]

    def judge_of(self, name: str) -> str:
        """Return the name of the target that judges the answers of a target.

        Raises:
            TargetError: there is no target of that name.
        """
        return self._config(name).judge_target or name

    def workers(self, name: str) -> int:
        """Return how many questions may be under way at a target that was made."""
        return self._made[name].workers

    def takes_files(self, name: str) -> bool:
        """Whether a target is given the paths of files rather than what is in them."""
        return isinstance(self._config(name), CliConfig)

    async def close(self) -> None:
        """Close all targets; safe to call twice."""
        for target in self._made.values():
            await target.close()

    def _config(self, name: str) -> TargetConfig:
        found = self._written.config(name) if self._written is not None else None
        if found is not None:
            return found
        if name == EMBEDDED:
            return MockConfig(name=EMBEDDED, provider="mock")
        if self._written is None:
            raise TargetError(
                f"no file defines the target `{name}`: there is no targets.yaml beside the suite "
                f"or in a folder above it. Write one (it may also be {PLACES[2]}), or run with "
                f"`--target {EMBEDDED}`, which asks no model.",
                kind="configuration",
            )
        meant = nearest(name, self._written.spans)
        known = ", ".join(f"`{it}`" for it in self._written.spans)
        hint = f"did you mean `{meant}`?" if meant else f"it has {known or 'none'}"
        raise UnknownTargetError(
            name, f"there is no target `{name}` in {self._written.path}; {hint}"
        )


def judges_asked(evaluators: Iterator[EvaluatorConfig], judge: str) -> Iterator[str]:
    """Yield the names of the targets that these evaluators ask.

    Args:
        judge: the target that judges where an evaluator names none.
    """
    for config in evaluators:
        match config:
            case LlmJudgeConfig():
                yield config.target or judge
            case CriteriaConfig() if config.criteria.strip():
                yield judge
            case CodeJudgeConfig() if config.max_calls is not None:
                yield judge
            case CompositeConfig():
                yield from judges_asked(iter(config.evaluators), judge)
                if isinstance(config.aggregator, JudgeAggregator):
                    yield judge


class _Bounded(Target):
    """A target that is asked no more than so many questions at once."""

    def __init__(self, target: Target, workers: int) -> None:
        super().__init__(target.name)
        self.workers = workers
        self._target = target
        self._places = asyncio.Semaphore(workers)

    async def ask(self, question: Question) -> Reply:
        async with self._places:
            return await self._target.ask(question)

    async def close(self) -> None:
        await self._target.close()
