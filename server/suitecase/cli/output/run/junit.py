"""A run as JUnit XML, for CI that shows tests: a suite is a suite, and each time a case is asked a test.

Of a suite that is run with several targets, each target is a suite, with its figures as properties.

A case that failed or is borderline is a failure, one that could not be graded, by a failure of its judge or
otherwise, is an error, one that was rehearsed, had nothing to be graded by, or was not run since it has errors, is
skipped. Where the gates of a suite
decide, they are tests of a suite of their own, and cases that did not pass are skipped. Where no model was called,
or some of a suite's answers are not from a model, its `system-out` says so, and its properties who
answered and judged; the name of a suite without a model says so, too. What has no place in a suite, such as a
budget that was used up, is an error in a suite of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from suitecase.cli.output.formatter import Aside, Document
from suitecase.cli.output.run.facts import decision_text, estimate_lines
from suitecase.cli.running.case_spool import SpooledCases
from suitecase.cli.running.run_report import RunReport, SuiteGates, SuiteRecords
from suitecase.cli.running.target_comparison import TargetRow
from suitecase.figures.decision import Outcome
from suitecase.figures.gate_words import value_of
from suitecase.run.protocol import CaseNotRun
from suitecase.text.encoders.xml_text import attribute, content
from suitecase_evaluators.answers.records.doubts import doubts_in
from suitecase_evaluators.answers.records.judgements import judge_troubles
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.answers.records.tally import Tally
from suitecase_evaluators.answers.score import shown_score

#: A test's element with its attributes, and the lines in it.
Test = tuple[str, list[str]]


class JUnitFormatter(Document):
    """The XML, when everything is done."""

    def finish(self, run: RunReport, /) -> Iterator[str]:
        left_out: dict[str, list[str]] = {}
        for it in run.not_run:
            if it.case is not None or it.line is None:
                left_out.setdefault(it.suite.label, []).append(it.case or "")
        for argument, _ in run.tallies:
            run.of(argument)
        tallies = {argument.label: tally for argument, tally in run.tallies}
        rows = {row.suite.label: row for comparison in run.comparisons for row in comparison.rows}
        suites = [
            TestSuite(
                suite_report.suite.label,
                _others(suite_report, left_out.get(suite_report.suite.label, [])),
                tallies.get(suite_report.suite.label) or Tally(),
                suite_report.cases,
                by_gates=run.ended_by_gates(suite_report.suite),
            )
            for suite_report in run.suites.values()
        ]
        suites += [TestSuite(f"{gates.suite.label} gates", [*_gates(gates)]) for gates in run.gates]
        if run.general_problems:
            problems = [_problem(suite_report) for suite_report in run.general_problems]
            suites.append(TestSuite("suitecase run", problems))
        for estimate in run.estimates:
            # A test has no place for what was not run.
            yield from map(Aside, estimate_lines(estimate))
        yield '<?xml version="1.0" encoding="utf-8"?>'
        yield (
            f'<testsuites name="suitecase run" tests="{sum(len(it) for it in suites)}" '
            f'failures="{sum(it.number("failure") for it in suites)}" '
            f'errors="{sum(it.number("error") for it in suites)}" '
            f'time="{run.seconds:.3f}">'
        )
        for suite in suites:
            yield from _suite(suite, rows.get(suite.name))
        yield "</testsuites>"


@dataclass(frozen=True, slots=True)
class TestSuite:
    """The tests of a suite: one for each case, which are read one by one, and others.

    Attributes:
        others: those that are not of graded cases.
        by_gates: its gates decide, so that cases that did not pass are skipped.
    """

    name: str
    others: list[Test]
    tally: Tally = field(default_factory=Tally)
    cases: SpooledCases | None = None
    by_gates: bool = False

    def __len__(self) -> int:
        return len(self.others) + len(self.cases or ())

    def __iter__(self) -> Iterator[Test]:
        for case in self.cases or ():
            yield _test(case.record, case.seconds, by_gates=self.by_gates)
        yield from self.others

    def number(self, kind: str) -> int:
        """Return how many tests are a `failure`, an `error` or `skipped`."""
        statuses = self.cases.statuses if self.cases is not None else Counter[Status]()
        found = sum(any(it.startswith(f"      <{kind}") for it in own) for _, own in self.others)
        return found + sum(
            number
            for status, number in statuses.items()
            if _kind_of(status, by_gates=self.by_gates) == kind
        )


def _suite(suite: TestSuite, row: TargetRow | None) -> Iterator[str]:
    name, tally = suite.name, suite.tally
    answerers = tally.answerers
    # Most viewers show the name, and few of them the rest.
    shown = f"{name} (no model was called)" if answerers.no_model else name
    yield (
        f'  <testsuite name={attribute(shown)} tests="{len(suite)}" '
        f'failures="{suite.number("failure")}" errors="{suite.number("error")}" '
        f'skipped="{suite.number("skipped")}">'
    )
    attributes = {
        "answered_by": ", ".join(sorted({kind for _, kind in answerers.answers})),
        "judged_by": ", ".join(sorted(answerers.judges)),
        "no_model": "true" if answerers.no_model else "",
        **(_of_target(row) if row is not None else {}),
    }
    if any(attributes.values()):
        yield "    <properties>"
        for key, value in attributes.items():
            if value:
                yield f"      <property name={attribute(key)} value={attribute(value)}/>"
        yield "    </properties>"
    for head, lines in suite:
        if lines:
            yield f"    <testcase {head} classname={attribute(name)}>"
            yield from lines
            yield "    </testcase>"
        else:
            yield f"    <testcase {head} classname={attribute(name)}/>"
    if remarks := tally.remarks():
        yield f"    <system-out>{content(chr(10).join(remarks))}</system-out>"
    yield "  </testsuite>"


def _of_target(row: TargetRow) -> dict[str, str]:
    """Return the figures of one of several targets; empty where they are not known."""
    answers, mean = row.figures.answers, row.tally.mean_score
    numbers = {
        "mean_score": mean,
        "cost_usd": answers.cost_usd,
        "latency_median_seconds": answers.median,
        "latency_p95_seconds": answers.p95,
        "tokens": row.figures.tokens,
    }
    texts = {name: "" if it is None else f"{it:.6g}" for name, it in numbers.items()}
    return {"target": row.target, "models": ", ".join(row.models), **texts}


def _gates(gates: SuiteGates) -> Iterator[Test]:
    """Yield a test for each gate: one that fails is a failure, one that is undecided an error."""
    if gates.not_decided:
        message = attribute(f"not decided: {gates.not_decided}")
        yield 'name="gates"', [f"      <skipped message={message}/>"]
    several = len({it.target for it in gates.decisions}) > 1
    for decision in gates.decisions:
        name = f"{decision.gate} ({decision.target})" if several else decision.gate
        head = f"name={attribute(name)}"
        text = decision_text(decision)
        if decision.outcome is Outcome.HOLDS:
            yield head, [f"      <system-out>{content(text)}</system-out>"]
        elif decision.outcome is Outcome.REHEARSED:
            yield head, [f"      <skipped message={attribute(f'rehearsed: {text}')}/>"]
        elif decision.warns:
            message = attribute(f"{decision.outcome} (warning): {text}")
            yield head, [f"      <skipped message={message}/>"]
        else:
            kind = "failure" if decision.outcome is Outcome.FAILS else "error"
            message = f"{decision.outcome}: {value_of(decision)}"
            yield (
                head,
                [
                    f'      <{kind} message={attribute(message)} type="{decision.outcome}">',
                    f"{content(text)}</{kind}>",
                ],
            )


def _others(suite: SuiteRecords, left_out: list[str]) -> list[Test]:
    """Return the tests of what was not graded."""
    tests: list[Test] = []
    if suite.findings:
        output = "\n".join(
            f"{finding['file']}:{finding['line']}:{finding['column']}: error[{finding['code']}] {finding['message']}"
            for finding in suite.findings
        )
        message = attribute("the suite has errors, so it was not run")
        tests.append(
            (
                'name="check"',
                [f'      <error message={message} type="refused">', f"{content(output)}</error>"],
            )
        )
    else:
        why = {finding.case or f"line {finding.line}": _why(finding) for finding in suite.left_out}
        tests += [
            (f"name={attribute(name)}", [f"      <skipped message={attribute(reason)}/>"])
            for name, reason in why.items()
        ]
        tests += [
            (f"name={attribute(case or 'run')}", ['      <skipped message="not run"/>'])
            for case in left_out
            if case not in why
        ]
    return tests


def _why(case: CaseNotRun) -> str:
    errors = (
        f"{finding['file']}:{finding['line']}:{finding['column']}: error[{finding['code']}] {finding['message']}"
        for finding in case.findings
    )
    return f"not run: {'; '.join(errors) or case.message}"


def _problem(message: str) -> Test:
    return ('name="run"', [f'      <error message={attribute(message)} type="environment"/>'])


def _kind_of(status: Status, *, by_gates: bool) -> str:
    """Return what the test of a case is; empty if it passed."""
    match status:
        case Status.PASS:
            return ""
        case Status.NOT_EVALUATED | Status.REHEARSED:
            return "skipped"
        case Status.ERROR | Status.JUDGE_FAILED:
            return "skipped" if by_gates else "error"
        case _:
            return "skipped" if by_gates else "failure"


def _test(record: ResultRecord, seconds: float | None, *, by_gates: bool) -> Test:
    status = record.status
    name = record.eval_id
    if record.repeats > 1:
        name += f" ({record.repeat}/{record.repeats})"
    head = f"name={attribute(name)}"
    if seconds is not None:
        head += f' time="{seconds:.3f}"'
    score = shown_score(record.score or 0.0)
    match status:
        case Status.PASS if record.cut_off:
            return head, [f"      <system-out>{content(record.cut_off)}</system-out>"]
        case Status.PASS:
            return head, []
        case Status.REHEARSED:
            message = f"rehearsed ({record.stood_in}), score {score}"
            return head, [f"      <skipped message={attribute(message)}/>"]
        case Status.NOT_EVALUATED:
            message = attribute(record.reasoning or "there is nothing to grade by")
            return head, [f"      <skipped message={message}/>"]
        case Status.ERROR:
            message = str(record.error)
        case Status.JUDGE_FAILED:
            message = f"judge failed: {'; '.join(judge_troubles(record)) or record.reasoning}"
        case _:
            message = f"{status.word}, score {score}"
            if record.gate_failed:
                message += ", a required item is not met"
            if record.cut_off:
                message += f", {record.cut_off}"
            if record.rehearsed:
                message += f" ({record.stood_in})"
    kind = _kind_of(status, by_gates=by_gates)
    if by_gates:
        # The run may pass all the same, and CI services fail for a failure or an error.
        return head, [
            f"      <skipped message={attribute(f'{message}; the gates decide')}/>",
            f"      <system-out>{content(_described(record))}</system-out>",
        ]
    return head, [
        f'      <{kind} message={attribute(message)} type="{status.value}">',
        f"{content(_described(record))}</{kind}>",
    ]


def _described(record: ResultRecord) -> str:
    parts = [f"target: {record.target}", *filter(None, [record.cut_off])]
    parts += [f"missed: {miss}" for miss in record.misses]
    parts += [f"hit: {hit}" for hit in record.hits]
    parts += [doubt.told for doubt in doubts_in(record)]
    parts += [it for it in (record.reasoning, record.error) if it]
    if record.candidate_answer is not None:
        parts.append(f"answer:\n{record.candidate_answer}")
    return "\n".join(parts)
