"""The attempts at one judgement: a target is asked until its reply can be read.

Each attempt differs from those before, or is not made: a judge that repeats its reply would do so
again, more tokens do not end a loop, and what a server does not take as a retry leaves the reply that
was given, whose problem is what counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Generic, TypeVar

from suitecase_evaluators.answers.reply_meaning import ReplyMeaning
from suitecase_evaluators.grade.judge.attempts import MOST_ATTEMPTS, before_its_loop
from suitecase_evaluators.grade.judge.reply import Unreadable
from suitecase_evaluators.targets.recorded_judge import (
    FINISH_REASONS,
    FINISHED,
    NOT_RETRIED,
    OUTPUT_TOKENS,
)
from suitecase_evaluators.targets.target import (
    ASKED_AGAIN,
    RECORDED_PROBLEM,
    Question,
    Reply,
    Target,
    TargetError,
    Turn,
    user_prompt,
    written_tokens,
)

#: Of each reply of a judge this many characters are recorded, and shown to it when asked again.
KEPT_OF_REPLY = 8_000
#: A judge whose reply was cut off may write this many times as much when it is asked again, up to
#: this many tokens; a limit that is higher to begin with is kept.
RAISED_BY = 2
MOST_RAISED = 32_768

#: What is wrong with a reply that has several verdicts, which differ.
MORE_THAN_ONE = "it contains more than one verdict, and they differ"
#: The instruction after a reply that could not be used.
JSON_ALONE = "Reply again with the JSON object alone, complete and in the form asked for."

T = TypeVar("T")


class Dialogue(Generic[T]):
    """The attempts at one judgement, and what is kept of them."""

    def __init__(
        self,
        target: Target,
        question: Question,
        read: Callable[[str, bool], T | Unreadable],
        *,
        retry: str | None = JSON_ALONE,
    ) -> None:
        """
        Args:
            read: reads a reply; the second argument says whether it was cut off.
            retry: the instruction after a reply that could not be used; None repeats the question, for
                targets that do not take a conversation.
        """
        self._target = target
        self._retry = retry
        self._question = replace(question, is_read=True)
        self._read = read
        self._attempts = 0
        self._replies: list[str] = []
        #: Why each reply ends, and its tokens, as far as that is known: reading it depends on them.
        self._finish_reasons: list[str | None] = []
        self._written: list[int | None] = []
        #: Whether the last reply was in a loop.
        self._loops = False
        #: Why there was no further attempt, though there might have been.
        self._not_retried = ""
        #: The limits that followed from replies that were cut off, in tokens.
        self._raised: list[int] = []
        #: Why the replies so far could not be used.
        self.problems: list[Unreadable] = []
        #: The verdict, once a reply could be read.
        self.found: T | None = None

    async def verdict(self) -> T | None:
        """Ask until a reply can be read; None where none could.

        Of several verdicts in a reply the first counts, if the judge is not asked again or keeps to them.

        Raises:
            TargetError: the target could not answer.
        """
        question: Question | None = self._question
        first_of_several: T | None = None
        while question is not None:
            self._attempts += 1
            try:
                reply = await self._reply(question)
            except TargetError as error:
                if not self.problems or not error.of_request:
                    raise
                self._attempts -= 1
                self._not_retried = error.message
                break
            self._keep(reply)
            found = self._found(reply)
            first_of_several = None
            if not isinstance(found, Unreadable):
                if not getattr(found, "ambiguous", False):
                    await self._target.used(reply)
                    self.found = found
                    return found
                # Models draft before they decide: the first verdict is the least likely to be meant.
                first_of_several = found
                if self._attempts >= MOST_ATTEMPTS:
                    break
                found = Unreadable(MORE_THAN_ONE)
            self.problems.append(found)
            question = self._retry_of(question, reply, found)
        self.found = first_of_several
        return first_of_several

    def _keep(self, reply: Reply) -> None:
        self._replies.append(kept_reply(reply.text))
        self._finish_reasons.append(reply.finish_reason)
        self._written.append(written_tokens(reply))

    def _found(self, reply: Reply) -> T | Unreadable:
        """Read a reply; one that was recorded in part says itself what was wrong with it."""
        recorded = reply.details.get(RECORDED_PROBLEM)
        if isinstance(recorded, str):
            return Unreadable(recorded)
        cut_off = reply.meaning is ReplyMeaning.CUT_OFF
        found = self._read(reply.text, cut_off)
        if isinstance(found, Unreadable) and cut_off:
            return replace(found, reason=_cut_off(reply))
        return found

    def _retry_of(self, asked: Question, reply: Reply, problem: Unreadable) -> Question | None:
        """Return the next question after a reply that cannot be used; None if there is none."""
        if self._attempts >= MOST_ATTEMPTS:
            return None
        cut_off = reply.meaning is ReplyMeaning.CUT_OFF
        before_loop = before_its_loop(reply.text) if cut_off else None
        if cut_off and before_loop is None:
            limit = raised_limit(asked, reply)
            if limit is not None:
                self._raised.append(limit)
        shown = reply.text if before_loop is None else f"{before_loop} ..."
        question = replace(
            self._question,
            attempt=self._attempts + 1,
            max_output_tokens=self._raised[-1]
            if self._raised
            else self._question.max_output_tokens,
            turns=self._question.turns
            if self._retry is None
            else (*self._question.turns, *_retry_turns(shown, problem, self._retry)),
        )
        loops_again = before_loop is not None and self._loops
        self._loops = before_loop is not None
        if reply.details.get(ASKED_AGAIN):
            return question
        if loops_again:
            self._not_retried = "its replies are in a loop"
        elif self._replies[-1] in self._replies[:-1]:
            if self._retry is None:
                # It takes no conversation, and so cannot be asked in another way.
                self._not_retried = "it gave the same reply again"
            else:
                turns = _turns_after_the_same(problem, self._retry)
                question = replace(question, turns=(*self._question.turns, *turns))
        return None if self._not_retried else question

    async def _reply(self, question: Question) -> Reply:
        """Ask; where a raised limit is what the provider does not take, ask with the one before.

        Raises:
            TargetError: the target could not answer.
        """
        try:
            return await self._target.ask(question)
        except TargetError as error:
            if error.kind != "rejected" or not self._raised:
                raise
            self._raised.pop()
            limit = self._raised[-1] if self._raised else self._question.max_output_tokens
            return await self._target.ask(replace(question, max_output_tokens=limit))

    def record(self) -> dict[str, Any]:
        """Return what a score keeps of the asking, as fields of `Score`."""
        details: dict[str, Any] = {"replies": list(self._replies)}
        if self.problems:
            details["reply_problems"] = [problem.reason for problem in self.problems]
        if self._raised:
            details["raised_max_output_tokens"] = list(self._raised)
        if any(reason not in (None, FINISHED) for reason in self._finish_reasons):
            details[FINISH_REASONS] = list(self._finish_reasons)
            details[OUTPUT_TOKENS] = list(self._written)
        if self._not_retried:
            details[NOT_RETRIED] = self._not_retried
        return {
            "request": {
                "user_prompt": user_prompt(self._question.turns),
                "system_prompt": _joined(
                    turn.text for turn in self._question.turns if turn.role == "system"
                ),
                "target": self._target.name,
            },
            "attempts": self._attempts,
            "details": details,
        }


def raised_limit(question: Question, reply: Reply) -> int | None:
    """Return the most tokens of the next reply after one that was cut off.

    None where nobody knows at how many tokens it was cut off, or where that is as many as anyone
    should write for a verdict.
    """
    limit = question.max_output_tokens or written_tokens(reply) or 0
    raised = min(limit * RAISED_BY, MOST_RAISED)
    return raised if raised > limit > 0 else None


def _cut_off(reply: Reply) -> str:
    written = written_tokens(reply)
    tokens = "" if written is None else f" after {written:,} tokens"
    loop = "" if before_its_loop(reply.text) is None else ", in a loop"
    return f"it was cut off{tokens} before it was complete{loop}"


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(texts)


def _retry_turns(reply: str, problem: Unreadable, retry: str) -> tuple[Turn, Turn]:
    keep = (
        "Keep what you said, and give its score on this scale."
        if problem.off_scale is not None
        else "Quote words that stand in the candidate answer, character by character; where no words of "
        "it show that an item is met, say that it is not met. Keep the rest of what you said."
        if problem.only_quotes
        else "Keep what you said; only the form was wrong."
    )
    return (
        # Providers refuse an empty turn.
        Turn("assistant", kept_reply(reply) if reply.strip() else "(an empty reply)"),
        Turn(
            "user",
            f"Your reply could not be used: {problem.reason}. {retry} {keep}",
        ),
    )


def _turns_after_the_same(problem: Unreadable, retry: str) -> tuple[Turn, Turn]:
    """Return how a judge is asked again that has repeated its reply: without that, lest it goes on."""
    return (
        Turn("assistant", "(a reply that could not be used)"),
        Turn(
            "user",
            f"You have replied the same twice, and it could not be used: {problem.reason}. Begin anew. {retry}",
        ),
    )


def kept_reply(reply: str) -> str:
    """Return a reply as it is recorded: half surrogates replaced, and cut where it is long."""
    left_out = len(reply) - KEPT_OF_REPLY
    text = reply[:KEPT_OF_REPLY]
    if not text.isascii():
        text = text.encode(errors="replace").decode()
    return text if left_out <= 0 else f"{text}... ({left_out} more characters left out)"
