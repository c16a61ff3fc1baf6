"""A workspace in which every name and text would take over a terminal that shows it as it is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from support.running.processes import suitecase, write

#: Clears the screen, sets its title, hides what follows, reorders it, and hides within it.
ATTACK = "\x1b[2J\x1b]0;pwned\x07\x1b[8m\x9b31m\u202e\u2066\u200f\u061c\u200b\u2028\r\x08\x7fEnd"
#: The beginning of a line that a user would believe.
FORGED = "\nAll checks passed (1 suite, 1 case)."
#: What none of it may become: characters that are not seen, apart from line ends and tabs.
RAW = re.compile(
    "\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ud800-\udfff]"
)
#: The styles that are ours.
STYLE = re.compile(r"\x1b\[(?:0|(?:[124]|3[1-6])(?:;(?:[124]|3[1-6]))*)m")
NAME = f"a {ATTACK.replace(chr(0x2028), '')} b"
SUITE = f"{NAME}.eval.yaml"
BROKEN = f"broken {NAME}.eval.yaml"
#: Attack characters of each kind in the place of every name.
CASE = f"case {ATTACK}"
PROMPTFOO = {
    "description": f"suite {ATTACK}",
    "providers": [f"echo{ATTACK}", "echo", {"id": "file://p.py", "label": f"label {ATTACK}"}],
    "prompts": ["p {{a" + ATTACK + "}}", f"plain {ATTACK} {{{{q}}}}"],
    "tests": [
        {
            "description": f"test {ATTACK}",
            "vars": {f"q{ATTACK}": f"value {ATTACK}", "q": f"value {ATTACK}"},
            "assert": [
                {"type": f"contains{ATTACK}", "value": f"x {ATTACK}"},
                {"type": "contains", "value": f"x {ATTACK}", f"metrik{ATTACK}": 1},
                {"type": "is-json", "value": {f"key {ATTACK}": f"x {ATTACK}"}},
            ],
        }
    ],
    f"defaultTst{ATTACK}": {},
}
AGENT_SKILLS = {
    "skill_name": f"skill {ATTACK}",
    f"extra {ATTACK}": 1,
    "evals": [
        {
            "id": f"id {ATTACK}",
            "prompt": f"prompt {ATTACK}",
            "expected_output": f"output {ATTACK}",
            "files": [f"missing {ATTACK}.txt"],
            f"expectatoins{ATTACK}": [f"one {ATTACK}"],
            "expectations": [f"one {ATTACK}", f"one {ATTACK}"],
        }
    ],
}
AGENTV = {
    "description": f"suite {ATTACK}",
    f"unknown {ATTACK}": 1,
    "tests": [
        {
            "id": f"test {ATTACK}",
            "criteria": f"criteria {ATTACK}",
            "input": f"input {ATTACK}",
            f"asert{ATTACK}": 1,
            "assert": [{"type": f"type{ATTACK}"}, f"text {ATTACK}"],
        }
    ],
}


def sound_suite() -> dict[str, Any]:
    """Return a suite that is graded, with an attack in every name and text."""
    return {
        "description": f"about {ATTACK}",
        "dataset": f"set {ATTACK}",
        "version": f"1 {ATTACK}",
        "execution": {"target": f"bot {ATTACK}"},
        "gates": ["pass_rate >= 90%"],
        "slices": {"own": {"tags": f"tag {ATTACK}"}},
        "human": {f"judged {ATTACK}": {"labels": ["labels/*.csv"]}},
        "evalcases": [
            {
                "id": f"{CASE} {number}",
                "tags": [f"tag {ATTACK}"],
                "metadata": {f"key {ATTACK}": f"value {ATTACK}"},
                "input": f"input {ATTACK}",
                "expected_outcome": f"expected {ATTACK}",
                "execution": {
                    "evaluators": [
                        {
                            "name": f"judged {ATTACK}",
                            "type": "llm_judge",
                            "target": f"judge {ATTACK}",
                            "rubrics": [
                                {"id": f"item {ATTACK}", "expected_outcome": f"does {ATTACK}"}
                            ],
                        },
                        {"name": f"found {ATTACK}", "type": "contains", "value": f"x {ATTACK}"},
                    ]
                },
            }
            for number in range(2)
        ],
    }


def broken_suite() -> dict[str, Any]:
    """Return a suite with mistakes whose messages quote its names."""
    suite = sound_suite()
    case = suite["evalcases"][0]
    return {
        **suite,
        f"unknown {ATTACK}": 1,
        "execution": {"target": f"missing {ATTACK}"},
        "gates": [f"nothing{ATTACK} > 1", f"pass_rate[{ATTACK}] > 1"],
        "evalcases": [
            {**case, f"typo {ATTACK}": 1, "rubrics": [{"id": 1, f"typo {ATTACK}": 2}]},
            {**case, f"{ATTACK}{FORGED}": 1, "outcome": f"x {ATTACK}"},
            {
                "id": f"third {ATTACK}",
                "input": [{"role": f"role {ATTACK}", "content": 1}],
                "expected_outcome": "x",
                "execution": {"evaluators": [{"name": "n", "type": f"type {ATTACK}"}]},
            },
        ],
    }


TARGETS = {
    "targets": [
        {"name": f"bot {ATTACK}", "provider": "mock", "response": f"answer {ATTACK}{FORGED}"},
        {"name": f"judge {ATTACK}", "provider": "mock", "response": f"no verdict {ATTACK}{FORGED}"},
        {
            "name": f"fails {ATTACK}",
            "provider": "cli",
            "command_template": "cat attack.txt >&2; exit 3",
        },
        {
            "name": f"writer {ATTACK}",
            "provider": "mock",
            "response": json.dumps(
                {"rubrics": [{"id": f"new {ATTACK}", "expected_outcome": f"says {ATTACK}{FORGED}"}]}
            ),
        },
        {"name": f"other {ATTACK}", "provider": f"provider {ATTACK}", f"key {ATTACK}": 1},
    ]
}


def hostile_workspace(folder: Path) -> Path:
    """Write the workspace, with the results of a run in `run.jsonl`."""
    (folder / ".git").mkdir()
    write(folder, SUITE, json.dumps(sound_suite()))
    write(folder, "targets.yaml", json.dumps({"targets": TARGETS["targets"][:4]}))
    write(folder, "attack.txt", f"error {ATTACK}{FORGED}")
    ran = suitecase("run", SUITE, "--output", "run.jsonl", cwd=folder)
    assert ran.returncode in (1, 3), ran.stderr
    plain = sound_suite()
    plain["evalcases"] = [
        {key: it for key, it in case.items() if key != "execution"} for case in plain["evalcases"]
    ]
    write(folder, "plain.eval.yaml", json.dumps(plain))
    write(folder, BROKEN, json.dumps(broken_suite()))
    write(folder, f"{NAME}/promptfooconfig.yaml", json.dumps(PROMPTFOO))
    write(folder, f"{NAME}/evals/evals.json", json.dumps(AGENT_SKILLS))
    write(folder, f"{NAME}/agent.eval.yaml", json.dumps(AGENTV))
    write(folder, f"{NAME}/targets.yaml", json.dumps(TARGETS))
    write(folder, f"{NAME}/data.jsonl", "".join(f"{json.dumps(it)}\n" for it in _lines()))
    write(folder, f"{NAME}/data.yaml", json.dumps({f"unknown {ATTACK}": 1}))
    write(
        folder, f"{NAME}/syntax.eval.yaml", 'evalcases:\n  - id: "\u202e\u200b" x\n  - *\u202eno\n'
    )
    write(
        folder,
        "comment.eval.yaml",
        f"# \u202e{json.dumps(ATTACK)}\nevalcases:\n  - id: \u202ea\n    outcome: \u202eb\n    input: c\n",
    )
    return folder


def _lines() -> list[dict[str, Any]]:
    return [
        {"id": f"line {ATTACK}", "input": f"x {ATTACK}", f"criteira {ATTACK}": f"y {ATTACK}"},
        {"id": f"line {ATTACK}", "input": 1, "expected_outcome": f"y {ATTACK}"},
    ]
