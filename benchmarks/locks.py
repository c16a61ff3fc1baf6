"""What a lock adds to the time of a check and of a keystroke: `python benchmarks/locks.py`.

A suite with and without its lock file, in this process and in turn, so that a busy machine affects
both alike. A keystroke changes a word in one case, which is not the locked one from then on.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import process_time

from gates import in_turn, row
from suites import CASE, HEAD

from suitecase.checking.check import check
from suitecase.evidence.releases.lock_file import lock_text
from suitecase.evidence.releases.locking import make_lock
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.text.lines import Lines, cut

VERSION = "2026.2"


def suite(cases: int) -> str:
    """Return the text of a suite that can be locked."""
    return f'version: "{VERSION}"\n' + HEAD + "".join(CASE.format(n=n) for n in range(cases))


def written(root: Path, name: str, text: str, *, locked: bool) -> Path:
    """Return the path of a suite, beside its lock if it has one."""
    path = root / f"{name}.eval.yaml"
    parsed = parse_suite(text)
    assert parsed.head.model is not None
    if locked:
        folder = Folder(Workspace(root), root)
        lock = make_lock(parsed, parsed.head.model, VERSION, path, folder, "2026-02-04T08:00:00Z")
        path.with_name(f"{name}.eval.lock").write_text(lock_text(lock), "utf-8")
    return path


def check_seconds(path: Path, text: str, *, clean: bool = True) -> float:
    """Return the processor time of parsing and checking a suite; `clean` if it must have no findings."""
    gc.collect()
    start = process_time()
    found = check(parse_suite(text), Folder(Workspace(path.parent), path.parent), path).findings
    seconds = process_time() - start
    assert not (found and clean), found[:3]
    return seconds


class Typing:
    """A suite in which a word of a case in the middle is changed again and again."""

    def __init__(self, path: Path, text: str, cases: int, *, read_again: bool) -> None:
        """
        Args:
            read_again: whether files around the suite are read again after each keystroke.
        """
        self._path, self._read_again = path, read_again
        self._folder = Folder(Workspace(path.parent), path.parent)
        word = f"topic {cases // 2}, and"
        self._at, self._now = text.index(word), word
        self._lines = Lines(text, cut(text))
        self._parsed, self._count = parse_suite(self._lines), 0
        self._check()

    def _check(self) -> None:
        if self._read_again:
            self._folder = Folder(Workspace(self._path.parent), self._path.parent)
        check(self._parsed, self._folder, self._path)

    def keystroke_seconds(self) -> float:
        """Return the processor time of parsing and checking after a change."""
        self._count += 1
        new = f"topic {self._count}, and"
        start = process_time()
        self._lines = self._lines.replaced(self._at, self._at + len(self._now), new)
        self._parsed, self._now = parse_suite(self._lines, reuse=self._parsed), new
        self._check()
        return process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="checks of the whole suite")
    parser.add_argument("--keystrokes", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        print("| processor time, ms | without a lock | with a lock | x |")
        print("|---|---|---|---|")
        for cases in (1_000, 10_000):
            text = suite(cases)
            paths = [
                written(root, f"{kind}-{cases}", text, locked=kind == "locked")
                for kind in ("open", "locked")
            ]
            checks = in_turn(
                partial(check_seconds, paths[0], text),
                partial(check_seconds, paths[1], text),
                arguments.runs,
            )
            row(f"check of {cases:,} cases", *checks)
            for again in (False, True):
                typing = [Typing(it, text, cases, read_again=again) for it in paths]
                strokes = in_turn(
                    typing[0].keystroke_seconds,
                    typing[1].keystroke_seconds,
                    arguments.keystrokes,
                )
                what = "keystroke, all files read again" if again else "keystroke"
                row(f"{what}, {cases:,} cases", *strokes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
