"""The facts about a run for users: verdicts, scores, judges, tokens, cost, time; calls of dry runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from suitecase.cli.running.model_use import ModelUse
from suitecase.cli.running.run_report import RunReport, SuiteEstimate
from suitecase.figures.statistics.binomial import proportion_interval
from suitecase.figures.statistics.interval import Interval
from suitecase.text.plural import counted, dollars
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.answers.records.tally import Tally, Usage
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.answers.score import shown_score

if TYPE_CHECKING:
    from suitecase.figures.decision import Decision

#: The fact that says what each of several suites came to.
SUITES = "Suites"
#: Of more suites, those in which nothing failed are counted.
MOST_SUITES = 10
#: The fact that says what each of several targets came to.
TARGETS = "Targets"
#: A fact and what there is to say of it, line by line.
Fact = tuple[str, list[str]]


def facts_of(run: RunReport) -> list[Fact]:
    """Return the known facts of a run other than its verdicts."""
    usage, spending = run.total.usage, run.spending
    facts: list[Fact] = [
        (SUITES, list(_suites(run))),
        (TARGETS, [] if len(run.comparisons) == 1 else list(_targets(run.total))),
        ("Scores", list(_scores(run.total))),
        ("Judges", list(_judges(run.total))),
        ("Tokens", list(_tokens(usage))),
        ("Models", list(_models(run.models))),
        ("Cost", list(_cost(usage, spending))),
        ("Cache", list(_cache(spending))),
        ("Programs", list(_programs(run.total))),
        ("Time", list(_time(usage, run.seconds))),
    ]
    return [(name, lines) for name, lines in facts if lines]


def duration(seconds: float) -> str:
    """Return a duration as text."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def _suites(run: RunReport) -> Iterator[str]:
    # A table has what several targets came to.
    if len({suite.path for suite, _ in run.tallies}) < 2:
        return
    compared = {comparison.suite.path for comparison in run.comparisons}
    tallies = {
        suite.path: (suite, tally) for suite, tally in run.tallies if suite.path not in compared
    }.values()
    whole = [it for it in tallies if it[1].verdicts and not it[1].failing]
    folded = len(tallies) > MOST_SUITES and len(whole) > 1
    for suite, tally in tallies:
        if tally.verdicts and not (folded and not tally.failing):
            mean = "" if tally.mean_score is None else f"; mean {shown_score(tally.mean_score)}"
            yield f"{suite.shown}: {_statuses(tally.statuses)}{mean}"
        elif not tally.verdicts and (findings := run.of(suite).findings):
            yield f"{suite.shown}: not run, {counted(len(findings), 'error')}"
    if folded:
        cases = sum(tally.records for _, tally in whole)
        yield f"{len(whole):,} suites without a failure, {counted(cases, 'result')}"


def _targets(total: Tally) -> Iterator[str]:
    """Yield the results of each target, if there are several: their scores have no common mean."""
    if not total.several_targets:
        return
    for name, tally in total.targets.items():
        mean = tally.mean_score
        mean_text = "" if mean is None else f"; mean {shown_score(mean)} of {tally.graded:,}"
        yield f"{name}: {_statuses(tally.statuses)}{mean_text}"


def _statuses(statuses: Counter[Status]) -> str:
    return ", ".join(
        f"{statuses[status]:,} {status.word}" for status in sorted(statuses) if statuses[status]
    )


def _scores(total: Tally) -> Iterator[str]:
    lowest, highest, mean = total.lowest, total.highest, total.mean_score
    if total.graded < 2 or lowest is None or highest is None:
        return
    of = "" if mean is None else f", mean {shown_score(mean)}"
    yield f"from {shown_score(lowest)} to {shown_score(highest)}{of} of {total.graded:,}"
    interval = _pass_rate_interval(total)
    if interval is not None:
        rate = total.statuses[Status.PASS] / total.graded
        yield f"pass rate {rate:.0%}, 95% interval {interval.low:.0%} to {interval.high:.0%}"


def _pass_rate_interval(total: Tally) -> Interval | None:
    """Return the interval of the pass rate; None where answers are missing or go together.

    A rehearsal has no rate at which a model passes.
    """
    statuses = total.statuses
    missing = statuses[Status.ERROR] or statuses[Status.JUDGE_FAILED] or total.parse_failures
    if not total.independent or missing or statuses[Status.REHEARSED]:
        return None
    if total.several_targets:
        return None
    found = proportion_interval(statuses[Status.PASS], total.graded)
    return found if isinstance(found, Interval) else None


def _judges(total: Tally) -> Iterator[str]:
    failures, judged = total.judge_parse_failures, total.usage.judged
    partly = total.judges_read_partly
    if total.judge_errors:
        yield f"{total.judge_errors:,} of {judged:,} could not be called, which gives no score"
    if failures > partly:
        unread = failures - partly
        yield f"{unread:,} of {judged:,} gave no verdict that could be read, which grades nothing"
    if partly:
        yield f"{partly:,} of {judged:,} left rubric items out, so their answers count as not graded"


def _tokens(usage: Usage) -> Iterator[str]:
    for who, input_tokens, output_tokens in (
        ("answers", usage.answer_input, usage.answer_output),
        ("judges", usage.judge_input, usage.judge_output),
    ):
        if input_tokens is not None or output_tokens is not None:
            yield f"{who}: {input_tokens or 0:,} read, {output_tokens or 0:,} written"


def _models(models: Mapping[str, ModelUse]) -> Iterator[str]:
    """Yield what each model did, what that cost and how long its answers took."""
    for name, use in models.items():
        parts = [counted(use.answers, "answer")] if use.answers else []
        if use.judgements:
            parts.append(counted(use.judgements, "judgement"))
        parts.append(use_cost_text(use))
        if use.median is not None and use.p95 is not None:
            parts.append(f"median {duration(use.median)}, p95 {duration(use.p95)}")
        yield f"{name}: {', '.join(parts)}"


def use_cost_text(use: ModelUse) -> str:
    """Return a cost, as far as it is known."""
    if not use.unpriced:
        return dollars(use.usd)
    return f"{dollars(use.usd)} and more, not all is known" if use.usd else "cost unknown"


def known_cost(spending: Mapping[str, Any]) -> float | None:
    """Return what is known of the cost of the calls of a run, in US dollars; None if nothing is."""
    known: float = spending.get("cost_usd") or 0.0
    return None if spending.get("unpriced") and not known else known


def _cost(usage: Usage, spending: Mapping[str, Any]) -> Iterator[str]:
    unpriced = spending.get("unpriced", usage.unpriced)
    total = spending.get("cost_usd") or usage.known_usd
    if not total:
        if unpriced:
            yield f"unknown, for want of a price or of tokens ({counted(unpriced, 'question')})"
        return
    parts = [
        f"{who} {dollars(usd)}"
        for who, usd in (("answers", usage.answer_usd), ("judges", usage.judge_usd))
        if usd is not None
    ]
    more = f", without {unpriced:,} whose cost is unknown" if unpriced else ""
    yield f"the questions cost {dollars(total)}{more}"
    if len(parts) > 1:
        yield ", ".join(parts)


def _cache(spending: Mapping[str, Any]) -> Iterator[str]:
    if spending.get("cached"):
        calls, cached = spending["asked"], spending["cached"]
        yield f"{cached:,} of {calls + cached:,} answers came from the cache"


def _programs(total: Tally) -> Iterator[str]:
    """Yield the sandbox levels of programs, unless all were fully isolated."""
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


def status_counts(total: Tally) -> list[tuple[Status, str]]:
    """Return how many cases have each status, as people say it; those of none are left out."""
    return [
        (status, status.counted(total.statuses[status]))
        for status in Status
        if total.statuses[status]
    ]


def estimate_lines(of_suite: SuiteEstimate) -> Iterator[str]:
    """Yield the lines of the estimate of a suite's run."""
    display_path, estimate = of_suite.suite.shown, of_suite.estimate
    if estimate["choice"]:
        yield estimate["choice"]
    yield from estimate["notes"]
    times = f", each {estimate['repeats']} times" if estimate["repeats"] > 1 else ""
    kept_text = f"; {estimate['kept']:,} of the records are there" if estimate["kept"] else ""
    yield f"{display_path}: {counted(estimate['cases'], 'case')}{times}{kept_text}"
    kinds = ", ".join(
        f"{question['type']} ({question['cases']:,})" for question in estimate["evaluators"]
    )
    yield f"    graded by (cases): {kinds or 'nothing'}"
    for question in estimate["questions"]:
        yield f"    {question_text(question)}"
    for entry in estimate["variables"]:
        yield f"    {_sent_text(entry)}"
    if not estimate["questions"]:
        yield "    nothing would be asked"
    if any(
        question["purpose"] == "judging" and question["asks"] is not None
        for question in estimate["questions"]
    ):
        yield "    What judges are sent depends on the answers, so its tokens and cost are not known."
    yield "Nothing was asked."


def _sent_text(entry: Mapping[str, Any]) -> str:
    """Return which variables of the environment a target gets; their values are not shown."""
    names = ", ".join(f"`{variable}`" for variable in entry["variables"])
    host = f", {entry['address']}" if entry["address"] else ""
    who = f"`{entry['target']}` ({entry['provider']}{host})"
    if not entry["whole_environment"]:
        return f"sends {names} of the environment to {who}"
    also = f"; {names} also with what it is asked" if names else ""
    return f"gives the whole environment to the program of {who}, which has the network{also}"


def question_text(question: Mapping[str, Any]) -> str:
    """Return what would be asked of a target, how often, and what is known of its cost."""
    return f"{_who(question)}: {_how_often(question)}{_how_much(question)}"


def _who(questions: Mapping[str, Any]) -> str:
    who = questions["provider"]
    if questions["model"]:
        who += f", {questions['model']}"
    verb = "asks" if questions["purpose"] == "answer" else "asks to judge"
    return f"{verb} `{questions['target']}` ({who})"


def _how_often(questions: Mapping[str, Any]) -> str:
    least, most = questions["least"], questions["most"]
    if least == most:
        return counted(least, "question")
    retried = ", replies that cannot be read included" if least else ""
    return f"{least:,} to {most:,} questions{retried}"


def _how_much(questions: Mapping[str, Any]) -> str:
    unpriced = "; no price is known, so --budget-usd would be refused"
    end = unpriced if questions["priced"] is False else ""
    if questions["tokens"] is None or questions["asks"] is None:
        return end
    text = f", about {questions['tokens']:,} tokens sent (estimate: characters / 4)"
    if questions["input_cost_usd"] is not None:
        text += (
            f", about {dollars(questions['input_cost_usd'])} for what is sent; answers come on top"
        )
    return text + end


def gates_lines(run: RunReport) -> Iterator[str]:
    """Yield a line for each gate, for formats without a place for them, or why none is decided."""
    from suitecase.figures.gate_words import label_of

    for gates in run.gates:
        for decision in gates.decisions:
            yield f"{label_of(decision)}: {decision.gate}: {decision_text(decision)}"
        if gates.not_decided:
            yield f"{gates.suite.shown}: gates are not decided: {gates.not_decided}"


def decision_text(decision: Decision) -> str:
    """Return what was measured for a gate, and why it is decided as it is, in a line."""
    from suitecase.figures.gate_words import explanation, value_of

    return "; ".join([value_of(decision), *explanation(decision)])
