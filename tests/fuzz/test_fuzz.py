"""No bytes and no edits of a suite end the checker with an exception, or hold it up.

Tries the same texts each time; `make fuzz` tries others, each test for `SUITECASE_FUZZ_SECONDS`. A failure
names its seed; `SUITECASE_FUZZ_SEED` runs it again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from suitecase.checking.check import check
from suitecase.format.workspace import Folder, Unreadable, Workspace, read_text
from suitecase.formats.suitecase.parsed import parse_suite
from support.suites.random_edits import SUITES, edited

SECONDS = os.environ.get("SUITECASE_FUZZ_SECONDS")
#: How many texts are tried where no time is given.
TEXTS = 400
#: Nothing small takes this long, even on a busy machine.
PATIENCE = 1.0
PIECES = (
    b"evalcases:\n", b"  - id: a\n", b"- ", b": ", b"[", b"]", b"{", b"}", b"&a ", b"*a", b"|\n", b">-\n",
    b"'", b'"', b"#", b"!!int ", b"<<: ", b"---\n", b"...\n", b"%YAML 1.2\n", b"\t", b"\r", b"\n", b"\r\n",
    b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\xe2\x80\xa8", b"\xc2\x85", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80",
    b"rubrics:\n", b"score_ranges: {0: a, 5: b}\n", b"evaluation_schema: '{\"type\": \"x\"}'\n", b"input: Hi\n",
    b"evaluators:\n", b"type: llm_judge\n", b"prompt: \"{{ x }}\"\n", b"# suitecase: ignore[SC101]\n",
)  # fmt: skip


def seeds() -> Iterator[int]:
    """Yield the one that is asked for, or the same few, or new ones until the time is over."""
    wanted = os.environ.get("SUITECASE_FUZZ_SEED")
    if wanted is not None:
        yield int(wanted)
        return
    if SECONDS is None:
        yield from range(TEXTS)
        return
    end = time.monotonic() + float(SECONDS)
    seed = time.time_ns() % 1_000_000_000
    while time.monotonic() < end:
        yield seed
        seed += 1


def hold(text: str, folder: Path, seed: int) -> None:
    start = time.process_time()
    try:
        suite = parse_suite(text)
        analysis = check(suite, Folder(Workspace(folder), folder))
    except Exception as error:
        error.add_note(f"seed {seed}")
        raise
    took = time.process_time() - start
    assert not analysis.failures, f"seed {seed}: {analysis.failures[0].trace}"
    assert took < PATIENCE, f"seed {seed}: {took:.1f} s for {len(text)} characters"
    for finding in analysis.findings:
        assert 0 <= finding.span.start <= finding.span.end <= len(text), f"seed {seed}: {finding}"


def test_any_bytes_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "any.eval.yaml"
    for seed in seeds():
        random = Random(seed)
        parts = random.choices((*PIECES, random.randbytes(4)), k=random.randrange(60))
        path.write_bytes(b"".join(parts))
        text = read_text(path)
        if not isinstance(text, Unreadable):
            hold(text, tmp_path, seed)


def test_any_edits_of_suites_are_checked(tmp_path: Path) -> None:
    for seed in seeds():
        random = Random(seed)
        text = random.choice(SUITES)
        for _ in range(random.randrange(1, 12)):
            text = edited(random, text)
        hold(text, tmp_path, seed)
