"""Record what the product answers, or compare it with what was recorded.

    python -m support.reference record FOLDER [WORD]
    python -m support.reference compare FOLDER [WORD]

Each workspace has a file in FOLDER, with its answers by question. With WORD, only workspaces with it in their names
are asked. `compare` prints the differences, and ends with 1 if there are any.
"""

from __future__ import annotations

import argparse
import difflib
import json
import lzma
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from support.reference.answers import Answers, answers_in
from support.reference.workspaces import RecordedWorkspace, recorded_workspaces

#: So many lines of a difference are printed; FOLDER/differences.diff has all of them.
_SHOWN = 12


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(prog="python -m support.reference")
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("word", nargs="?", default="")
    arguments = parser.parse_args()
    chosen = [found for found in recorded_workspaces() if arguments.word in found.name]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.action == "record":
        return _record(chosen, arguments.folder)
    return _compare(chosen, arguments.folder)


def _record(chosen: list[RecordedWorkspace], folder: Path) -> int:
    count = 0
    for workspace, answers in _answered(chosen):
        count += len(answers)
        _file(folder, workspace).write_bytes(lzma.compress(json.dumps(answers).encode(), preset=1))
    print(f"Recorded {count:,} answers in {len(chosen)} workspaces, in {folder}.")
    return 0


def _compare(chosen: list[RecordedWorkspace], folder: Path) -> int:
    counts: Counter[str] = Counter()
    different: Counter[str] = Counter()
    differences = folder / "differences.diff"
    with differences.open("w", encoding="utf-8") as file:
        for workspace, answers in _answered(chosen):
            path = _file(folder, workspace)
            recorded: Answers = (
                json.loads(lzma.decompress(path.read_bytes())) if path.exists() else {}
            )
            for question in sorted(recorded.keys() | answers.keys()):
                kind = question.split()[0]
                counts[kind] += 1
                before, now = recorded.get(question), answers.get(question)
                if before != now:
                    different[kind] += 1
                    file.writelines(_difference(f"{workspace.name}: {question}", before, now))
    for kind, count in sorted(counts.items()):
        print(f"{kind}: {count:,} answers, {different[kind]:,} differ")
    if different:
        lines = differences.read_text("utf-8").splitlines()
        print("\n".join(lines[: _SHOWN * 5]))
        print(f"All differences, {len(lines):,} lines, are in {differences}.")
    return 1 if different else 0


def _file(folder: Path, workspace: RecordedWorkspace) -> Path:
    return folder / f"{workspace.name}.json.xz"


def _difference(title: str, before: str | None, now: str | None) -> Iterator[str]:
    """Yield the lines by which an answer differs."""
    old, new = ((text or "").splitlines() for text in (before, now))
    lines = difflib.unified_diff(old, new, title, "now", n=2, lineterm="")
    yield from (f"{line}\n" for line in lines)


def _answered(chosen: list[RecordedWorkspace]) -> Iterator[tuple[RecordedWorkspace, Answers]]:
    """Yield what is answered in each workspace, in their order."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        yield from zip(chosen, pool.map(_answers, chosen), strict=True)


def _answers(workspace: RecordedWorkspace) -> Answers:
    with tempfile.TemporaryDirectory(prefix="reference-") as folder:
        root = Path(folder) / "workspace"
        root.mkdir()
        return answers_in(workspace, root)


if __name__ == "__main__":
    sys.exit(main())
