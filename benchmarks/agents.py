"""How much more processes help where targets and scripts compute: `make benchmark-agents`.

Each case costs a second of processor time, in a program: a `cli` target, or a script of a
`code_judge`. The ideal is that time by the number of processors. The programs are processes of their
own in any case; what differs is who starts them and waits for them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from measure import measure

CASES = 200
SECONDS = 1.0
PROGRAM = """\
import json, sys, time
asked = sys.stdin.read()
until = time.process_time() + {seconds}
while time.process_time() < until:
    sum(range(1_000))
print(json.dumps({{"score": 1.0, "hits": [], "misses": []}}) if sys.argv[1:] else asked)
"""
TARGETS = """\
targets:
  - {{name: agent, provider: cli, workers: {places}, command_template: "{python} {folder}/work.py"}}
  - {{name: plain, provider: mock, workers: {places}}}
"""
AGENT = """\
  - id: case-{n}
    expected_outcome: Repeats the question
    input: What is {n} plus one?
    evaluators: [{{name: plus, type: contains, value: plus}}]
"""
SCRIPT = """\
  - id: case-{n}
    expected_outcome: Repeats the question
    input: What is {n} plus one?
    evaluators: [{{name: own, type: code_judge, script: [{python}, work.py, judge]}}]
"""


def write(folder: Path, cases: int, places: int) -> None:
    """Write a suite for each kind of program."""
    (folder / "work.py").write_text(PROGRAM.format(seconds=SECONDS), "utf-8")
    values = {"places": places, "python": sys.executable, "folder": folder}
    (folder / "targets.yaml").write_text(TARGETS.format(**values), "utf-8")
    for name, target, case in (("cli", "agent", AGENT), ("code_judge", "plain", SCRIPT)):
        listed = "".join(case.format(n=number, python=sys.executable) for number in range(cases))
        text = f"execution: {{target: {target}}}\nevalcases:\n{listed}"
        (folder / f"{name}.eval.yaml").write_text(text, "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1, help="counted runs of each command")
    parser.add_argument("--cases", type=int, default=CASES)
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    ideal = options.cases * SECONDS / cores
    print(f"{options.cases} cases of {SECONDS:g} s of processor time on {cores} processors\n")
    print("| program | workers | CPU s | wall s | MB | CPU beyond the programs | wall / ideal |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, options.cases, cores)
        for program in ("cli", "code_judge"):
            for workers in (1, 2):
                command = [
                    sys.executable, "-m", "suitecase", "run", str(folder / f"{program}.eval.yaml"),
                    "--workers", str(workers), "--output", f"{folder}/results/",
                ]  # fmt: skip
                figures = measure(command, folder, options.runs, warm=False)
                beyond = figures.cpu - options.cases * SECONDS
                print(
                    f"| {program} | {workers} | {figures.cpu:.1f} | {figures.wall:.1f} | "
                    f"{figures.memory:.0f} | {beyond:.1f} | {figures.wall / ideal:.2f} |",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
