"""Has promptfoo grade texts by code and scripts, and writes the results to `graded.json`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[4]
HERE = Path(__file__).parent
PROMPTFOO = ROOT / "benchmarks/.peers/node_modules/promptfoo"
TEXTS = ["", "Bob", "Hello, Bob", '{"a": 0.5}', "0.5"]
VALUES = {
    "javascript": [
        "output.includes('Bob')",
        "output.length / 10",
        "output.length > 3;  ",
        "const n = output.length; n > 3 && 'a;b'.length === 3",
        "let s = `;`; s.length",
        "var a = 1;",
        "const n = output.length;\nreturn n > 3;\n",
        "output.length > 3\n",
        "if (output) return true;\nreturn {pass: false, score: 0.75, reason: 'empty'};",
        "({pass: true, score: 0.5, reason: ''})",
        "({pass: true, score: 0.5})",
        "({pass: output === 'Bob', score: 1, reason: 'who', componentResults: [], namedScores: {x: 1}})",
        "JSON.parse(output).a",
        "context.vars.text === output && context.prompt === output && context.config === undefined",
        "context.provider.id().length",
        "(async () => output.length)()",
        "process.mainModule.require('path').extname('a.b') === '.b'",
        "output",
        "null",
        "[true]",
        "nothing.there",
        "(",
        "2 - 3",
        "file://checks.mjs",
        "file://named.cjs:isShort",
        "file://named.cjs:share",
        "file://named.cjs:nothing",
        "file://named.cjs:raises",
        "file://named.cjs:reads",
        "file://named.cjs:lacking",
        "file://named.cjs",
        "file://checks.py:share",
    ],
    "python": [
        "'Bob' in output",
        "len(output) / 10",
        "output",
        "'True'",
        "'0.5 of it'",
        "None",
        "[1]",
        "{'pass': len(output) > 3, 'score': 0.5, 'reason': 'length'}",
        "{'pass_': True, 'score': 0.5, 'reason': ''}",
        "{'pass': True, 'score': 0.5}",
        "json.loads(output)['a']",
        "context['vars']['text'] == output == context['prompt']",
        "import re\nreturn bool(re.search('Bob', output))",
        "if output:\n  return True\nreturn 0",
        "if output:\n\treturn True\nreturn 0",
        "len(output) > 3\n",
        "1 +",
        "-1",
        "file://checks.py",
        "file://checks.py:share",
        "file://checks.py:is_short",
        "file://checks.py:as_text",
        "file://checks.py:raises",
        "file://checks.py:Checks.is_long",
        "file://checks.py:lacking",
        "file://named.cjs:share",
    ],
}
MORE: list[dict[str, Any]] = [{}, {"not": True}, {"threshold": 0.5}, {"weight": 0}]


def assertions() -> list[dict[str, Any]]:
    """Return the assertions that texts are graded by."""
    found: list[dict[str, Any]] = []
    for name, values in VALUES.items():
        for value in values:
            is_plain = "\n" in value or "file:" in value or "vars" in value
            for more in MORE[: 1 if is_plain and "checks" not in value else None]:
                fields = {key: it for key, it in more.items() if key != "not"}
                prefix = "not-" if "not" in more else ""
                found.append({"type": f"{prefix}{name}", "value": value, **fields})
        found += [
            {"type": name, "value": value, "config": {"least": 5}}
            for value in ("file://checks.mjs", "file://checks.py")
        ]
    return found


def main(promptfoo: Path) -> None:
    pairs = [(text, it) for it in assertions() for text in TEXTS]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for script in HERE.glob("[cn]*.*"):
            shutil.copy(script, folder)
        suite = {
            "prompts": ["{{text}}"],
            "providers": ["echo"],
            "tests": [
                {"vars": {"text": text}, "metadata": {"row": row}, "assert": [it]}
                for row, (text, it) in enumerate(pairs)
            ],
            "evaluateOptions": {"maxConcurrency": 2, "showProgressBar": False},
        }
        (folder / "promptfooconfig.json").write_text(json.dumps(suite))
        off = ("TELEMETRY", "UPDATE", "REMOTE_GENERATION")
        environment = {
            **os.environ,
            **{f"PROMPTFOO_DISABLE_{it}": "1" for it in off},
            "PROMPTFOO_CONFIG_DIR": str(folder / "state"),
        }
        program = ["node", str(promptfoo / "dist/src/entrypoint.js"), "eval", "--no-cache"]
        subprocess.run(  # its exit code says whether all passed
            [*program, "--no-table", "-c", "promptfooconfig.json", "-o", "out.json"],
            cwd=folder,
            env=environment,
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        results = json.loads((folder / "out.json").read_text())["results"]["results"]
    by_row = {it["metadata"]["row"]: it for it in results}
    told = [_told(by_row[row]) for row in range(len(pairs))]
    lines = []
    for number, assertion in enumerate(assertions()):
        graded = told[number * len(TEXTS) : (number + 1) * len(TEXTS)]
        lines.append(json.dumps({"assertion": assertion, "graded": graded}))
    version = json.loads((promptfoo / "package.json").read_text())["version"]
    head = f'{{"promptfoo": "{version}", "texts": {json.dumps(TEXTS)}, "rows": [\n'
    (HERE / "graded.json").write_text(head + ",\n".join(lines) + "\n]}\n")


def _told(result: dict[str, Any]) -> list[Any] | None:
    """Return whether a text passes, its score, and the reason; None if the code failed."""
    grading = result.get("gradingResult") or {}
    (found, *_) = grading.get("componentResults") or [None]
    if found is None:
        return None
    reason = found["reason"]
    failed = ("Custom function threw", "Python code execution failed", "Error running Python")
    if reason.startswith(failed):
        return None
    made = ("Assertion passed", "Custom function returned", "Python code returned", "Python score")
    return [found["pass"], found["score"], None if reason.startswith(made) else reason]


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PROMPTFOO)
