"""How long the figures of a run take, beside inspect_ai: `make benchmark-figures`; five minutes.

10,000 cases with 7 figures, over all cases and over 20 slices of 500 to 2,000 of them, 10,000 draws
each: the intervals alone, and every figure of a results file as `suitecase metrics` has it, which
includes figures that the file has besides. Processor time, of which more than one thread would take
more. inspect_ai computes a percentile bootstrap of each figure (`ci(method="bootstrap")`) in the same
run, where `make benchmark-peers` has installed it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from measure import measure
from numpy.typing import NDArray

from suitecase.figures.statistics.resampling import bootstrap, mean_of

HERE = Path(__file__).parent
CASES, RESAMPLES, SLICES = 10_000, 10_000, 20
BOUNDED = {"pass_rate", "score", "rubric", "answer_f1"}

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


def columns(cases: int) -> dict[str, Floats]:
    """Return figures as they are in runs: verdicts, scores of few values, and continuous ones."""
    random = np.random.default_rng(1)
    rubric = random.binomial(10, random.beta(4, 1.3, cases)) / 10
    f1 = np.where(random.random(cases) < 0.6, 1, random.binomial(8, 0.6, cases) / 8)
    score = np.round(0.6 * rubric + 0.4 * f1, 3)
    return {
        "pass_rate": (score >= 0.7).astype(np.float64),
        "score": score,
        "rubric": rubric,
        "answer_f1": f1,
        "latency_ms": random.lognormal(7, 0.6, cases),
        "cost_usd": random.lognormal(-6, 0.4, cases),
        "tokens": random.lognormal(6, 0.5, cases),
    }


def slices(cases: int) -> list[Places]:
    random = np.random.default_rng(2)
    sizes = np.linspace(cases // 20, cases // 5, SLICES).astype(int)
    return [np.arange(cases), *(np.sort(random.choice(cases, it, False)) for it in sizes)]


def write_results(path: Path, figures: Mapping[str, Floats], chosen: Sequence[Places]) -> None:
    """Write a results file whose tags are the slices."""
    tags: list[list[str]] = [[] for _ in range(CASES)]
    for number, cases in enumerate(chosen[1:]):
        for case in cases:
            tags[case].append(f"slice-{number}")
    with path.open("w", encoding="utf-8") as file:
        for case in range(CASES):
            own = {name: float(values[case]) for name, values in figures.items()}
            passed = "pass" if own["pass_rate"] else "fail"
            evaluators = [
                {"name": name, "type": "script", "score": own[name], "verdict": passed}
                for name in ("rubric", "answer_f1")
            ]
            record = {
                "suite_path": "s.eval.yaml", "dataset": "s", "eval_id": f"case-{case}",
                "target": "bot", "tags": tags[case], "score": own["score"], "verdict": passed,
                "candidate_answer": "An answer. " * 20, "evaluator_results": evaluators,
                "trace_summary": {
                    "duration_ms": own["latency_ms"], "cost_usd": own["cost_usd"],
                    "token_usage": {"input": 0, "output": int(own["tokens"])},
                },
            }  # fmt: skip
            file.write(json.dumps(record) + "\n")


def intervals(path: Path) -> None:
    """Compute the intervals of all figures and slices."""
    with np.load(path) as data:
        names = [str(it) for it in data["names"]]
        values, chosen = data["values"], [data[f"slice{it}"] for it in range(SLICES + 1)]
    count = len(names)
    statistics = [
        mean_of(place, count, (0, 1) if name in BOUNDED else None)
        for place, name in enumerate(names)
    ]
    totals = np.vstack([values, np.ones(values.shape[1])]).T
    for cases in chosen:
        bootstrap(totals[cases], statistics, resamples=RESAMPLES, seed="20260101")


READ = """
from pathlib import Path
import sys
from suitecase.cli.figures.run_tables import read_tables
(tables,) = read_tables(Path(sys.argv[1])).by_suite.values()
(table,) = tables.by_target.values()
"""
MEASURE = (
    READ
    + """
from suitecase.figures.run_figures import figures_of
assert len(figures_of(table, None)) >= int(sys.argv[2])
"""
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="counted runs of each command")
    parser.add_argument("--compute", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.compute:
        intervals(options.compute)
        return 0
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "cases.npz"
        figures, chosen = columns(CASES), slices(CASES)
        np.savez(
            path,
            names=np.array(list(figures)),
            values=np.stack(list(figures.values())),
            **{f"slice{place}": it for place, it in enumerate(chosen)},  # type: ignore[arg-type]
        )
        results = Path(name) / "results.jsonl"
        write_results(results, figures, chosen)
        fewest = str(len(figures) * len(chosen))
        ours = [sys.executable, str(Path(__file__)), "--compute", str(path)]
        commands = [
            ("numpy and the package, imported", [sys.executable, "-c", "import suitecase.figures.statistics.resampling"], options.runs),
            ("the intervals: suitecase.figures.statistics.bootstrap", ours, options.runs),
            ("the results file is read", [sys.executable, "-c", READ, str(results)], options.runs),
            ("it is read, and all figures are measured", [sys.executable, "-c", MEASURE, str(results), fewest], options.runs),
        ]  # fmt: skip
        peer = HERE / ".peers" / "runners" / "bin" / "python"
        if peer.exists():
            script = str(HERE / "peers" / "inspect_bootstrap.py")
            commands.append(("inspect_ai, imported", [str(peer), script], options.runs))
            theirs = [str(peer), script, str(path), str(RESAMPLES)]
            commands.append(("inspect_ai, ci(method=bootstrap)", theirs, 1))
        units = sum(map(len, chosen))
        print(
            f"{len(figures)} figures of {CASES:,} cases, over all and over {SLICES} slices ({units:,} units"
            f" in all), {RESAMPLES:,} draws; medians\n"
        )
        print("| what | CPU s | wall s | MB |\n|---|---|---|---|")
        for title, command, runs in commands:
            found = measure(command, Path(name), runs)
            if found.exit_code:
                print(f"| {title} | failed with exit code {found.exit_code} | | |")
                continue
            print(
                f"| {title} | {found.cpu:.2f} | {found.wall:.2f} | {found.memory:.0f} |", flush=True
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
