"""The targets and judges of a run, each created once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path

from suitecase.checking.rules.invalid_targets import why_unreadable, why_unusable
from suitecase.format.target_files import EMBEDDED, ParsedTargets
from suitecase.format.target_places import PLACES
from suitecase.format.workspace_secrets import remember_configuration
from suitecase.formats.suitecase.judge_hash import JUDGE_SETTINGS, is_judge, judge_hash, judge_parts
from suitecase.run.call_limits import CallLimits, OwnLimits, Places
from suitecase.run.call_spans import TracedTarget
from suitecase.text.near_names import nearest
from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, JudgeCalls
from suitecase_evaluators.grade.registry import judge_calls
from suitecase_evaluators.system.waiting import CALLED, waiting
from suitecase_evaluators.targets.config.canned import MockConfig, ReplayConfig
from suitecase_evaluators.targets.config.file import model_of_provider
from suitecase_evaluators.targets.config.http import HttpConfig
from suitecase_evaluators.targets.config.llm import LlmConfig
from suitecase_evaluators.targets.config.placeholder import as_int
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.environment import resolve
from suitecase_evaluators.targets.factory import make_target
from suitecase_evaluators.targets.model_call import own_server_of
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.sandbox.confinement import Sandbox
from suitecase_evaluators.targets.scripting.bridges import Bridges
from suitecase_evaluators.targets.server_address import is_server, server_here, server_of
from suitecase_evaluators.targets.target import Question, Reply, Target, TargetError

#: The default number of concurrent calls per target.
DEFAULT_WORKERS = 4


class UnknownTargetError(TargetError):
    """The targets file does not define a target."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message, kind="configuration")
        self.name = name


class TargetPool:
    """Creates targets by their names in the targets file; `mock` always exists."""

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
        limits: CallLimits | None = None,
        cached_for: Path | None = None,
    ) -> None:
        """
        Args:
            replay: absolute path of a results file that replaces all targets.
            sandbox: the sandbox of programs; None for the default.
            workers: the number of concurrent calls per target; overrides the targets' settings.
            limits: limits the calls of targets; None limits those of this process alone.
            cached_for: the folder that answers in the cache belong to, where that is another machine's;
                None for that of the targets file.
        """
        self._limits = limits or OwnLimits()
        self._written = targets
        self._folder = targets.path.parent if targets is not None else folder
        self._cached_for = cached_for or self._folder
        self._environ = environ
        self._redactor = redactor
        self._workers = workers
        self._replay = replay
        self.sandbox = sandbox or Sandbox()
        #: The processes that call functions of scripts.
        self.bridges = Bridges(self.sandbox, environ)
        self._made: dict[str, _Bounded] = {}
        self._servers: dict[str, Places] = {}
        #: What does not change while a run asks for it several times for each case.
        self._configs: dict[str, TargetConfig] = {}
        self._takes_files: dict[str, bool] = {}
        self._identities: dict[str, str | None] = {}
        self._judge_hashes = JudgeHashes(targets)
        #: How many programs the machines of a cluster have room for.
        self.machine_threads = 0
        redactor.remember_environment(environ)
        if targets is not None:
            remember_configuration(redactor, targets.settings, environ)

    @property
    def folder(self) -> Path:
        """The folder that paths in targets are relative to: that of the targets file."""
        return self._folder

    def target(self, name: str) -> Target:
        """Return a target.

        Raises:
            TargetError: it does not exist, or the environment lacks something it needs.
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
                bridges=self.bridges,
                rate_limits=self._limits.rate_limit,
            )
            places = workers or DEFAULT_WORKERS
            server = _server_of(resolved, self._environ)
            self._made[name] = _Bounded(
                TracedTarget(target, resolved),
                places,
                self._limits.places(name, places),
                None if server is None else self._places_of_server(server),
                as_int(getattr(resolved, "seed", None)),
                resolved.asked_model,
            )
        return self._made[name]

    def _places_of_server(self, server: str) -> Places:
        """Return the places of a server, which the targets and judges on it share."""
        if server not in self._servers:
            self._servers[server] = self._limits.places(server, self.room(server))
        return self._servers[server]

    def room(self, name: str) -> int:
        """Return how many calls a target, or a server of the user's own, may have at once.

        On a server, as many as the entry says that lets it have most; the default if none says it.

        Args:
            name: the target's, or the server as `server_of` returns it.

        Raises:
            TargetError: as `target` does.
        """
        if not is_server(name):
            return self.workers(name)
        said: list[int] = []
        for config in () if self._written is None else self._written.configs.values():
            with suppress(TargetError, ValueError):
                resolved = resolve(config, self._environ)
                if _server_of(resolved, self._environ) == name and resolved.workers is not None:
                    said.append(as_int(resolved.workers) or 0)
        return self._workers or max(said, default=DEFAULT_WORKERS)

    def _remember_secrets(self, name: str) -> None:
        """Remember the secrets of a replayed target, so that they are redacted as when recorded."""
        config = self._written.config(name) if self._written is not None else None
        if self._replay is not None and config is not None:
            with suppress(TargetError):
                resolve(config, self._environ, self._redactor)

    def judge_of(self, name: str) -> str:
        """Return the name of a target's judge.

        Raises:
            TargetError: the target does not exist.
        """
        return self._config(name).judge_target or name

    def judge_calls(
        self, evaluators: Iterable[EvaluatorConfig], name: str
    ) -> list[tuple[str, JudgeCalls]]:
        """Return the judge calls of evaluators, each with the name of the judge.

        Args:
            name: the target that gave the answer.

        Raises:
            TargetError: the target does not exist.
        """
        judge = self.judge_of(name)
        return [(judge_call.target or judge, judge_call) for judge_call in judge_calls(evaluators)]

    def judge_hash(self, evaluator: EvaluatorConfig, judge: str) -> str | None:
        """Return the hash of an evaluator's judge; None if it asks none about the answer.

        Args:
            judge: the target that judges if the evaluator names none.
        """
        return self._judge_hashes.of(evaluator, judge)

    def workers(self, name: str) -> int:
        """Return the number of concurrent calls of a target.

        Raises:
            TargetError: as `target` does.
        """
        number = self._bounded(name).workers
        config = self._config(name)
        if self._workers is None and config.workers is None and config.asks != "model":
            return max(number, self.machine_threads)
        return number

    def identity(self, name: str) -> str | None:
        """Return the identity of a target for the cache; None if calls are free."""
        if name not in self._identities:
            from suitecase.run.target_settings import identity

            resolved = resolve(self._config(name), self._environ)
            self._identities[name] = identity(resolved, self._cached_for, self._environ)
        return self._identities[name]

    def requested_model(self, name: str) -> str | None:
        """Return the model that a target asks for; None where it names none.

        Raises:
            TargetError: as `target` does.
        """
        return self._bounded(name).requested_model

    def asks(self, name: str) -> AnsweredBy | None:
        """Return what answers for a target; None if only its replies tell."""
        return self._config(name).asks

    def costs(self, name: str) -> bool:
        """Whether calling a target may cost money."""
        return self._config(name).asks is not None

    def config(self, name: str) -> TargetConfig:
        """Return the configuration of a target, with unresolved placeholders.

        Raises:
            TargetError: the target does not exist.
        """
        return self._config(name)

    def takes_seed(self, name: str) -> bool:
        """Whether a target is a model without a seed of its own, which takes the suite's."""
        config = self._config(name)
        return config.asks == "model" and getattr(config, "seed", None) is None

    def takes_files(self, name: str) -> bool:
        """Whether a target is given the paths of files rather than their content."""
        if name not in self._takes_files:
            # Ignores a replay, so that its prompts are the recorded ones.
            entry = self._written.entry(name) if self._written is not None else None
            provider = None if entry is None else entry.provider
            self._takes_files[name] = (
                provider is not None and model_of_provider(provider.text).takes_files
            )
        return self._takes_files[name]

    def row_fields(self, name: str) -> tuple[str, ...]:
        """Return the fields of a row that a target's answers depend on, beside the prompt."""
        return self._config(name).row_fields

    async def close(self) -> None:
        """Close all targets and script processes; safe to call twice."""
        await self.bridges.close()
        for target in self._made.values():
            await target.close()

    def _config(self, name: str) -> TargetConfig:
        config = self._configs.get(name)
        if config is None:
            config = self._configs[name] = self._found_config(name)
        return config

    def _found_config(self, name: str) -> TargetConfig:
        config = self._written.config(name) if self._written is not None else None
        if self._replay is not None:
            entry = self._written.entry(name) if self._written is not None else None
            judge = entry.judge_target.text if entry and entry.judge_target else None
            return ReplayConfig(
                name=name, provider="replay", results=self._replay, judge_target=judge
            )
        if config is not None:
            return config
        files = () if self._written is None else (self._written, *self._written.others)
        for file in files:
            if name in file.unusable:
                raise TargetError(
                    f"target `{name}` in {file.path} cannot be called: {why_unusable(file, name)}",
                    kind="configuration",
                )
        if name == EMBEDDED:
            return MockConfig(name=EMBEDDED, provider="mock")
        if self._written is None:
            raise TargetError(
                f"no file defines the target `{name}`: there is no targets.yaml beside the suite "
                f"or in a folder above it. Create one (or {PLACES[2]}), or run with "
                f"`--target {EMBEDDED}`, which calls no model.",
                kind="configuration",
            )
        for file in files:
            if file.wrong is not None:
                raise TargetError(
                    f"{file.path}, which should define the target `{name}`, cannot be read: "
                    f"{why_unreadable(file)}",
                    kind="configuration",
                )
        suggestion = nearest(name, self._written.spans)
        listed = ", ".join(f"`{span}`" for span in self._written.spans)
        hint = f"did you mean `{suggestion}`?" if suggestion else f"it has {listed or 'none'}"
        raise UnknownTargetError(
            name,
            f"there is no target `{name}` in "
            f"{' or '.join(str(targets_file.path) for targets_file in files)}; {hint}",
        )


def _server_of(config: TargetConfig, environ: Mapping[str, str]) -> str | None:
    """Return the server of the user's own that a resolved target asks; None if it asks none."""
    if isinstance(config, HttpConfig):
        return server_here(config.url)
    own = own_server_of(config, environ) if isinstance(config, LlmConfig) else None
    return None if own is None else server_of(own)


class _Bounded(Target):
    """A target with a limited number of concurrent calls."""

    def __init__(
        self,
        target: Target,
        workers: int,
        places: Places,
        places_of_server: Places | None,
        seed: int | None,
        requested_model: str | None,
    ) -> None:
        """
        Args:
            places_of_server: those of the server that it asks, which it shares with others.
            seed: the configured seed; each further repeat uses the next number, and so does each
                further vote.
        """
        super().__init__(target.name)
        self.workers = workers
        self.requested_model = requested_model
        self._seed = seed
        self._target = target
        self._places = [place for place in (places, places_of_server) if place is not None]

    async def ask(self, question: Question) -> Reply:
        async with AsyncExitStack() as held:
            with waiting():
                for places in self._places:
                    await places.acquire()
                    held.callback(places.release)
            called = CALLED.set(self.name)
            try:
                return await self._target.ask(self._seeded(question))
            finally:
                CALLED.reset(called)

    def _seeded(self, question: Question) -> Question:
        # With the same seed, all repeats would have the same answer, and all votes would be alike.
        repeat = 1 if question.call_context is None else question.call_context.repeat
        offset = repeat + question.vote - 2
        if self._seed is None or question.seed is not None or offset == 0:
            return question
        return replace(question, seed=self._seed + offset)

    async def close(self) -> None:
        await self._target.close()


#: The number of evaluators whose hashes are kept.
_KEPT = 1024


class JudgeHashes:
    """The hashes of judges, by what they depend on.

    The targets are those of the targets file, also where an earlier run is replayed.
    """

    def __init__(self, targets: ParsedTargets | None) -> None:
        self._targets = targets
        self._hashes: dict[str, str] = {}
        #: By the identity of an evaluator, and its judge: the latest evaluators, which are not freed
        #: here, and their hashes.
        self._latest: dict[tuple[int, str], tuple[EvaluatorConfig, str | None]] = {}

    def of(self, config: EvaluatorConfig, judge: str) -> str | None:
        """Return the hash of the judge of an evaluator; None if it asks none about the answer.

        Args:
            judge: the target that judges if the evaluator names none.
        """
        # Cases that inherit the suite's evaluators share the same objects.
        known = self._latest.get((id(config), judge))
        if known is None:
            known = (config, self._of(config, judge))
            if len(self._latest) >= _KEPT:
                self._latest.pop(next(iter(self._latest)))
            self._latest[id(config), judge] = known
        return known[1]

    def _of(self, config: EvaluatorConfig, judge: str) -> str | None:
        if not is_judge(config):
            return None
        target = getattr(config, "target", None) or judge
        settings = [(setting, getattr(config, setting, None)) for setting in JUDGE_SETTINGS]
        key = repr((target, config.type, settings))
        if key not in self._hashes:
            defined = self._targets.config(target) if self._targets is not None else None
            self._hashes[key] = judge_hash(judge_parts(config, defined))
        return self._hashes[key]
