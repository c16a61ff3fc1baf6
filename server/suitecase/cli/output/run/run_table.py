"""What a run came to, beside its verdicts: scores, judges, tokens, cost and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from suitecase.cli.running.run_output import RunEnd
from suitecase_evaluators.records.tally import Tally, Usage
from suitecase_evaluators.sandbox.level import Level
from suitecase_evaluators.score import Verdict, shown_score

#: The fact that says what each of several suites came to.
SUITES = "Suites"
#: The fact that says what each of several targets came to.
TARGETS = "Targets"
#: A fact and what there is to say of it, line by line.
Fact = tuple[str, list[str]]


def table_of(end: RunEnd, spending: Mapping[str, Any]) -> list[Fact]:
    """Return the facts of a run; what nobody knows and what says nothing is left out.

    Args:
        spending: what the questions came to, as `protocol.Finished` has it.
    """
    usage = end.total.usage
    facts: list[Fact] = [
        (SUITES, list(_suites(end))),
        (TARGETS, list(_targets(end.total))),
        ("Scores", list(_scores(end.total))),
        ("Judges", list(_judges(end.total))),
        ("Tokens", list(_tokens(usage))),
        ("Cost", list(_cost(usage, spending))),
        ("Cache", list(_cache(spending))),
        ("Programs", list(_programs(end.total))),
        ("Time", list(_time(usage, end.seconds))),
    ]
    return [(name, lines) for name, lines in facts if lines]


def duration(seconds: float) -> str:
    """Return a stretch of time as people read it."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def _suites(end: RunEnd) -> Iterator[str]:
    if len(end.suites) < 2:
        return
    for suite, tally in end.suites:
        if tally.verdicts:
            mean = "" if tally.mean_score is None else f"; mean {shown_score(tally.mean_score)}"
            yield f"{suite.shown}: {_verdicts(tally.verdicts)}{mean}"


def _targets(total: Tally) -> Iterator[str]:
    """Say what each target came to, where there are several: their scores have no common mean."""
    if not total.several_targets:
        return
    for name, tally in total.targets.items():
        mean = tally.mean_score
        told = "" if mean is None else f"; mean {shown_score(mean)} of {tally.graded:,}"
        yield f"{name}: {_verdicts(tally.verdicts)}{told}"


def _verdicts(verdicts: Counter[Verdict]) -> str:
    return ", ".join(
        f"{number:,} {verdict.value.replace('_', ' ')}"
        for verdict, number in sorted(verdicts.items())
        if number
    )


def _scores(total: Tally) -> Iterator[str]:
    lowest, highest, mean = total.lowest, total.highest, total.mean_score
    if total.graded < 2 or lowest is None or highest is None:
        return
    of = "" if mean is None else f", mean {shown_score(mean)}"
    yield f"from {shown_score(lowest)} to {shown_score(highest)}{of} of {total.graded:,}"


def _judges(total: Tally) -> Iterator[str]:
    failures, judged = total.judge_parse_failures, total.usage.judged
    partly = total.judges_read_partly
    if total.judge_errors:
        yield f"{total.judge_errors:,} of {judged:,} could not be called, which gives no score"
    if failures > partly:
        unread = failures - partly
        yield f"{unread:,} of {judged:,} gave no parseable reply, which counts as score 0"
    if partly:
        yield f"{partly:,} of {judged:,} left rubric items out, which count 0"
    if not failures:
        return
    mean = total.mean_without_judge_failures
    if mean is not None:
        yield f"mean score {shown_score(mean)} without the answers they were to judge"
    elif not total.several_targets:
        yield "no answer is left without them"


def _tokens(usage: Usage) -> Iterator[str]:
    for who, read, written in (
        ("answers", usage.answer_input, usage.answer_output),
        ("judges", usage.judge_input, usage.judge_output),
    ):
        if read is not None or written is not None:
            yield f"{who}: {read or 0:,} read, {written or 0:,} written"


def _cost(usage: Usage, spending: Mapping[str, Any]) -> Iterator[str]:
    total = spending.get("cost_usd") or usage.usd
    if total is None or not (total or usage.usd):
        return
    parts = [
        f"{who} ${usd:.4g}"
        for who, usd in (("answers", usage.answer_usd), ("judges", usage.judge_usd))
        if usd is not None
    ]
    unpriced = spending.get("unpriced")
    more = f", without {unpriced:,} whose cost is unknown" if unpriced else ""
    yield f"the questions cost ${total:.4g}{more}"
    if len(parts) > 1:
        yield ", ".join(parts)


def _cache(spending: Mapping[str, Any]) -> Iterator[str]:
    if spending.get("cached"):
        asked, cached = spending["asked"], spending["cached"]
        yield f"{cached:,} of {asked + cached:,} answers came from the cache"


def _programs(total: Tally) -> Iterator[str]:
    """Say how far the programs were held, where some were not held to the utmost."""
    match total.sandbox:
        case Level.NONE:
            yield "without limits, which this system has none of"
        case Level.LIMITS:
            yield "limits alone for some or all of them, not isolated"
        case Level.NETWORKED:
            yield "isolated, some or all of them with the network"
        case Level.ISOLATED:
            yield "isolated, without network"
        case None:
            return


def _time(usage: Usage, seconds: float) -> Iterator[str]:
    yield duration(seconds)
    if usage.timed > 1:
        mean, longest = usage.total_ms / usage.timed / 1000, usage.longest_ms / 1000
        yield (
            f"answers took {duration(mean)} on average, the longest {duration(longest)} "
            f"({usage.longest_case})"
        )
