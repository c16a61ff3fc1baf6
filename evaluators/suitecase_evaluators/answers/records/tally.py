"""What a run comes to: counts and a mean, kept as the records come."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from suitecase_evaluators.answers.records.answerers import Answerers
from suitecase_evaluators.answers.records.doubts import doubts_within
from suitecase_evaluators.answers.records.graded import NO_TOKENS
from suitecase_evaluators.answers.records.judgements import judgements
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import SETTLED, Status
from suitecase_evaluators.answers.sandbox_level import Level, lowest
from suitecase_evaluators.answers.score import Verdict

N = TypeVar("N", int, float)


@dataclass(slots=True)
class CaseTally:
    """How a case did each time it was asked.

    Attributes:
        runs: how often it has a record.
        passed: how often it passed.
        rehearsed: how often it would have, without a model.
        graded: how often it has a score, the lowest and the highest of which are kept.
    """

    runs: int = 0
    passed: int = 0
    rehearsed: int = 0
    graded: int = 0
    lowest: float | None = None
    highest: float | None = None
    _mean: float = 0.0
    _squares: float = 0.0

    def add(self, status: Status, score: float | None) -> None:
        """Count a record."""
        self.runs += 1
        self.passed += status is Status.PASS
        self.rehearsed += status is Status.REHEARSED
        if score is None or not status.graded:
            return
        # Welford's method: sums of squares lose digits where scores are close to each other.
        self.graded += 1
        before = score - self._mean
        self._mean += before / self.graded
        self._squares += before * (score - self._mean)
        self.lowest = score if self.lowest is None else min(self.lowest, score)
        self.highest = score if self.highest is None else max(self.highest, score)

    @property
    def mean(self) -> float | None:
        """The mean score, None where there is none."""
        return self._mean if self.graded else None

    @property
    def deviation(self) -> float | None:
        """The sample standard deviation of the scores, None for fewer than two."""
        return math.sqrt(self._squares / (self.graded - 1)) if self.graded > 1 else None

    def summary(self) -> dict[str, Any]:
        return {
            "runs": self.runs,
            "passed": self.passed,
            "rehearsed": self.rehearsed,
            "mean": self.mean,
            "lowest": self.lowest,
            "highest": self.highest,
            "deviation": self.deviation,
        }


@dataclass(slots=True)
class Usage:
    """The usage of answers and judges, as far as recorded; None if no record has it."""

    answer_input: int | None = None
    answer_output: int | None = None
    judge_input: int | None = None
    judge_output: int | None = None
    #: The known costs, and how many answers and calls of judges have no known cost.
    answer_usd: float | None = None
    judge_usd: float | None = None
    answers_unpriced: int = 0
    judges_unpriced: int = 0
    #: How many answers tell how long they took, together, and the longest, in milliseconds.
    timed: int = 0
    total_ms: float = 0.0
    longest_ms: float = 0.0
    longest_case: str = ""
    #: Evaluators that asked a judge, members of composites included, and their aggregators.
    judged: int = 0

    def add(self, record: ResultRecord, judged: int) -> None:
        """Count a record; an answer from the cache or an earlier run took nothing.

        Args:
            judged: how often its evaluators asked a judge, members of composites included.
        """
        if not record.cached:
            tokens = record.answer_tokens
            if tokens != NO_TOKENS:
                self.answer_input = _sum(self.answer_input, tokens.input)
                self.answer_output = _sum(self.answer_output, tokens.output)
            self.answer_usd = _sum(self.answer_usd, record.answer_usd)
            duration = record.duration_ms
            if duration is not None:
                self._time(1, duration, duration, record.eval_id)
            self.answers_unpriced += record.answer_unpriced
        self.judge_usd = _sum(self.judge_usd, record.judge_usd)
        self.judges_unpriced += record.judges_unpriced
        self.judged += judged
        for result in record.evaluator_results:
            if not result.fields.get("judge_usage"):
                continue
            tokens = result.judge_tokens
            self.judge_input = _sum(self.judge_input, tokens.input)
            self.judge_output = _sum(self.judge_output, tokens.output)

    def add_all(self, other: Usage) -> None:
        """Count what was counted elsewhere."""
        for name in (
            *("answer_input", "answer_output", "judge_input", "judge_output"),
            *("answer_usd", "judge_usd"),
        ):
            setattr(self, name, _sum(getattr(self, name), getattr(other, name)))
        self.answers_unpriced += other.answers_unpriced
        self.judges_unpriced += other.judges_unpriced
        self._time(other.timed, other.total_ms, other.longest_ms, other.longest_case)
        self.judged += other.judged

    def _time(self, number: int, total_ms: float, longest_ms: float, longest_case: str) -> None:
        self.timed += number
        self.total_ms += total_ms
        if number and longest_ms >= self.longest_ms:
            self.longest_ms, self.longest_case = longest_ms, longest_case

    @property
    def unpriced(self) -> int:
        """How many answers and calls of judges have no known cost."""
        return self.answers_unpriced + self.judges_unpriced

    @property
    def known_usd(self) -> float | None:
        """What answers and judges cost together, in US dollars, as far as is known."""
        return _sum(self.answer_usd, self.judge_usd)

    @property
    def usd(self) -> float | None:
        """What answers and judges cost together, in US dollars; None unless all of it is known."""
        return None if self.unpriced else self.known_usd

    def summary(self) -> dict[str, Any]:
        return {
            "tokens": {
                "answers": {"input": self.answer_input, "output": self.answer_output},
                "judges": {"input": self.judge_input, "output": self.judge_output},
            },
            "cost_usd": {
                "answers": None if self.answers_unpriced else self.answer_usd,
                "judges": None if self.judges_unpriced else self.judge_usd,
            },
        }


def _sum(one: N | None, other: N | None) -> N | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other


@dataclass(slots=True)
class TargetTally:
    """What the answers of one target come to."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    statuses: Counter[Status] = field(default_factory=Counter)
    _scores: float = 0.0

    def add(self, verdict: Verdict, status: Status, score: float | None) -> None:
        """Count a record."""
        self.verdicts[verdict] += 1
        self.statuses[status] += 1
        if status.graded and score is not None:
            self._scores += score

    def add_all(self, other: TargetTally) -> None:
        """Count what was counted elsewhere."""
        self.verdicts.update(other.verdicts)
        self.statuses.update(other.statuses)
        self._scores += other._scores

    @property
    def graded(self) -> int:
        """How many records have a score that counts."""
        return sum(number for status, number in self.statuses.items() if status.graded)

    @property
    def mean_score(self) -> float | None:
        """The mean over the graded records, None where there are none."""
        return self._scores / self.graded if self.graded else None

    def summary(self) -> dict[str, Any]:
        return {
            "verdicts": {verdict.value: self.verdicts[verdict] for verdict in Verdict},
            "statuses": {status.value: self.statuses[status] for status in Status},
            "mean_score": self.mean_score,
        }


class Tally:
    """Adds records up; it keeps none of them."""

    def __init__(self) -> None:
        #: As they are recorded. What is shown, and what decides, goes by the statuses.
        self.verdicts: Counter[Verdict] = Counter()
        self.statuses: Counter[Status] = Counter()
        #: By target: one mean of several targets would say nothing about any of them.
        self.targets: dict[str, TargetTally] = {}
        self.answerers = Answerers()
        #: Judges none of whose replies could be read in full, at any depth of composites.
        self.judge_parse_failures = 0
        #: Those of them that answered some rubric items and left others out.
        self.judges_read_partly = 0
        #: Judges that could not be asked.
        self.judge_errors = 0
        #: Scores that were given outside 0..1, and replies of judges with verdicts that differ.
        self.doubts: Counter[str] = Counter()
        #: Answers that were cut off.
        self.cut_off = 0
        #: Answers that repeat a secret.
        self.without_secret = 0
        #: Answers with neither text nor calls of tools.
        self.empty_answers = 0
        #: By case, of a run in which each case is asked several times.
        self.repeated: dict[str, CaseTally] = {}
        self.usage = Usage()
        self.lowest: float | None = None
        self.highest: float | None = None
        #: The lowest sandbox level of a program in the records; None if none was started.
        self.sandbox: Level | None = None
        #: Records in which the replies of a judge could not be read in full.
        self.parse_failures = 0
        #: Whether no case was asked again or belongs to a group, so that answers do not go together.
        self.independent = True
        self._scores = 0.0
        self._done: Counter[str] = Counter()

    def add(self, record: ResultRecord) -> None:
        """Count a record."""
        verdict, status = record.verdict, record.status
        score = record.graded_score
        self.verdicts[verdict] += 1
        self.statuses[status] += 1
        repeats = record.repeats
        if repeats > 1 or record.group is not None:
            self.independent = False
        self.parse_failures += record.parse_failed
        if score is not None:
            self._scores += score
            self._spread(score, score)
        target = self.targets.get(record.target)
        if target is None:
            target = self.targets[record.target] = TargetTally()
        target.add(verdict, status, score)
        self.answerers.add(record)
        self.cut_off += record.cut_off is not None
        self.without_secret += record.without_secret is not None
        self.empty_answers += record.is_empty_answer
        results = record.evaluator_results
        for graded in (record, *results):
            level = graded.sandbox
            if level is not None:
                self.sandbox = lowest(self.sandbox, level)
        judged = 0
        for result in results:
            for evaluator in judgements(result):
                judged += 1
                self.judge_parse_failures += evaluator.unreadable
                self.judges_read_partly += evaluator.partly
                self.judge_errors += evaluator.broken
            if result.details or result.members:  # most have neither
                for doubt in doubts_within(result):
                    self.doubts[doubt.kind] += 1
        self.usage.add(record, judged)
        self._done[record.eval_id] += 1
        if repeats > 1:
            self.repeated.setdefault(record.eval_id, CaseTally()).add(status, score)

    @classmethod
    def of(cls, records: Iterable[ResultRecord]) -> Tally:
        """Return the tally of some records."""
        tally = cls()
        for record in records:
            tally.add(record)
        return tally

    @classmethod
    def total(cls, tallies: Iterable[Tally]) -> Tally:
        """Return what several suites come to; it says nothing of single cases."""
        total = cls()
        for tally in tallies:
            total._add_all(tally)
        return total

    def _add_all(self, other: Tally) -> None:
        self.cut_off += other.cut_off
        self.without_secret += other.without_secret
        self.verdicts.update(other.verdicts)
        self.statuses.update(other.statuses)
        for name, tally in other.targets.items():
            self.targets.setdefault(name, TargetTally()).add_all(tally)
        self.answerers.add_all(other.answerers)
        self.usage.add_all(other.usage)
        self.doubts.update(other.doubts)
        self.sandbox = lowest(self.sandbox, other.sandbox)
        if other.lowest is not None and other.highest is not None:
            self._spread(other.lowest, other.highest)
        self.parse_failures += other.parse_failures
        self.empty_answers += other.empty_answers
        self.independent = self.independent and other.independent
        self.judge_parse_failures += other.judge_parse_failures
        self.judges_read_partly += other.judges_read_partly
        self.judge_errors += other.judge_errors
        self._scores += other._scores

    def _spread(self, lowest: float, highest: float) -> None:
        self.lowest = lowest if self.lowest is None else min(self.lowest, lowest)
        self.highest = highest if self.highest is None else max(self.highest, highest)

    @property
    def records(self) -> int:
        """How many records were counted."""
        return self.verdicts.total()

    @property
    def failing(self) -> int:
        """How many records are neither a pass, rehearsed or not, nor without anything to grade by."""
        return self.records - sum(self.statuses[status] for status in SETTLED)

    @property
    def graded(self) -> int:
        """How many records have a score that counts."""
        return sum(number for status, number in self.statuses.items() if status.graded)

    @property
    def mean_score(self) -> float | None:
        """The mean over the graded records; None where there are none, or several targets'.

        Where a judge failed, nobody graded the answer.
        """
        return self._scores / self.graded if self.graded and not self.several_targets else None

    @property
    def several_targets(self) -> bool:
        """Whether several targets answered, each of which has figures of its own."""
        return len(self.targets) > 1

    def remarks(self) -> list[str]:
        """Return what people have to know about a run in addition to its verdicts, as sentences."""
        remarks = [self.answerers.remark()]
        number = self.verdicts[Verdict.NOT_EVALUATED]
        if number:
            cases = "1 case has" if number == 1 else f"{number:,} cases have"
            remarks.append(
                f"{cases} nothing to grade by, and {'counts' if number == 1 else 'count'} "
                "neither as passed nor as failed."
            )
        number = self.statuses[Status.JUDGE_FAILED]
        if number:
            answers = "1 answer was" if number == 1 else f"{number:,} answers were"
            remarks.append(
                f"{answers} not graded: the judge's replies could not be read in full. It is the judge "
                "that failed, not the target."
            )
        return [text for text in (*remarks, *self.reservations()) if text is not None]

    def reservations(self) -> Iterator[str]:
        """Yield what makes grades doubtful, as sentences: answers cut off or empty, scores off the scale."""
        if self.cut_off:
            yield answers_cut_off(self.cut_off)
        number = self.without_secret
        if number:
            repeat = "1 answer repeats" if number == 1 else f"{number:,} answers repeat"
            be = "is" if number == 1 else "are"
            yield (
                f"{repeat} what counts as a secret of this machine, such as the value of a variable with `KEY` "
                f"in its name, and {be} graded with `[redacted]` in its place."
            )
        number = self.empty_answers
        if number:
            answers = "1 answer is" if number == 1 else f"{number:,} answers are"
            yield f"{answers} empty: what must not be in an answer is not in {'it' if number == 1 else 'them'}."
        number = self.doubts["clamped_score"]
        if number:
            scores = "1 score was" if number == 1 else f"{number:,} scores were"
            be = "is" if number == 1 else "are"
            yield f"{scores} outside 0 to 1, and {be} recorded as the nearest bound."
        number = self.doubts["ambiguous_reply"]
        if number:
            replies = (
                "1 judge's reply contains" if number == 1 else f"{number:,} judges' replies contain"
            )
            yield f"{replies} different verdicts; the first one counts."

    def not_run(self, cases: Sequence[str], repeats: int = 1) -> tuple[str, ...]:
        """Return those of the cases that have fewer records than they should."""
        return tuple(case for case in cases if self._done[case] < repeats)

    def summary(self, cases: Sequence[str], repeats: int = 1) -> dict[str, Any]:
        """Return the summary of a run of these cases, as `protocol.Finished` has it."""
        summary: dict[str, Any] = {
            "verdicts": {verdict.value: self.verdicts[verdict] for verdict in Verdict},
            "statuses": {status.value: self.statuses[status] for status in Status},
            "mean_score": self.mean_score,
            "judge_parse_failures": self.judge_parse_failures,
            "judge_errors": self.judge_errors,
            "cut_off_answers": self.cut_off,
            "redacted_answers": self.without_secret,
            "clamped_scores": self.doubts["clamped_score"],
            "ambiguous_replies": self.doubts["ambiguous_reply"],
            "empty_answers": self.empty_answers,
            **self.usage.summary(),
            "targets": {name: it.summary() for name, it in self.targets.items()},
            "no_model": self.answerers.no_model,
            "remarks": self.remarks(),
            "sandbox": None if self.sandbox is None else self.sandbox.value,
            "not_run": list(self.not_run(cases, repeats)),
        }
        if self.repeated:
            summary["repeats"] = {case: it.summary() for case, it in self.repeated.items()}
        return summary


def answers_cut_off(number: int) -> str:
    """Return that so many answers of a run were cut off, as a sentence for users."""
    if number == 1:
        answers = "1 answer was cut off, and is graded without its end"
    else:
        answers = f"{number:,} answers were cut off, and are graded without their end"
    return f"{answers}; raise `max_output_tokens`, or the context of the server."
