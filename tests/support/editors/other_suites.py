"""Suites of other tools, each with a mistake, and files of the same languages that are no suites."""

from __future__ import annotations

import json
from pathlib import Path

_TESTS = [{"vars": {"word": "hello"}, "assert": [{"type": "icontainsAny", "value": "hello"}]}]
_CONFIGURATION = json.dumps({"prompts": ["Say {{word}}"], "providers": ["echo"], "tests": _TESTS})
_YAML = """\
prompts: ["Say {{word}}"]
providers: [echo]
tests:
  - vars: {word: hello}
    assert:
      - {type: icontainsAny, value: hello}
"""
_EVAL = {"id": 1, "prompt": "Say hello", "expected_output": "Hello", "assertions": ["It greets"]}
_EVALS = {"skill_name": "greet", "evals": [_EVAL, {**_EVAL, "prompt": "Greet me"}]}
#: What is no suite, of either language; it has what would be a mistake in one.
NO_SUITES = {
    "package.json": json.dumps({"name": "greet", "tests": _TESTS[0], "evals": "none"}),
    "compose.yaml": "services: {greet: {image: greet}}\nassert: [{type: icontainsAny}]\n",
}
#: Those in JSON come first: each must have its server without one for YAML.
SUITES = {
    "skills/greet/evals/evals.json": json.dumps(_EVALS, indent=2),
    "promptfooconfig.yaml": _YAML,
    "promptfooconfig.nightly.yml": _YAML,
    "ci.promptfooconfig.yaml": _YAML,
    "json/promptfooconfig.json": _CONFIGURATION,
}
#: The rules that an editor shows in each file, with a space between two.
SHOWN = {
    **dict.fromkeys(NO_SUITES, ""),
    **dict.fromkeys(SUITES, "PF201"),
    "skills/greet/evals/evals.json": "AS005",
}


def write(folder: Path) -> dict[Path, str]:
    """Write them into a folder; return which rules an editor shows in each, those without any first."""
    for name, text in (NO_SUITES | SUITES).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return {folder / name: rules for name, rules in SHOWN.items()}


def shown(said: str) -> dict[Path, str]:
    """Return what an editor said that it shows, as lines of a path, a colon and rules."""
    lines = [line.partition(": ") for line in said.splitlines() if line.startswith("/")]
    return {Path(path.rstrip(":")): rules.strip() for path, _, rules in lines}
