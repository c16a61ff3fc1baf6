"""What a calibrated judge adds to the time of a check and of a keystroke: `python benchmarks/judges.py`.

The same suite is checked with and without its calibration, labels and the judge's protocol, in turn. A
keystroke changes a word of the input of a case in the middle; each has a workspace of its own, as in an editor.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
from pathlib import Path
from statistics import median
from time import process_time

from suitecase.checking.check import check
from suitecase.evidence.calibration_file import CalibratedAnswer, Calibration
from suitecase.evidence.calibration_writing import calibration_text
from suitecase.evidence.labels.digests import answer_digest, wording_digest
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase.text.lines import Lines, cut
from suitecase_evaluators.answers.rubric import Rubric

NAME = "s.eval.yaml"
ITEM = "Says when the refund comes"
PROTOCOL = """\
judges:
  rubric: {model: gpt-4.1-2025-04-14, calibration: rubric.calibration.json}
human:
  rubric: {labels: [rubric.csv]}
gates: [human.rubric.alpha >= 0.667]
"""


def suite(cases: int, *, calibrated: bool) -> str:
    """Return a suite whose cases are graded by rubrics."""
    listed = "".join(
        f"  - id: case-{n}\n    input: Where is my refund {n}, please?\n    expected_outcome: {ITEM}\n"
        f"    rubrics: [{{id: when, expected_outcome: {ITEM}}}]\n"
        for n in range(cases)
    )
    return f"execution: {{target: mock}}\n{PROTOCOL if calibrated else ''}evalcases:\n{listed}"


def write_files(folder: Path, answers: int) -> None:
    """Write the labels of two people and a calibration."""
    wording = {"when": wording_digest(Rubric(id="when", expected_outcome=ITEM))}
    good = {n: n % 4 > 0 for n in range(answers)}
    digests = {n: answer_digest(str(n)) for n in good}
    rows = [
        f"case-{n},{digests[n]},when,{rater},{str(it).lower()}"
        for n, it in good.items()
        for rater in ("ann", "ben")
    ]
    text = "\n".join(["case,answer,item,rater,value", *rows, ""])
    (folder / "rubric.csv").write_text(text, "utf-8")
    calibration = Calibration(
        judge="rubric",
        at="2026-02-03T10:12:00Z",
        judge_hash="",
        judge_parts={"model": "gpt-4.1-2025-04-14"},
        answers=tuple(
            CalibratedAnswer(
                case=f"case-{n}",
                answer=digests[n],
                people={"when": it},
                judge={"when": it},
                people_pass=it,
                judge_pass=it,
                wording=wording,
            )
            for n, it in good.items()
        ),
    )
    (folder / "rubric.calibration.json").write_text(calibration_text(calibration), "utf-8")


class Typing:
    """A suite that is checked, and in which a word is changed again and again."""

    def __init__(self, text: str, folder: Path, cases: int) -> None:
        self._folder, self._text, self._count = folder, text, 0
        self._now = f"refund {cases // 2}, please"
        self._at = text.index(self._now)
        self._lines = Lines(text, cut(text))
        self._parsed = parse_suite(self._lines)
        self._check(self._parsed)

    def check_seconds(self) -> float:
        """Return the processor time of parsing and checking all of it."""
        gc.collect()
        start = process_time()
        self._check(parse_suite(self._text))
        return process_time() - start

    def keystroke_seconds(self) -> float:
        """Return the processor time of parsing and checking after a change."""
        self._count += 1
        new = f"refund {self._count}, please"
        start = process_time()
        self._lines = self._lines.replaced(self._at, self._at + len(self._now), new)
        self._parsed, self._now = parse_suite(self._lines, reuse=self._parsed), new
        self._check(self._parsed)
        return process_time() - start

    def _check(self, parsed: ParsedSuite) -> None:
        folder = Folder(Workspace(self._folder), self._folder)
        found = check(parsed, folder, self._folder / NAME).findings
        assert not found, found[:3]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--answers", type=int, default=2_000, help="labeled answers")
    parser.add_argument("--runs", type=int, default=5, help="checks of the whole suite")
    parser.add_argument("--keystrokes", type=int, default=50)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_files(folder, arguments.answers)
        plain, calibrated = (
            Typing(suite(arguments.cases, calibrated=it), folder, arguments.cases)
            for it in (False, True)
        )
        print("| processor time, ms | without a judge | with a calibrated one |\n|---|---|---|")
        for what, runs, seconds in (
            (f"check of {arguments.cases:,} cases", arguments.runs, Typing.check_seconds),
            ("keystroke in a case", arguments.keystrokes, Typing.keystroke_seconds),
        ):
            found = [(seconds(plain), seconds(calibrated)) for _ in range(runs)]
            one, other = (median(it) * 1000 for it in zip(*found, strict=True))
            print(f"| {what} | {one:.2f} | {other:.2f} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
