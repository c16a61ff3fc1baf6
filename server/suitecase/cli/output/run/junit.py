"""A run as JUnit XML, for CI that shows tests: a suite is a suite, and each time a case is asked a test.

A case that failed or is borderline is a failure, one that could not be graded is an error, one that
had nothing to be graded by, or was not run since it has errors, is skipped. Where the gates of a suite
decide, they are tests of a suite of their own, and cases that did not pass are skipped. Where no model was called,
or some of a suite's answers are not from a model, its `system-out` says so, and its properties who
answered and judged. What has no place in a suite, such as a
budget that was used up, is an error in a suite of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.output.formatter import Aside, Document
from suitecase.cli.output.run.facts import decision_text, estimate_lines
from suitecase.cli.output.xml_text import attribute, content
from suitecase.cli.running.run_report import RunReport, SuiteGates, SuiteRecords
from suitecase.figures.decision import Outcome
from suitecase.figures.gate_words import value_of
from suitecase.run.protocol import CaseNotRun
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.records.tally import Tally
from suitecase_evaluators.score import Verdict, shown_score

#: A test's element with its attributes, and the lines in it.
Test = tuple[str, list[str]]


class JUnitFormatter(Document):
    """The XML, when everything is done."""

    def finish(self, run: RunReport, /) -> Iterator[str]:
        left_out: dict[str, list[str]] = {}
        for address in run.not_run:
            suite, _, case = address.rpartition("::")
            left_out.setdefault(suite or address, []).append(case if suite else "")
        for argument, _ in run.tallies:
            run.of(argument)
        tallies = {argument.path: tally for argument, tally in run.tallies}
        suites = [
            (
                suite_report.suite.shown,
                _tests(
                    suite_report,
                    left_out.get(suite_report.suite.shown, []),
                    by_gates=run.ended_by_gates(suite_report.suite),
                ),
                tallies.get(path) or Tally(),
            )
            for path, suite_report in run.suites.items()
        ]
        suites += [
            (f"{gates.suite.shown} gates", list(_gates(gates)), Tally()) for gates in run.gates
        ]
        if run.general_problems:
            problems = [_problem(suite_report) for suite_report in run.general_problems]
            suites.append(("suitecase run", problems, Tally()))
        tests = [test for _, of_suite, _ in suites for test in of_suite]
        for estimate in run.estimates:
            # A test has no place for what was not run.
            yield from map(Aside, estimate_lines(estimate))
        yield '<?xml version="1.0" encoding="utf-8"?>'
        yield (
            f'<testsuites name="suitecase run" tests="{len(tests)}" '
            f'failures="{_number(tests, "failure")}" errors="{_number(tests, "error")}" '
            f'time="{run.seconds:.3f}">'
        )
        for name, of_suite, tally in suites:
            yield from _suite(name, of_suite, tally)
        yield "</testsuites>"


def _number(tests: list[Test], kind: str) -> int:
    return sum(any(it.startswith(f"      <{kind}") for it in lines) for _, lines in tests)


def _suite(name: str, tests: list[Test], tally: Tally) -> Iterator[str]:
    yield (
        f'  <testsuite name={attribute(name)} tests="{len(tests)}" '
        f'failures="{_number(tests, "failure")}" errors="{_number(tests, "error")}" '
        f'skipped="{_number(tests, "skipped")}">'
    )
    answerers = tally.answerers
    attributes = {
        "answered_by": sorted({kind for _, kind in answerers.answers}),
        "judged_by": sorted(answerers.judges),
    }
    if any(attributes.values()):
        yield "    <properties>"
        for key, kinds in attributes.items():
            if kinds:
                yield f"      <property name={attribute(key)} value={attribute(', '.join(kinds))}/>"
        yield "    </properties>"
    for head, lines in tests:
        if lines:
            yield f"    <testcase {head} classname={attribute(name)}>"
            yield from lines
            yield "    </testcase>"
        else:
            yield f"    <testcase {head} classname={attribute(name)}/>"
    if remarks := tally.remarks():
        yield f"    <system-out>{content(chr(10).join(remarks))}</system-out>"
    yield "  </testsuite>"


def _gates(gates: SuiteGates) -> Iterator[Test]:
    """Yield a test for each gate: one that fails is a failure, one that is undecided an error."""
    if gates.not_decided:
        message = attribute(f"not decided: {gates.not_decided}")
        yield 'name="gates"', [f"      <skipped message={message}/>"]
    several = len({it.target for it in gates.decisions}) > 1
    for it in gates.decisions:
        head = f"name={attribute(f'{it.gate} ({it.target})' if several else it.gate)}"
        text = decision_text(it)
        if it.outcome is Outcome.HOLDS:
            yield head, [f"      <system-out>{content(text)}</system-out>"]
        elif it.warns:
            yield head, [f"      <skipped message={attribute(f'{it.outcome} (warning): {text}')}/>"]
        else:
            kind = "failure" if it.outcome is Outcome.FAILS else "error"
            message = f"{it.outcome}: {value_of(it)}"
            yield (
                head,
                [
                    f'      <{kind} message={attribute(message)} type="{it.outcome}">',
                    f"{content(text)}</{kind}>",
                ],
            )


def _tests(suite: SuiteRecords, left_out: list[str], *, by_gates: bool) -> list[Test]:
    tests = [_test(finding.record, finding.seconds, by_gates=by_gates) for finding in suite.cases]
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


def _test(record: ResultRecord, seconds: float | None, *, by_gates: bool) -> Test:
    verdict = record.verdict
    name = record.eval_id
    if record.repeats > 1:
        name += f" ({record.repeat}/{record.repeats})"
    head = f"name={attribute(name)}"
    if seconds is not None:
        head += f' time="{seconds:.3f}"'
    match verdict:
        case Verdict.PASS:
            return head, []
        case Verdict.NOT_EVALUATED:
            message = attribute(record.reasoning or "there is nothing to grade by")
            return head, [f"      <skipped message={message}/>"]
        case Verdict.ERROR:
            kind, message = "error", str(record.error)
        case _:
            kind, message = "failure", f"{verdict.value}, score {shown_score(record.score or 0.0)}"
            if record.gate_failed:
                message += ", a required item is not met"
    if by_gates:
        # The run may pass all the same, and CI services fail for a failure or an error.
        return head, [
            f"      <skipped message={attribute(f'{message}; the gates decide')}/>",
            f"      <system-out>{content(_described(record))}</system-out>",
        ]
    return head, [
        f'      <{kind} message={attribute(message)} type="{verdict.value}">',
        f"{content(_described(record))}</{kind}>",
    ]


def _described(record: ResultRecord) -> str:
    parts = [f"target: {record.target}"]
    parts += [f"missed: {it}" for it in record.misses]
    parts += [f"hit: {it}" for it in record.hits]
    parts += [it for it in (record.reasoning, record.error) if it]
    if record.candidate_answer is not None:
        parts.append(f"answer:\n{record.candidate_answer}")
    return "\n".join(parts)
