"""Commands that look at results keep numbers of their records: memory hardly grows with the number of cases."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from suitecase.cli.compare import compared_runs
from suitecase.cli.figures.run_tables import read_tables
from suitecase.report.results_file import read_run

#: A record is about 9 KB once it is read.
LONG = "x" * 5_000


def results(path: Path, cases: int) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for it in range(cases):
            score = it * 7 % 100 / 100
            passed = "pass" if score >= 0.8 else "fail"
            record = {
                "suite_path": "s.eval.yaml", "dataset": "s", "eval_id": f"case-{it}",
                "target": path.stem, "position": it + 1, "score": score, "verdict": passed,
                "tags": ["odd" if it % 2 else "even"], "metadata": {"level": it % 5},
                "candidate_answer": LONG, "trace_summary": {"duration_ms": it * 13 % 1009},
                "evaluator_results": [
                    {"name": name, "type": "script", "score": score, "verdict": passed}
                    for name in ("one", "other")
                ],
            }  # fmt: skip
            file.write(json.dumps(record) + "\n")
    return path


def bytes_per_case(
    tmp_path: Path, use: Callable[[Path, Path], object], sizes: tuple[int, int] = (1_010, 1_210)
) -> float:
    """Return by how much the peak of the allocated memory grows with each case."""
    peaks = []
    for cases in (10, *sizes):  # the first imports what is needed
        before = results(tmp_path / "before.jsonl", cases)
        after = results(tmp_path / "after.jsonl", cases)
        tracemalloc.start()
        try:
            use(before, after)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    return (peaks[2] - peaks[1]) / (sizes[1] - sizes[0])


# Of up to a thousand records, pages keep all.
@pytest.mark.parametrize("sizes", [(100, 300), (1_010, 1_210)])
def test_comparing_runs_keeps_no_records(sizes: tuple[int, int], tmp_path: Path) -> None:
    grown = bytes_per_case(
        tmp_path, lambda before, after: compared_runs(read_run(before), read_run(after)), sizes
    )

    assert grown < 2_000


def test_figures_keep_no_records(tmp_path: Path) -> None:
    assert bytes_per_case(tmp_path, lambda _, after: read_tables(after)) < 1_500
