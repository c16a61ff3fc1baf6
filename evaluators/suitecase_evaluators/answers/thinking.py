"""What a model thinks before it answers, where a server leaves it in the text.

Servers with a parser for a model's thinking send it beside the answer. Others send it as the model writes
it: between marks that differ from vendor to vendor, without the first one where the prompt ends with it,
or without the last one where the model never came to an answer. A mark that an answer quotes (in code, in
JSON, in a sentence) is not one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from suitecase_evaluators.text.objects_in_text import spans_of_objects

#: The names of marks in angle brackets, such as those of DeepSeek and Qwen (`think`), Seed-OSS (`seed:think`),
#: LongCat (`longcat_think`).
_NAME = r"(?:[a-z][a-z0-9]*[:_.-])?(?:think|thinking|thoughts?|reasoning)"
_MARKS: tuple[tuple[str, str], ...] = (
    (rf"<{_NAME}(?:\s[^<>\n]{{0,200}})?>", rf"</{_NAME}\s*>"),
    (r"\[THINK\]", r"\[/THINK\]"),  # Mistral
    (r"◁think▷", r"◁/think▷"),  # Kimi
    (r"<\|channel>(?:thought|thinking|analysis)?", r"<channel\|>"),  # Gemma 4
    (r"<unused94>(?:thought)?", r"<unused95>"),  # MedGemma
    (r"<\|(?:start|begin)_(?:of_)?(?:thinking|thought|think)\|>", r"<\|end_(?:of_)?(?:thinking|thought|think)\|>"),
    (r"<\|(?:thinking|thought|think)\|>", r"<\|/(?:thinking|thought|think)\|>"),
)  # fmt: skip
#: What the prompts of judges ask for.
_DRAFTS = (r"<(?:scratchpad|reflection|analysis)>", r"</(?:scratchpad|reflection|analysis)>")
#: The channels of gpt-oss: each message of the model has a name, and the last one's is `final`.
_CHANNEL = re.compile(
    r"(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*(\w++)[^<]*+(?:<\|constrain\|>[^<]*+)?<\|message\|>",
    re.IGNORECASE,
)
_CHANNEL_ENDS = re.compile(r"<\|(?:end|return|call)\|>\s*\Z")
_BEFORE_CHANNEL = re.compile(r"\s*+(?:(?:<\|start\|>\s*+)?assistant\s*+)?\Z", re.IGNORECASE)
#: A text that begins with such a mark and was cut off within it.
_CHANNEL_BEGINS = re.compile(r"\s*(?:<\|start\|>\s*assistant\s*)?<\|channel\|>", re.IGNORECASE)
#: How the same begins, and where its answer does, if a server leaves out the marks alone.
_UNMARKED, _UNMARKED_FINAL = re.compile(r"\s*analysis(?=[A-Z\W])"), "assistantfinal"
#: What some models write around their answer after they thought.
_BEFORE_ANSWER = re.compile(
    r"\s*<\|(?:start_response|begin_of_(?:solution|answer))\|>", re.IGNORECASE
)
_AFTER_ANSWER = re.compile(r"<\|end_(?:response|of_solution|of_answer)\|>\s*\Z", re.IGNORECASE)
#: So many thoughts of a text, and ends of a thought, are looked at: nobody's time is wasted by more.
_MOST = 16
#: So much of a text is looked at around a mark.
_AROUND = 200
_SENTENCE_ENDS = re.compile("[.!?:;\u2026\u3002\uff01\uff1f]\\s*\\Z")
_QUOTES = "`'\"\u201c\u201d\u2018\u2019\u00ab\u00bb([{"


class Thought(NamedTuple):
    """A text in two: what the model thought, without marks, and its answer."""

    thinking: str
    answer: str


class _Marks(NamedTuple):
    opening: re.Pattern[str]
    closing: re.Pattern[str]


def _compiled(opening: str, closing: str) -> _Marks:
    return _Marks(
        re.compile(opening, re.IGNORECASE),
        re.compile(closing, re.IGNORECASE),
    )


_OF_MODELS = tuple(_compiled(*marks) for marks in _MARKS)
_OF_JUDGES = (*_OF_MODELS, _compiled(*_DRAFTS))
#: No text without one of these has marks.
_HINTS = ("<", "[/", "[T", "[t", "▷")


def without_thinking(text: str, *, of_judge: bool = False) -> Thought:
    """Take what a model thought from the text that it sent.

    Args:
        of_judge: whether drafts that prompts of judges ask for (`<scratchpad>`) are thinking, too.
    """
    begins = _UNMARKED.match(text)
    final = text.find(_UNMARKED_FINAL) if begins is not None else -1
    if begins is not None and final >= 0:
        end = final + len(_UNMARKED_FINAL)
        return Thought(text[begins.end() : final].strip(), text[end:].strip())
    if not any(hint in text for hint in _HINTS):
        return Thought("", text)
    thinking: list[str] = []
    answer = text
    for _ in range(_MOST):
        thought = _from_channels(answer) or _from_marks(answer, of_judge=of_judge)
        if thought is None:
            break
        thinking.append(thought.thinking.strip())
        answer = thought.answer.lstrip()
        begin = _BEFORE_ANSWER.match(answer)
        if begin is not None:
            answer = _AFTER_ANSWER.sub("", answer[begin.end() :]).lstrip()
    return Thought("\n\n".join(filter(None, thinking)), answer)


def _from_channels(text: str) -> Thought | None:
    """Return the final message of gpt-oss, and all others as thinking; None if there are no channels."""
    if "<|channel|>" not in text:
        return None
    found = list(_outside_of_code(text))
    if not found:
        begun = _CHANNEL_BEGINS.match(text)
        return None if begun is None else Thought(text[begun.end() :], "")
    begins = _BEFORE_CHANNEL.match(text[: found[0].start()]) is not None
    # Where the prompt ends with the first channel's mark, the text begins within it.
    before = text[: found[0].start()]
    if not begins and not (before.rstrip().endswith("<|end|>") and found[0][1].lower() == "final"):
        return None
    final: list[str] = []
    thinking: list[str] = [] if begins else [_CHANNEL_ENDS.sub("", before)]
    for number, mark in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(text)
        said = _CHANNEL_ENDS.sub("", text[mark.end() : end])
        (final if mark[1].lower() == "final" else thinking).append(said)
    return Thought("\n\n".join(piece.strip() for piece in thinking), "".join(final))


def _outside_of_code(text: str) -> Iterator[re.Match[str]]:
    """Yield the marks of channels that no code quotes."""
    fences = at = 0
    for mark in _CHANNEL.finditer(text):
        fences += text.count("```", at, mark.start())
        at = mark.start()
        if not (fences % 2 or text[at - 1 : at] == "`"):
            yield mark


def _from_marks(text: str, *, of_judge: bool) -> Thought | None:
    """Return what is before the end of thinking and after it; None if the text does not begin with any."""
    kinds = _OF_JUDGES if of_judge else _OF_MODELS
    start = len(text) - len(text.lstrip())
    for marks in kinds:
        opened = marks.opening.match(text, start)
        if opened is not None:
            end = _end_of(text, marks, opened.end(), of_judge=of_judge)
            if end is None:
                return Thought(text[opened.end() :], "")
            return Thought(text[opened.end() : end.start()], text[end.end() :])
    for marks in kinds:
        last = _end_without_beginning(text, marks)
        if last is not None:
            return Thought(text[: last.start()], text[last.end() :])
    return None


def _end_of(text: str, marks: _Marks, start: int, *, of_judge: bool) -> re.Match[str] | None:
    """Return the end of thinking that begins at `start`; None if it has none.

    It is the first one that is not quoted. Of a judge's reply it is the last one, since what is before that
    may be a draft; if all are quoted, it is the last one, too.
    """
    ends = list(marks.closing.finditer(text, start))
    if not ends:
        return None
    spans = spans_of_objects(text)
    outside = [end for end in ends if not _is_within(spans, end.start())]
    if of_judge:
        return outside[-1] if outside else None
    first = (end for end in outside[:_MOST] if not _is_in_code(text, end.start(), start))
    return next(first, outside[-1] if outside else None)


def _end_without_beginning(text: str, marks: _Marks) -> re.Match[str] | None:
    """Return the last end of thinking whose beginning is part of the prompt."""
    ends = list(marks.closing.finditer(text))[-_MOST:]
    if not ends:
        return None
    spans = spans_of_objects(text)
    first_opened = marks.opening.search(text)
    for end in reversed(ends):
        if first_opened is not None and first_opened.start() < end.start():
            continue  # both are quoted
        if _is_within(spans, end.start()) or _is_in_code(text, end.start()):
            continue
        if _ends_thinking(text, end) or (spans and spans[-1][0] >= end.end()):
            return end
    return None


def _ends_thinking(text: str, end: re.Match[str]) -> bool:
    """Whether a mark stands where thinking ends, and not as a word in a sentence."""
    line = text[max(0, end.start() - _AROUND) : end.start()]
    before, after = line[-1:], text[end.end() : end.end() + _AROUND]
    if not line.rpartition("\n")[2].strip() or _SENTENCE_ENDS.search(line):
        return True
    if before in _QUOTES:
        return False
    attached = not before.isspace()
    return attached or re.match(r"[ \t]*\n\s*\n", after) is not None


def _is_within(spans: list[tuple[int, int]], place: int) -> bool:
    number = bisect_right(spans, (place, len(spans) and spans[-1][1])) - 1
    return number >= 0 and spans[number][0] <= place < spans[number][1]


def _is_in_code(text: str, place: int, start: int = 0) -> bool:
    """Whether a place is in a block of code, or in backticks on its line, as of `start`."""
    before = text[start:place]
    if before.count("```") % 2:
        return True
    return before.rpartition("\n")[2].replace("```", "").count("`") % 2 == 1
