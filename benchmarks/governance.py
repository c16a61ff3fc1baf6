"""What a lock, labels and a calibration add to a check and a keystroke: `python benchmarks/governance.py`.

A suite of 1,000 cases without any of them, and the same suite that was run, labeled by three people, calibrated
and locked with Suitecase's own commands. Both are measured in this process and in turn, so that a busy machine
affects both alike. A keystroke changes a word in one case, which is not the locked one from then on.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from random import Random

from gates import in_turn, row
from locks import Typing, check_seconds
from suites import CASE, HEAD

NAME = "suite.eval.yaml"
RATERS = ("ann", "ben", "cem")
KEYS = """\
version: "2026.2"
gates:
  - human.rubric.alpha >= 0.667
  - judges.rubric.kappa >= 0
judges:
  rubric: {temperature: 0, calibration: labels/rubric.calibration.json}
human:
  rubric: {labels: [labels/rubric.ann.csv, labels/rubric.ben.csv, labels/rubric.cem.csv], raters: 3, adjudication: median}
governance: {license: CC-BY-4.0, authors: [ann], model_team: [dora]}
"""


def suitecase(folder: Path, *arguments: str, codes: tuple[int, ...] = (0,)) -> None:
    """Run a command, which has to end with one of the codes."""
    command = [sys.executable, "-m", "suitecase", *arguments]
    ran = subprocess.run(command, cwd=folder, text=True, capture_output=True, check=False)
    if ran.returncode not in codes:
        raise SystemExit(f"{arguments}: {ran.stdout[-2000:]}{ran.stderr}")


def fill_in(sheet: Path) -> None:
    """Give each row of a sheet a value: raters who differ on a few."""
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        columns, rows = list(reader.fieldnames or ()), list(reader)
    for it in rows:
        both = Random(f"{it['case']} {it['item']}")
        own = Random(f"{it['case']} {it['item']} {it['rater']}")
        chosen = own if own.random() < 0.08 else both
        is_check = it["scale"].startswith("true")
        it["value"] = chosen.choice(["true", "false"]) if is_check else str(chosen.randint(0, 10))
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)


def make(folder: Path, cases: int, labeled: int) -> tuple[str, str]:
    """Write both suites, in `plain` and in `governed`; returns their texts."""
    listed = "".join(CASE.format(n=n) for n in range(cases))
    texts = (HEAD + listed, KEYS + HEAD + listed)
    for name, text in zip(("plain", "governed"), texts, strict=True):
        (folder / name).mkdir()
        (folder / name / NAME).write_text(text, "utf-8")
        (folder / name / ".git").mkdir()
    governed = folder / "governed"
    suitecase(governed, "run", NAME, "--output", "run.jsonl", codes=(1, 3))
    raters = (it for name in RATERS for it in ("--rater", name))
    suitecase(
        governed, *("labels", "run.jsonl", "--sample", str(labeled), "--output", "labels"), *raters
    )
    for name in RATERS:
        fill_in(governed / "labels" / f"rubric.{name}.csv")
    suitecase(governed, "calibrate", NAME, "--run", "run.jsonl", codes=(0, 1))
    suitecase(governed, "lock", NAME)
    return texts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--labeled", type=int, default=200, help="answers that people labeled")
    parser.add_argument("--runs", type=int, default=5, help="checks of the whole suite")
    parser.add_argument("--keystrokes", type=int, default=200)
    parser.add_argument(
        "--keep", type=Path, help="make the suites in this folder, and leave them there"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        texts = make(folder, arguments.cases, arguments.labeled)
        paths = [folder / name / NAME for name in ("plain", "governed")]
        print("| processor time, ms | without | with a lock, labels and a calibration | x |")
        print("|---|---|---|---|")
        checks = [
            partial(check_seconds, path, text, clean=False)
            for path, text in zip(paths, texts, strict=True)
        ]
        row(f"check of {arguments.cases:,} cases", *in_turn(checks[0], checks[1], arguments.runs))
        for again in (False, True):
            typing = [
                Typing(path, text, arguments.cases, read_again=again)
                for path, text in zip(paths, texts, strict=True)
            ]
            strokes = in_turn(
                typing[0].keystroke_seconds, typing[1].keystroke_seconds, arguments.keystrokes
            )
            row("keystroke, all files read again" if again else "keystroke", *strokes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
