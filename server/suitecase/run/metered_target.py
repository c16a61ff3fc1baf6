"""The targets of one case, with the cache in front of them and their costs counted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from suitecase.run.answer_cache import (
    AnswerCache,
    CacheError,
    cache_key,
    is_whole,
    reply_values,
)
from suitecase.run.cache_file import CACHE_FILE
from suitecase.run.failures import Failures
from suitecase.run.record_redaction import cleaned, cleaned_value
from suitecase.run.suite_in_run import SuiteInRun
from suitecase.run.target_pool import TargetPool
from suitecase.run.unrecordable import problem_in_reply, with_known_figures
from suitecase_evaluators.answers.message import Message, ToolCall
from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.answers.records.record import SECRETS_REDACTED
from suitecase_evaluators.answers.reply_meaning import ReplyMeaning
from suitecase_evaluators.answers.trace import TokenUsage
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.replay import PROMPT_CHANGED
from suitecase_evaluators.targets.target import (
    THINKING,
    CallContext,
    Question,
    Reply,
    Target,
    TargetError,
)

CacheMode = Literal["off", "read", "refresh"]
_NOTHING_SECRET: Final = Redactor()


@dataclass(slots=True)
class Spending:
    """The costs of a run so far, as far as targets report them."""

    usd: float = 0.0
    #: Calls that were made, those of them with unknown cost, and those answered by the cache.
    questions: int = 0
    unpriced: int = 0
    cached: int = 0
    #: The first target with an answer of unknown cost.
    unpriced_target: str | None = None

    def answered_by_cache(self) -> None:
        """Count a call that the cache answered."""
        self.cached += 1

    def add(self, target: str, usd: float | None) -> None:
        """Count a call.

        Args:
            usd: its cost; None if it is unknown.
        """
        self.questions += 1
        if usd is None:
            self.unpriced += 1
            self.unpriced_target = self.unpriced_target or target
        else:
            self.usd += usd

    def summary(self) -> dict[str, Any]:
        """Return the summary for `protocol.Finished`."""
        return {
            "asked": self.questions,
            "cached": self.cached,
            "cost_usd": self.usd,
            "unpriced": self.unpriced,
        }


@dataclass(slots=True)
class RunContext:
    """What the cases of a run share: targets, cache, costs."""

    pool: TargetPool
    redactor: Redactor
    mode: CacheMode = "off"
    cache: AnswerCache | None = None
    #: Called once if the cache becomes unusable, with the reason.
    warn: Callable[[str], None] = lambda _: None
    #: Called with the name of a target that waits for its rate limit, and the seconds that the wait takes.
    rate_limited: Callable[[str, float], None] = lambda _target, _seconds: None
    spending: Spending = field(default_factory=Spending)
    failures: Failures = field(default_factory=Failures)
    #: Cases whose replayed replies belong to a different prompt.
    prompt_changed: dict[str, None] = field(default_factory=dict)
    #: The path of the suite as records have it, once a case needs it.
    _suite_path: str | None = None

    def open_cache(self, root: Path) -> None:
        """Open the cache if it is enabled; warn if it cannot be used."""
        if self.mode == "off":
            return
        place = root / CACHE_FILE
        try:
            self.cache = AnswerCache(place)
        except CacheError as error:
            self.warn(error.message)

    def suite_path(self, suite: SuiteInRun) -> str:
        """Return the path of the suite of the run, as records have it."""
        if self._suite_path is None:
            self._suite_path = suite.folder.shown(suite.suite.path)
        return self._suite_path

    @property
    def caches(self) -> bool:
        """Whether there is a cache."""
        return self.cache is not None

    async def cached_reply(self, key: str) -> Reply | None:
        """Return the answer that the cache has for a key."""
        if self.cache is None:
            return None
        try:
            return await asyncio.to_thread(self.cache.find, key)
        except CacheError as error:
            self.give_up_cache(error)
            return None

    async def keep_reply(self, key: str, values: Mapping[str, Any]) -> None:
        """Put an answer into the cache.

        Args:
            values: as `reply_values` returns them.
        """
        if self.cache is None:
            return
        try:
            await asyncio.to_thread(self.cache.put, key, values)
        except CacheError as error:
            self.give_up_cache(error)

    def give_up_cache(self, error: CacheError) -> None:
        """Continue without the cache."""
        if self.cache is not None:
            self.cache.close()
            self.cache = None
            self.warn(error.message)

    def close(self) -> None:
        """Close the cache; safe to call twice."""
        if self.cache is not None:
            self.cache.close()


@dataclass(slots=True)
class JudgeLedger:
    """The judge calls of one evaluator for one answer, and their usage.

    The members of a composite share one. Cached replies use nothing.
    """

    questions: int = 0
    cached: int = 0
    #: Calls with unknown tokens, and calls that may cost money with unknown cost.
    uncounted: int = 0
    unpriced: int = 0
    tokens: TokenUsage | None = None
    cost_usd: float | None = None
    #: What replied, including cached replies.
    answered_by: set[AnsweredBy] = field(default_factory=set)
    #: The models that the providers name, and those that were asked for.
    models: set[str] = field(default_factory=set)
    requested_models: set[str] = field(default_factory=set)
    #: Pairs of a question and the reply, or why this question was refused.
    exchanges: list[tuple[Question, Reply | TargetError]] = field(default_factory=list)

    def add(self, reply: Reply, *, costs: bool) -> None:
        """Count a reply."""
        self.questions += 1
        usage = reply.token_usage
        if usage is None:
            self.uncounted += 1
        elif self.tokens is None:
            self.tokens = usage
        else:
            self.tokens = TokenUsage(
                input=self.tokens.input + usage.input, output=self.tokens.output + usage.output
            )
        if reply.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + reply.cost_usd
        elif costs:
            self.unpriced += 1


@dataclass(slots=True)
class CaseContext:
    """Access to targets and judges for one case."""

    context: RunContext
    #: The place in the run; None outside of runs.
    call_context: CallContext | None = None
    #: The known cost of the case's judges; None if none of it is known.
    judge_cost_usd: float | None = None
    #: Whether the cost of a judge's call is unknown, and so that of all.
    judges_unpriced: bool = False
    #: The cost of the case in this run, as far as targets report it.
    usd: float = 0.0
    #: The call context of the questions of evaluators.
    judging_context: CallContext | None = field(init=False)

    def __post_init__(self) -> None:
        own = self.call_context
        self.judging_context = None if own is None else replace(own, of_evaluator=True)

    @property
    def pool(self) -> TargetPool:
        return self.context.pool

    def target(self, name: str) -> Target:
        """Return a target by name.

        Raises:
            TargetError: there is none, or it cannot be set up.
        """
        return _MeteredTarget(self.pool.target(name), self, None)

    def judge(self, name: str, ledger: JudgeLedger) -> Target:
        """Return a target by name, to judge the case's answer.

        Args:
            ledger: counts the usage.

        Raises:
            TargetError: there is none, or it cannot be set up.
        """
        return _MeteredTarget(self.pool.target(name), self, ledger)


def without_secrets(reply: Reply, redact: Redactor) -> Reply:
    """Return an answer without secrets, as it will be recorded.

    This is what is graded, so that a replay of the record grades the same, and so that no secret in
    an answer is sent to a judge.
    """
    if not reply.tool_calls and all(map(_is_text, reply.output_messages)):
        texts = [reply.text, *(output_message.content for output_message in reply.output_messages)]
        if cleaned_value(texts, redact) == texts:
            return reply
    values = {
        "text": reply.text,
        "output_messages": [value.model_dump() for value in reply.output_messages],
        "tool_calls": [value.model_dump() for value in reply.tool_calls],
    }
    clean = cleaned(values, redact)
    if clean == values:
        return reply
    details = reply.details
    # Halves of surrogate pairs and infinite numbers are replaced, too, and are no secrets.
    if clean != cleaned(values, _NOTHING_SECRET):
        details = {**details, SECRETS_REDACTED: True}
    return replace(
        reply,
        text=clean["text"],
        output_messages=tuple(
            Message.model_validate(value, strict=False) for value in clean["output_messages"]
        ),
        tool_calls=tuple(ToolCall.model_validate(value) for value in clean["tool_calls"]),
        details=details,
    )


def _is_text(message: Message) -> bool:
    """Whether a message says nothing but one text, as nearly all do."""
    return isinstance(message.content, str) and not message.tool_calls and message.name is None


class _MeteredTarget(Target):
    """A target behind the cache, with its costs counted."""

    def __init__(self, target: Target, case: CaseContext, ledger: JudgeLedger | None) -> None:
        """
        Args:
            ledger: for judges.
        """
        super().__init__(target.name)
        self._target = target
        self._case = case
        self._ledger = ledger
        #: Replies that are cached if they can be read: as they are returned, the key, as they came.
        self._unread: dict[int, tuple[Reply, str, Reply]] = {}

    async def ask(self, question: Question) -> Reply:
        question = self._with_call_context(question)
        try:
            answered, key = await self._reply(question)
        except TargetError as error:
            if self._ledger is not None and error.of_request:
                self._ledger.exchanges.append((question, error))
            raise
        reply = answered
        if reply.answered_by is None and (asks := self._case.pool.asks(self.name)) is not None:
            reply = replace(reply, answered_by=asks)
        if self._ledger is not None and reply.answered_by is not None:
            self._ledger.answered_by.add(reply.answered_by)
        if self._ledger is not None and reply.model is not None:
            self._ledger.models.add(reply.model)
        requested = self._case.pool.requested_model(self.name)
        if self._ledger is not None and requested is not None:
            self._ledger.requested_models.add(requested)
        reply = without_secrets(reply, self._case.context.redactor)
        if self._ledger is not None and question.call_context is not None:
            self._ledger.exchanges.append((question, reply))
        if reply.details.get(PROMPT_CHANGED):
            self._case.context.prompt_changed[question.eval_id] = None
        if key is not None:
            self._unread[id(reply)] = (reply, key, answered)
        return reply

    async def used(self, reply: Reply) -> None:
        kept = self._unread.pop(id(reply), None)
        if kept is not None:
            await self._store_in_cache(kept[1], kept[2])

    def _with_call_context(self, question: Question) -> Question:
        """Return a question with its call context, and without a seed that the target does not take."""
        seed = question.seed
        if seed is not None and not self._case.pool.takes_seed(self.name):
            seed = None
        case = self._case
        call_context = case.call_context if self._ledger is None else case.judging_context
        if question.call_context is call_context and question.seed == seed:
            return question
        return replace(question, seed=seed, call_context=call_context)

    async def _reply(self, question: Question) -> tuple[Reply, str | None]:
        """Return a reply, and the key by which it is to be cached once it could be read."""
        context = self._case.context
        key = self._key(question)
        if key is not None and context.mode == "read":
            cached = await context.cached_reply(key)
            # What earlier versions kept may be none.
            if cached is not None and is_whole(cached, asks=context.pool.asks(self.name)):
                context.spending.answered_by_cache()
                if self._ledger is not None:
                    self._ledger.cached += 1
                return replace(cached, details={**cached.details, "cached": True}), None
        reply = with_known_figures(await self._answer(question))
        problem = problem_in_reply(reply)
        if problem is not None:
            self._count(reply)  # it has to be paid for anyway
            raise TargetError(f"the answer of `{self.name}` cannot be recorded: {problem}")
        self._count(reply)
        self._check_answered(question, reply)
        if key is None or not is_whole(reply):
            return reply, None
        if question.is_read:
            return reply, key
        await self._store_in_cache(key, reply)
        return reply, None

    def _check_answered(self, question: Question, reply: Reply) -> None:
        """Raise if there is no answer to grade.

        Who reads a reply that was cut off before its first word asks again, with a higher limit.

        Raises:
            TargetError: the call failed, or the answer was cut off before its first word.
        """
        if reply.meaning is ReplyMeaning.FAILED:
            reason = f" (finish_reason: {reply.finish_reason})" if reply.finish_reason else ""
            raise TargetError(
                f"target `{self.name}`: the call failed, so there is no answer to grade{reason}"
            )
        if not question.is_read and reply.is_empty and reply.meaning is ReplyMeaning.CUT_OFF:
            usage = reply.token_usage
            tokens = f" after {usage.output:,} tokens" if usage is not None else ""
            what = (
                "while it was thinking" if reply.details.get(THINKING) else "before its first word"
            )
            raise TargetError(
                f"target `{self.name}`: the answer was cut off{tokens} {what} (finish_reason: "
                f"{reply.finish_reason}). Raise `max_output_tokens` of the target."
            )

    async def _answer(self, question: Question) -> Reply:
        failures, name = self._case.context.failures, f"the target `{self.name}`"
        try:
            reply = await self._target.ask(question)
        except TargetError as error:
            if self._case.pool.costs(self.name):
                failures.failed(name, self._case.context.redactor(error.message))
            raise
        failures.worked(name)
        return reply

    def _key(self, question: Question) -> str | None:
        context = self._case.context
        identity = context.pool.identity(self.name) if context.caches else None
        if identity is None:
            return None
        purpose = "answer" if self._ledger is None else "judging"
        repeat = 1 if self._case.call_context is None else self._case.call_context.repeat
        return cache_key(
            identity,
            question,
            context.redactor,
            repeat=repeat,
            purpose=purpose,
            of_model=context.pool.asks(self.name) == "model",
            takes_files=context.pool.takes_files(self.name),
            row_fields=context.pool.row_fields(self.name),
        )

    def _count(self, reply: Reply) -> None:
        costs = self._case.pool.costs(self.name)
        if self._ledger is not None:
            self._ledger.add(reply, costs=costs)
        if not costs:
            return
        self._case.context.spending.add(self.name, reply.cost_usd)
        if reply.cost_usd is None:
            self._case.judges_unpriced |= self._ledger is not None
            return
        self._case.usd += reply.cost_usd
        if self._ledger is not None:
            self._case.judge_cost_usd = (self._case.judge_cost_usd or 0.0) + reply.cost_usd

    async def _store_in_cache(self, key: str, reply: Reply) -> None:
        context = self._case.context
        if not context.caches:
            return
        values = reply_values(reply)
        if cleaned(values, context.redactor) != values:
            return  # it contains a secret: redacted, it would be a different answer
        await context.keep_reply(key, values)
