"""Has promptfoo grade the answers of `pairs.py`, and writes its verdicts to `verdicts.json`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

from pairs import GROUPS

ROOT = Path(__file__).parents[4]
HERE = Path(__file__).parent
PROMPTFOO = ROOT / "benchmarks/.peers/node_modules/promptfoo"
#: 1 for a pass with a score of 1, 0 for a fail with a score of 0; else whether the answer passes, and its
#: score; None if the assertion failed with an error.
Verdict = int | list[Any] | None
#: promptfoo's failure reason of a row with an error.
BROKEN = 2
#: A provider that returns the answer of each row, without templates or parsing.
PROVIDER = """
const answers = require('./answers.json');
module.exports = class {
  id() { return 'answers'; }
  async callApi(prompt, context) { return answers[context.vars.row]; }
};
"""


def main(promptfoo: Path) -> None:
    pairs = [
        (answer if isinstance(answer, dict) else {"output": answer}, assertion)
        for answers, assertions in GROUPS
        for answer, assertion in product(answers, assertions)
    ]
    verdicts = iter(graded(promptfoo, pairs))
    groups = [
        {
            "answers": answers,
            "assertions": assertions,
            # A line for each assertion.
            "verdicts": list(
                zip(*([next(verdicts) for _ in assertions] for _ in answers), strict=True)
            ),
        }
        for answers, assertions in GROUPS
    ]
    version = json.loads((promptfoo / "package.json").read_text())["version"]
    (HERE / "verdicts.json").write_text(_laid_out(version, groups))


def _laid_out(version: str, groups: list[dict[str, Any]]) -> str:
    """Return the verdicts as JSON with a line for each answer and each assertion."""
    texts = []
    for group in groups:
        lists = [
            f'"{key}": [\n' + ",\n".join(json.dumps(it, allow_nan=False) for it in listed) + "\n]"
            for key, listed in group.items()
        ]
        texts.append("{\n" + ",\n".join(lists) + "\n}")
    return f'{{"promptfoo": "{version}", "groups": [{", ".join(texts)}]}}\n'


def graded(promptfoo: Path, pairs: list[tuple[Any, Any]]) -> list[Verdict]:
    """Return promptfoo's verdict on each pair."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "provider.cjs").write_text(PROVIDER)
        (folder / "answers.json").write_text(json.dumps([answer for answer, _ in pairs]))
        tests = [
            {"vars": {"row": row}, "assert": [assertion]}
            for row, (_, assertion) in enumerate(pairs)
        ]
        suite = {
            "prompts": ["{{row}}"],
            "providers": ["file://provider.cjs"],
            "tests": tests,
            "evaluateOptions": {"maxConcurrency": 1, "showProgressBar": False},
        }
        (folder / "promptfooconfig.json").write_text(json.dumps(suite))
        off = ("TELEMETRY", "UPDATE", "REMOTE_GENERATION")
        environment = {
            **os.environ,
            **{f"PROMPTFOO_DISABLE_{it}": "1" for it in off},
            "PROMPTFOO_CONFIG_DIR": str(folder / "state"),
        }
        command = [
            "node",
            str(promptfoo / "dist/src/entrypoint.js"),
            "eval",
            "--no-cache",
            "--no-table",
        ]
        subprocess.run(  # its exit code says whether all passed
            [*command, "-c", "promptfooconfig.json", "-o", "out.json"],
            cwd=folder,
            env=environment,
            check=False,
            stdout=subprocess.DEVNULL,
        )
        results = json.loads((folder / "out.json").read_text())["results"]["results"]
    by_row = {it["vars"]["row"]: it for it in results}
    return [_verdict(by_row[row]) for row in range(len(pairs))]


def _verdict(result: dict[str, Any]) -> Verdict:
    grading = result.get("gradingResult")
    if result["failureReason"] == BROKEN or not grading or not grading.get("componentResults"):
        return None
    (found, *_) = grading["componentResults"]
    if found["score"] == found["pass"]:
        return int(found["score"])
    return [found["pass"], round(found["score"], 12)]


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PROMPTFOO)
