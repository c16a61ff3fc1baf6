"""What gates add to the time of a check and of a keystroke: `python benchmarks/gates.py`.

A suite of 1,000 cases with and without 12 gates, slices, facets and metrics, in this process and in
turn, so that a busy machine affects both alike. A keystroke changes a word in one case.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

from suites import CASE, HEAD

from suitecase.checking.check import check
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase.text.lines import Lines, cut

GATES = """\
slices:
  critical: {tags: critical}
  everyday: {tags: [routine, slow]}
  numbered: {id: "case-1*"}
  red-team: {tags: red-team, safety: true}
  language: {by: metadata.language}
metrics:
  quality: 0.6 * rubric + 0.4 * pass_rate
  speed: latency_ms
gates:
  - pass_rate >= 85%
  - lower(pass_rate[critical]) >= 80%
  - quality >= 80%
  - quality[numbered] >= 70%
  - rubric.clarity >= 80%
  - rubric.depth[everyday] >= 60%
  - violation_rate[red-team] <= 0%
  - upper(violation_rate[red-team]) <= 8%
  - refusal_rate[everyday] <= 5%
  - gap(pass_rate by language) <= 10%
  - pass_rate[language=de] >= 50%
  - {gate: speed <= 4000, level: warning}
"""
LABELS = """\
    tags: [{tag}, slow]
    metadata: {{language: {language}, customer: c-{n}}}
"""
TAGS = ("critical", "routine", "red-team")


def suite(cases: int, *, gates: bool) -> str:
    """Return the text of a suite, whose cases have tags and metadata either way."""
    listed = (
        CASE.format(n=n).rstrip("\n")
        + "\n"
        + LABELS.format(tag=TAGS[n % 3], language=("de", "en", "fr")[n % 7 % 3], n=n)
        for n in range(cases)
    )
    return (GATES if gates else "") + HEAD + "".join(listed)


def checked(parsed: ParsedSuite, folder: Folder) -> None:
    """Check a suite, which has to be clean."""
    found = check(parsed, folder).findings
    assert not found, found[:3]


def check_seconds(text: str, folder: Folder) -> float:
    """Return the processor time of parsing and checking a suite."""
    gc.collect()
    start = process_time()
    checked(parse_suite(text), folder)
    return process_time() - start


class Typing:
    """A suite in which a word of a case in the middle is changed again and again."""

    def __init__(self, text: str, folder: Folder, cases: int) -> None:
        self._folder = folder
        word = f"topic {cases // 2}, and"
        self._at, self._now = text.index(word), word
        self._lines = Lines(text, cut(text))
        self._parsed, self._count = parse_suite(self._lines), 0
        checked(self._parsed, folder)

    def keystroke_seconds(self) -> float:
        """Return the processor time of parsing and checking after a change."""
        self._count += 1
        new = f"topic {self._count}, and"
        start = process_time()
        self._lines = self._lines.replaced(self._at, self._at + len(self._now), new)
        self._parsed, self._now = parse_suite(self._lines, reuse=self._parsed), new
        checked(self._parsed, self._folder)
        return process_time() - start


def row(what: str, without: list[float], with_gates: list[float]) -> None:
    """Print the medians of both, and the median of their ratios."""
    ratio = median(b / a for a, b in zip(without, with_gates, strict=True))
    print(
        f"| {what} | {median(without) * 1000:.2f} | {median(with_gates) * 1000:.2f} | {ratio:.3f} |"
    )


def in_turn(
    first: Callable[[], float], second: Callable[[], float], runs: int
) -> tuple[list[float], list[float]]:
    """Return the seconds of two things that are measured in turn."""
    found = [(first(), second()) for _ in range(runs)]
    return [it[0] for it in found], [it[1] for it in found]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=7, help="checks of the whole suite")
    parser.add_argument("--keystrokes", type=int, default=200)
    arguments = parser.parse_args()
    folder = Folder(Workspace(Path.cwd()), Path.cwd())
    plain, gated = (suite(arguments.cases, gates=it) for it in (False, True))
    print("| processor time, ms | without gates | with 12 gates | x |")
    print("|---|---|---|---|")
    checks = in_turn(
        lambda: check_seconds(plain, folder),
        lambda: check_seconds(gated, folder),
        arguments.runs,
    )
    row(f"check of {arguments.cases:,} cases", *checks)
    typing = [Typing(it, folder, arguments.cases) for it in (plain, gated)]
    keystrokes = in_turn(
        typing[0].keystroke_seconds, typing[1].keystroke_seconds, arguments.keystrokes
    )
    row("keystroke in a case", *keystrokes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
