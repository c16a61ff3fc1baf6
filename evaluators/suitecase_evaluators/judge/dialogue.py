"""The attempts at one judgement: a target is asked until its reply can be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Generic, TypeVar

from suitecase_evaluators.judge.attempts import MOST_ATTEMPTS
from suitecase_evaluators.judge.reply import Unreadable
from suitecase_evaluators.reply_meaning import ReplyMeaning
from suitecase_evaluators.targets.target import (
    Question,
    Reply,
    Target,
    TargetError,
    Turn,
    user_prompt,
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
        #: The limits that followed from replies that were cut off, in tokens.
        self._raised: list[int] = []
        #: Why the replies so far could not be used.
        self.problems: list[Unreadable] = []
        #: The verdict, once a reply could be read.
        self.found: T | None = None

    async def verdict(self) -> T | None:
        """Ask until a reply can be read; None where none could.

        Raises:
            TargetError: the target could not answer.
        """
        question = self._question
        while self._attempts < MOST_ATTEMPTS:
            self._attempts += 1
            reply = await self._reply(question)
            self._replies.append(kept_reply(reply.text))
            cut_off = reply.meaning is ReplyMeaning.CUT_OFF
            found = self._read(reply.text, cut_off)
            ambiguous = getattr(found, "ambiguous", False)
            if ambiguous and self._attempts < MOST_ATTEMPTS:
                # Models draft before they decide: the first verdict is the least likely to be meant.
                found = Unreadable(MORE_THAN_ONE)
            if not isinstance(found, Unreadable):
                self.found = found
                if not ambiguous:
                    await self._target.used(reply)
                return found
            if cut_off:
                limit = raised_limit(question, reply)
                found = replace(found, reason=_cut_off(reply))
                if limit is not None and self._attempts < MOST_ATTEMPTS:
                    self._raised.append(limit)
            self.problems.append(found)
            question = replace(
                self._question,
                attempt=self._attempts + 1,
                max_output_tokens=self._raised[-1]
                if self._raised
                else self._question.max_output_tokens,
                turns=self._question.turns
                if self._retry is None
                else (*self._question.turns, *_retry_turns(reply.text, found, self._retry)),
            )
        return None

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
            details["reply_problems"] = [it.reason for it in self.problems]
        if self._raised:
            details["raised_max_output_tokens"] = list(self._raised)
        return {
            "request": {
                "user_prompt": user_prompt(self._question.turns),
                "system_prompt": _joined(
                    it.text for it in self._question.turns if it.role == "system"
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
    output_tokens = reply.token_usage.output if reply.token_usage is not None else 0
    limit = question.max_output_tokens or output_tokens
    raised = min(limit * RAISED_BY, MOST_RAISED)
    return raised if raised > limit > 0 else None


def _cut_off(reply: Reply) -> str:
    tokens = f" after {reply.token_usage.output:,} tokens" if reply.token_usage else ""
    return f"it was cut off{tokens} before it was complete"


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(texts)


def _retry_turns(reply: str, problem: Unreadable, retry: str) -> tuple[Turn, Turn]:
    keep = (
        "Quote words that stand in the candidate answer, character by character; where no words of "
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


def kept_reply(reply: str) -> str:
    """Return a reply as it is recorded: half surrogates replaced, and cut where it is long."""
    left_out = len(reply) - KEPT_OF_REPLY
    text = reply[:KEPT_OF_REPLY]
    if not text.isascii():
        text = text.encode(errors="replace").decode()
    return text if left_out <= 0 else f"{text}... ({left_out} more characters left out)"
