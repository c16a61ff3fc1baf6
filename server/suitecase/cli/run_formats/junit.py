"""A run as JUnit XML, for CI that shows tests: a suite is a suite, and each time a case is asked a test.

A case that failed or is borderline is a failure, one that could not be graded is an error, one that
had nothing to be graded by or was not run is skipped. What has no place in a suite, such as a
budget that was used up, is an error in a suite of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from suitecase.cli.formats.xml_text import attribute, content
from suitecase.cli.run_output import Document, RunEnd, SuiteRecords, echo
from suitecase_evaluators.score import Verdict

#: A test's element with its attributes, and the lines in it.
Test = tuple[str, list[str]]


class Shown(Document):
    """The XML, when everything is done."""

    def end(self, end: RunEnd) -> None:
        left_out: dict[str, list[str]] = {}
        for address in end.not_run:
            suite, _, case = address.rpartition("::")
            left_out.setdefault(suite or address, []).append(case if suite else "")
        for argument, _ in end.suites:
            self.of(argument)
        suites = [
            (it.suite.shown, _tests(it, left_out.get(it.suite.shown, [])))
            for it in self.suites.values()
        ]
        if self.problems:
            suites.append(("suitecase run", [_problem(it) for it in self.problems]))
        tests = [test for _, of_suite in suites for test in of_suite]
        for line in self.estimate_lines():
            self.say(line)  # a test has no place for what was not run
        echo('<?xml version="1.0" encoding="utf-8"?>')
        echo(
            f'<testsuites name="suitecase run" tests="{len(tests)}" '
            f'failures="{_number(tests, "failure")}" errors="{_number(tests, "error")}" '
            f'time="{end.seconds:.3f}">'
        )
        for name, of_suite in suites:
            for line in _suite(name, of_suite):
                echo(line)
        echo("</testsuites>")


def _number(tests: list[Test], kind: str) -> int:
    return sum(any(it.startswith(f"      <{kind}") for it in lines) for _, lines in tests)


def _suite(name: str, tests: list[Test]) -> Iterator[str]:
    yield (
        f'  <testsuite name={attribute(name)} tests="{len(tests)}" '
        f'failures="{_number(tests, "failure")}" errors="{_number(tests, "error")}" '
        f'skipped="{_number(tests, "skipped")}">'
    )
    for head, lines in tests:
        if lines:
            yield f"    <testcase {head} classname={attribute(name)}>"
            yield from lines
            yield "    </testcase>"
        else:
            yield f"    <testcase {head} classname={attribute(name)}/>"
    yield "  </testsuite>"


def _tests(suite: SuiteRecords, left_out: list[str]) -> list[Test]:
    tests = [_test(record, seconds) for record, seconds in suite.records]
    if suite.findings:
        said = "\n".join(
            f"{it['file']}:{it['line']}:{it['column']}: error[{it['code']}] {it['message']}"
            for it in suite.findings
        )
        message = attribute("the suite has errors, so it was not run")
        tests.append(
            (
                'name="check"',
                [f'      <error message={message} type="refused">', f"{content(said)}</error>"],
            )
        )
    else:
        tests += [
            (f"name={attribute(case or 'run')}", ['      <skipped message="not run"/>'])
            for case in left_out
        ]
    return tests


def _problem(message: str) -> Test:
    return ('name="run"', [f'      <error message={attribute(message)} type="environment"/>'])


def _test(record: Mapping[str, Any], seconds: float | None) -> Test:
    verdict = Verdict(record["verdict"])
    name = record["eval_id"]
    if record["repeats"] > 1:
        name += f" ({record['repeat']}/{record['repeats']})"
    head = f"name={attribute(name)}"
    if seconds is not None:
        head += f' time="{seconds:.3f}"'
    match verdict:
        case Verdict.PASS:
            return head, []
        case Verdict.NOT_EVALUATED:
            message = attribute(record["reasoning"] or "there is nothing to grade by")
            return head, [f"      <skipped message={message}/>"]
        case Verdict.ERROR:
            kind, message = "error", str(record["error"])
        case _:
            kind, message = "failure", f"{verdict.value}, score {record['score']:.2f}"
            if record["gate_failed"]:
                message += ", a required item is not met"
    return head, [
        f'      <{kind} message={attribute(message)} type="{verdict.value}">',
        f"{content(_described(record))}</{kind}>",
    ]


def _described(record: Mapping[str, Any]) -> str:
    parts = [f"target: {record['target']}"]
    parts += [f"missed: {it}" for it in record["misses"]]
    parts += [f"hit: {it}" for it in record["hits"]]
    parts += [it for it in (record["reasoning"], record["error"]) if it]
    if record["candidate_answer"] is not None:
        parts.append(f"answer:\n{record['candidate_answer']}")
    return "\n".join(parts)
