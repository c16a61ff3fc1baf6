"""Compares the verdicts of `suitecase run` and promptfoo for the configurations below a folder.

`make same-verdicts FOLDER=PATH` copies each `promptfooconfig*.yaml` with its repository, replaces its providers with
`echo`, so no model is called, and removes the assertions that a model would grade. Both tools then run the copy, and
each row must have the same verdict and the same score. Differences are printed, and so are configurations that only
one of the tools runs, with the reason.

One deliberate difference is accepted: an assertion whose script raises is an error in Suitecase, and fails in promptfoo.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

PROMPTFOO = Path(__file__).parent / ".peers/node_modules/promptfoo/dist/src/entrypoint.js"
#: Assertion types that are graded by a model, an embedding or a service.
BY_MODELS = frozenset((
    "llm-rubric", "g-eval", "factuality", "model-graded-factuality", "model-graded-closedqa",
    "answer-relevance", "context-faithfulness", "context-recall", "context-relevance",
    "conversation-relevance", "similar", "classifier", "moderation", "select-best", "search-rubric",
    "agent-rubric", "pi", "webhook", "guardrails", "trajectory:goal-success",
))  # fmt: skip
#: How promptfoo reports a script that raised.
_BROKEN = ("Custom function threw error", "Python code execution failed")
#: Keys of a configuration that call other services, or write files.
LEFT_OUT = ("redteam", "outputPath", "sharing", "targets", "writeLatestResults", "tracing")


class Row(NamedTuple):
    """The result of a row in one of the tools."""

    verdict: str
    score: float | None
    reason: str


def offline(value: Any) -> Any:
    """Return a configuration, a test or a list of tests without assertions that a model grades."""
    if isinstance(value, list):
        return [offline(it) for it in value]
    if not isinstance(value, dict):
        return value
    found = {name: offline(it) for name, it in value.items() if name != "provider"}
    if isinstance(found.get("assert"), list):
        found["assert"] = [it for it in found["assert"] if not _by_model(it)]
    return found


def _by_model(assertion: Any) -> bool:
    written = str(assertion.get("type", "")) if isinstance(assertion, dict) else str(assertion)
    return written.removeprefix("not-").partition("(")[0] in BY_MODELS


def by_promptfoo(path: Path, home: Path) -> list[Row] | str:
    """Return the rows as promptfoo grades them, or the reason that it runs none."""
    out = home / "out.json"
    out.unlink(missing_ok=True)
    switches = ("TELEMETRY", "UPDATE", "REMOTE_GENERATION")
    env = {
        **os.environ,
        **{f"PROMPTFOO_DISABLE_{it}": "1" for it in switches},
        "PROMPTFOO_CONFIG_DIR": str(home / "config"),
        "NO_COLOR": "1",
    }
    command = ["node", str(PROMPTFOO), "eval", "-c", path.name, "--no-cache", "--no-table",
               "--no-progress-bar", "-j", "4", "-o", str(out)]  # fmt: skip
    ended = subprocess.run(
        command, cwd=path.parent, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    if not out.exists():
        return _last(ended.stdout + ended.stderr)
    results = json.loads(out.read_text())["results"]["results"]
    results.sort(key=lambda it: (it["testIdx"], it["promptIdx"]))
    return [_row(it) for it in results]


def _row(result: dict[str, Any]) -> Row:
    grading = result.get("gradingResult") or {}
    verdict = (
        "pass" if result["success"] else "error" if result.get("failureReason") == 2 else "fail"
    )
    reason = str(grading.get("reason") or result.get("error") or "")
    nothing = verdict == "pass" and not grading.get("componentResults")
    return Row(
        "not_evaluated" if nothing else verdict, None if nothing else result["score"], reason
    )


def by_suitecase(path: Path) -> list[Row] | str:
    """Return the rows as Suitecase grades them, or the reason that it runs none."""
    command = [sys.executable, "-m", "suitecase", "run", path.name, "--format", "jsonl",
               "--no-results"]  # fmt: skip
    ended = subprocess.run(
        command, cwd=path.parent, capture_output=True, text=True, timeout=300, check=False
    )
    records = [json.loads(it) for it in ended.stdout.splitlines() if it.startswith("{")]
    if not records:
        lines = [it for it in ended.stderr.splitlines() if "error[" in it]
        return "; ".join(dict.fromkeys(it.partition("error[")[2] for it in lines)) or _last(
            ended.stderr
        )
    records.sort(key=lambda it: (it["repeat"], it["position"]))
    return [Row(it["verdict"], it["score"], it["error"] or it["reasoning"]) for it in records]


def _last(text: str) -> str:
    lines = [it.strip() for it in text.splitlines() if it.strip()]
    return lines[-1] if lines else "no message"


def configurations(folder: Path) -> Iterator[Path]:
    """Yield the configurations below a folder."""
    for pattern in ("promptfooconfig*.yaml", "promptfooconfig*.yml"):
        yield from sorted(folder.rglob(pattern))


def copied(path: Path, root: Path, home: Path) -> Path | None:
    """Copy the repository of a configuration, and return the copy with `echo` as its provider."""
    shutil.copytree(root, home, symlinks=True)
    (home / ".git").mkdir(exist_ok=True)
    modules = home / "node_modules"
    if not modules.exists():
        # Older versions of Node.js run TypeScript with `tsx`, which is installed with promptfoo.
        modules.mkdir()
        (modules / "tsx").symlink_to(PROMPTFOO.parents[3] / "tsx")
    copy = home / path.relative_to(root)
    try:
        read = yaml.safe_load(copy.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError):
        return None
    if not isinstance(read, dict):
        return None
    for other in (*home.rglob("*.yaml"), *home.rglob("*.yml")):
        _make_offline(other)
    found = {name: it for name, it in offline(read).items() if name not in LEFT_OUT}
    copy.write_text(
        yaml.safe_dump({**found, "providers": ["echo"]}, allow_unicode=True, sort_keys=False)
    )
    return copy


def _make_offline(path: Path) -> None:
    """Remove assertions that a model grades from a file with a list of tests."""
    try:
        read = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, yaml.YAMLError, UnicodeDecodeError):
        return
    if isinstance(read, list):
        path.write_text(yaml.safe_dump(offline(read), allow_unicode=True, sort_keys=False))


def differences(ours: list[Row], theirs: list[Row]) -> Iterator[str]:
    """Yield a description of each difference."""
    if len(ours) != len(theirs):
        yield f"{len(ours)} rows, but {len(theirs)} in promptfoo"
        return
    for number, (own, other) in enumerate(zip(ours, theirs, strict=True), 1):
        if own.verdict == "error" and other.verdict == "fail" and other.reason.startswith(_BROKEN):
            continue
        same_score = own.score == other.score or (
            own.score is not None
            and other.score is not None
            and abs(own.score - other.score) < 1e-9
        )
        if own.verdict != other.verdict or not (same_score or own.verdict == "error"):
            yield (
                f"row {number}: {own.verdict} {own.score}, but {other.verdict} {other.score} in promptfoo\n"
                f"      suitecase: {own.reason[:200]!r}\n      promptfoo: {other.reason[:200]!r}"
            )


def main() -> int:
    """Print the outcome of each configuration; return 1 if any row differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder of repositories")
    folder = parser.parse_args().folder.resolve()
    counts: Counter[str] = Counter()
    rows = 0
    for path in configurations(folder):
        root = folder / path.relative_to(folder).parts[0]
        root = root if root.is_dir() else folder
        with tempfile.TemporaryDirectory() as temporary:
            copy = copied(path, root, Path(temporary) / "repository")
            if copy is None:
                kind, lines = "not valid YAML", list[str]()
            else:
                ours, theirs = by_suitecase(copy), by_promptfoo(copy, Path(temporary))
                kind, lines = _compared(ours, theirs)
                rows += len(ours) if isinstance(ours, list) and kind == "same" else 0
        counts[kind] += 1
        print(f"{kind}: {path.relative_to(folder)}", *lines, sep="\n    ", flush=True)
    print(
        f"\n{rows} rows are the same. " + ", ".join(f"{it} {kind}" for kind, it in counts.items())
    )
    return 1 if counts["different"] else 0


def _compared(ours: list[Row] | str, theirs: list[Row] | str) -> tuple[str, list[str]]:
    if isinstance(ours, str):
        runs = "refused by both" if isinstance(theirs, str) else "refused by suitecase"
        return runs, [f"suitecase: {ours}"] + ([f"promptfoo: {theirs}"] * isinstance(theirs, str))
    if isinstance(theirs, str):
        return "refused by promptfoo", [f"promptfoo: {theirs}"]
    found = list(differences(ours, theirs))
    return ("different", found) if found else ("same", [f"{len(ours)} rows"])


if __name__ == "__main__":
    sys.exit(main())
