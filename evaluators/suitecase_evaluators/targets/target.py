"""What a target is: something that answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from suitecase_evaluators.answers.message import Message, Role, ToolCall
from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.answers.refusals import PROVIDERS_TEXT
from suitecase_evaluators.answers.reply_meaning import ReplyMeaning, meaning_of
from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.answers.trace import CallsKnown, TokenUsage
from suitecase_evaluators.text.compact_json import compact_json


@dataclass(frozen=True, slots=True)
class Turn:
    """A message as it is sent: files are read, structured content is JSON."""

    role: Role
    text: str


def user_prompt(turns: Iterable[Turn]) -> str:
    """Return the text of all messages but those of the system, as records have it."""
    return "\n\n".join(turn.text for turn in turns if turn.role != "system")


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing a judge is asked, for targets that judge without a model."""

    id: str
    text: str
    #: `check` wants satisfied or not, `range` an integer 0..10, `free` a score 0..1, `compare` the
    #: better one of two answers.
    mode: Literal["check", "range", "free", "compare"]
    #: What the scores of a range item mean, as (lowest, highest, text).
    ranges: tuple[tuple[int, int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Judging:
    """That a question is a judge's, and what it is about; models see the turns alone."""

    evaluator: str
    criteria: tuple[Criterion, ...]
    candidate_answer: str
    reference_answer: str = ""
    #: The other answer, where two are compared: `candidate_answer` is then the first of them.
    second_answer: str = ""
    #: The composites that the evaluator is a member of, the outermost first.
    within: tuple[str, ...] = ()
    #: Whether items that are met need a quote of the answer.
    quotes: bool = False


@dataclass(frozen=True, slots=True)
class CallContext:
    """Where in a run a question is put, for targets that answer by what an earlier run recorded."""

    #: The suite as records have it, the target that answers the case, and which time it does.
    suite_path: str
    target: str
    repeat: int = 1
    #: Whether an evaluator puts the question rather than the case.
    of_evaluator: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question to a target."""

    eval_id: str
    turns: tuple[Turn, ...]
    #: 1 for the first try; a judge whose reply could not be read is asked again.
    attempt: int = 1
    #: Which vote of a judge it asks for, if there are several.
    vote: int = 1
    judging: Judging | None = None
    #: The JSON Schema for the reply, for targets that support one.
    response_schema: Mapping[str, Any] | None = None
    #: Asks another model than the target's own.
    model: str | None = None
    temperature: float | None = None
    max_output_tokens: int | None = None
    seed: int | None = None
    #: Absolute paths, for targets that take files rather than text.
    guideline_files: tuple[str, ...] = ()
    input_files: tuple[str, ...] = ()
    #: None outside of runs.
    call_context: CallContext | None = None
    #: Whether the reply is read by whoever asks, and asked for again if it cannot be.
    is_read: bool = False
    #: The row of another tool's suite; None for our own cases and for judges.
    row: Row | None = None

    @property
    def row_prompt(self) -> str:
        """The prompt of its row as it is sent; the texts of all turns if there is none."""
        if self.row is not None and self.row.prompt is not None:
            return self.row.prompt
        return "\n".join(turn.text for turn in self.turns)


#: The `finish_reason` of an answer that reached the most tokens it may have, in OpenAI's words; providers
#: have others, so ask `Reply.meaning`.
CUT_OFF = "length"
#: The key of the details with what the model thought before it answered.
THINKING = "thinking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a target answered."""

    text: str
    output_messages: tuple[Message, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    calls_known: CallsKnown = "all"
    token_usage: TokenUsage | None = None
    cost_usd: float | None = None
    duration_ms: float | None = None
    #: Why the answer ends where it does, as the provider says it; `meaning` reads it.
    finish_reason: str | None = None
    #: The seed that the provider was given; None where it was given none.
    seed: int | None = None
    #: The model that answered and the number of its answer, as the provider says them.
    model: str | None = None
    response_id: str | None = None
    #: The sandbox level of the program that answered; None if none did.
    sandbox: Level | None = None
    #: The source of the answer, if it is not implied by the provider.
    answered_by: AnsweredBy | None = None
    #: Additional data of the provider for readers of the record. JSON values only.
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether it has neither text nor calls of tools."""
        return not (self.text.strip() or self.tool_calls)

    @property
    def meaning(self) -> ReplyMeaning:
        """What it means: an answer, cut off, refused, filtered, or a failed call."""
        return meaning_of(
            self.finish_reason,
            says_something=not self.is_empty,
            refuses=bool(self.details.get(PROVIDERS_TEXT)),
            of_model=self.answered_by == "model",
        )


#: The key of the details with an answer that is not a string; `text` has it as JSON.
OUTPUT = "output"

#: The keys of the details of a recorded reply of a judge: how many tokens it had, what was wrong with
#: one of which only a part was recorded, and that the judge was asked again after it.
WRITTEN_TOKENS = "output_tokens"
RECORDED_PROBLEM = "recorded_problem"
ASKED_AGAIN = "asked_again"


def written_tokens(reply: Reply) -> int | None:
    """Return the tokens of a reply, as it was given or as they were recorded; None if unknown."""
    if reply.token_usage is not None:
        return reply.token_usage.output
    recorded = reply.details.get(WRITTEN_TOKENS)
    return recorded if isinstance(recorded, int) else None


def with_output(reply: Reply, output: Any) -> Reply:
    """Return a reply with another answer: a string, or a value that becomes JSON."""
    text = output if isinstance(output, str) else compact_json(output)
    details = {name: it for name, it in reply.details.items() if name != OUTPUT}
    if not isinstance(output, str):
        details[OUTPUT] = output
    messages = (*reply.output_messages[:-1], Message(role="assistant", content=text))
    return replace(reply, text=text, output_messages=messages, details=details)


#: What went wrong, for those who decide what to do next.
TargetErrorKind = Literal["configuration", "unreachable", "timeout", "rejected", "failed"]


class TargetError(Exception):
    """A target could not answer: a problem of the environment, never of the answer.

    `message` is for people, says what to do, and holds no secret. `sandbox` is how far the program
    was held that failed, None where none was started. `of_request` says that this one question is not
    taken, such as one that is too long, and that others are.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: TargetErrorKind = "failed",
        sandbox: Level | None = None,
        of_request: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind: TargetErrorKind = kind
        self.sandbox = sandbox
        self.of_request = of_request


class Target(ABC):
    """Something that answers questions."""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    async def ask(self, question: Question) -> Reply:
        """Answer one question.

        Raises:
            TargetError: no answer could be had.
        """

    async def used(self, reply: Reply) -> None:
        """Take note that the reply to a question with `is_read` could be read.

        Args:
            reply: as `ask` returned it.
        """
        return

    async def close(self) -> None:
        """Let go of connections and processes; safe to call twice."""
        return
