"""How often each rule finds something, and in how many files."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.checking.findings import Report
from suitecase.cli.output.check.text import summary
from suitecase.cli.output.formatter import Document
from suitecase.rule import Rule, Severity


class SummaryFormatter(Document):
    """A table, and the line that `text` ends with."""

    def finish(self, report: Report, /) -> Iterator[str]:
        yield from table(report)
        if report.files:
            yield summary(report.files)


def table(report: Report) -> Iterator[str]:
    """Yield the table, the rules that find most first; nothing where nothing was found."""
    found: dict[tuple[Rule, Severity], list[int]] = {}
    for file in report.files:
        of_this: set[tuple[Rule, Severity]] = set()
        for it in file.findings:
            row = found.setdefault((it.rule, it.severity), [0, 0, 0])
            row[0] += 1
            row[2] += it.fix is not None
            of_this.add((it.rule, it.severity))
        for key in of_this:
            found[key][1] += 1
    if not found:
        return
    rows = [("findings", "files", "fixable", "severity", "code", "rule")]
    ranked = sorted(found.items(), key=lambda it: (-it[1][0], it[0][0].code, it[0][1]))
    for (rule, severity), (number, files, fixable) in ranked:
        counts = (f"{number:,}", f"{files:,}", f"{fixable:,}" if fixable else "")
        rows.append((*counts, severity.value, rule.code, rule.name))
    widths = [max(len(cells[column]) for cells in rows) for column in range(len(rows[0]))]
    for cells in rows:
        numbers = [cell.rjust(width) for cell, width in zip(cells[:3], widths[:3], strict=True)]
        words = [cell.ljust(width) for cell, width in zip(cells[3:], widths[3:], strict=True)]
        yield "  ".join((*numbers, *words)).rstrip()
    yield ""
