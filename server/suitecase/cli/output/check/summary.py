"""The number of findings and files for each rule."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.checking.findings import Report
from suitecase.cli.output.check.text import summary
from suitecase.cli.output.formatter import Document
from suitecase.format.rule import Rule, Severity
from suitecase.text.encoders.terminal import Line


class SummaryFormatter(Document):
    """A table, and the line that `text` ends with."""

    def finish(self, report: Report, /) -> Iterator[Line]:
        yield from table(report)
        if report.files:
            yield summary(report.files)


def table(report: Report) -> Iterator[Line]:
    """Yield the table, sorted by the number of findings; empty if there are none."""
    by_rule: dict[tuple[Rule, Severity], list[int]] = {}
    for file in report.files:
        of_this: set[tuple[Rule, Severity]] = set()
        for item in file.findings:
            row = by_rule.setdefault((item.rule, item.severity), [0, 0, 0])
            row[0] += 1
            row[2] += item.fix is not None
            of_this.add((item.rule, item.severity))
        for key in of_this:
            by_rule[key][1] += 1
    if not by_rule:
        return
    rows = [("findings", "files", "fixable", "severity", "code", "rule")]
    ranked = sorted(by_rule.items(), key=lambda item: (-item[1][0], item[0][0].code, item[0][1]))
    for (rule, severity), (number, files, fixable) in ranked:
        counts = (f"{number:,}", f"{files:,}", f"{fixable:,}" if fixable else "")
        rows.append((*counts, severity.value, rule.code, rule.name))
    widths = [max(len(cells[column]) for cells in rows) for column in range(len(rows[0]))]
    for cells in rows:
        numbers = [cell.rjust(width) for cell, width in zip(cells[:3], widths[:3], strict=True)]
        words = [cell.ljust(width) for cell, width in zip(cells[3:], widths[3:], strict=True)]
        yield "  ".join((*numbers, *words)).rstrip()
    yield ""
