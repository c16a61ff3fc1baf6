"""Suites that cost a checker most, of any size: `python noisy.py FOLDER CASES...` writes them.

Each case of `noisy_suite` is 1.2 KB long and has a checklist item, a rubric with score ranges, a judge
with a prompt file, an evaluator with a JSON Schema of its own, and a finding. `data_set` has plain
cases, which can be run by the hundred thousand.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

HEAD = """\
description: Support replies, of which each case has a finding
execution: {target: assistant}
evalcases:
"""
#: The finding is `unknown-key`, an error in the editor and in CI.
NOISY_CASE = """\
  - id: case-{n}
    expected_outcome: |-
      Explains topic {n} to a newcomer, with an example and without jargon,
      and says where to read on.
    notez: reviewed in week {n}
    input_messages:
      - role: system
        content: You are a patient teacher.
      - role: user
        content: "What is topic {n}, and why does it matter? Answer as JSON."
    rubrics:
      - {{id: example, expected_outcome: Names an example of topic {n}}}
      - id: depth
        required_min_score: 4
        score_ranges:
          0: Says nothing about topic {n}
          4: Names the topic and what it is for
          8: Explains the topic, its use, and where it does not help
    evaluators:
      - name: tone
        type: llm_judge
        prompt: prompts/tone.md
        weight: 2
      - name: shape
        type: json_schema
        schema:
          type: object
          required: [topic, answer, sources]
          properties:
            topic: {{type: string, minLength: 3, maxLength: 80}}
            answer: {{type: string, minLength: 20}}
            sources:
              type: array
              minItems: 1
              items: {{type: string, pattern: "^https://"}}
            confidence: {{type: number, minimum: 0, maximum: 1}}
          additionalProperties: false

"""
ANSWER = {
    "topic": "parcels",
    "answer": "For example, yours arrives within three working days.",
    "sources": ["https://example.com"],
}
#: Of both judges: the one with the checklist, and the one with the prompt file.
VERDICT = {
    "score": 0.9,
    "hits": ["Gives an example"],
    "misses": [],
    "checks": [
        {"id": "example", "reasoning": "It has one.", "satisfied": True},
        {"id": "depth", "reasoning": "It says what it is for.", "score": 7},
    ],
    "reasoning": "It is there.",
}
TARGETS = {
    "targets": [
        {
            "name": "assistant",
            "provider": "mock",
            "response": json.dumps(ANSWER),
            "judge_target": "judge",
        },
        {"name": "judge", "provider": "mock", "response": json.dumps(VERDICT)},
    ]
}
PROMPT = """\
Is the tone of this answer friendly?

{{candidate_answer}}
"""
#: About 1 KB of context, as in data sets of questions about a passage.
PASSAGE = "The parcel left the warehouse on Monday and is expected within three working days. " * 11


def noisy_suite(cases: int) -> str:
    """Return the text of a suite in which each case has a finding."""
    return HEAD + "".join(NOISY_CASE.format(n=number) for number in range(cases))


def sound_suite(cases: int) -> str:
    """Return the same suite without the findings."""
    return noisy_suite(cases).replace("    notez: ", "    note: ")


def data_set(cases: int) -> Iterator[str]:
    """Yield the lines of a data set with plain cases of about 1 KB."""
    for number in range(cases):
        case = {
            "id": f"case-{number}",
            "expected_outcome": f"Says that parcel {number} arrives within three working days",
            "input": f"{PASSAGE}\nWhen does parcel {number} arrive?",
            "evaluators": [{"name": "days", "type": "contains", "value": "three working days"}],
        }
        yield json.dumps(case) + "\n"


def write(folder: Path, cases: int) -> tuple[Path, Path, Path]:
    """Write the three of one size, and what they refer to; returns their paths."""
    (folder / "prompts").mkdir(parents=True, exist_ok=True)
    (folder / "prompts" / "tone.md").write_text(PROMPT, "utf-8")
    (folder / "targets.yaml").write_text(json.dumps(TARGETS, indent=2) + "\n", "utf-8")
    noisy = folder / f"noisy-{cases}.eval.yaml"
    noisy.write_text(noisy_suite(cases), "utf-8")
    sound = folder / f"sound-{cases}.eval.yaml"
    sound.write_text(sound_suite(cases), "utf-8")
    lines = folder / f"data-{cases}.jsonl"
    with lines.open("w", encoding="utf-8") as file:
        file.writelines(data_set(cases))
    sidecar = {"execution": {"target": "assistant"}}
    lines.with_suffix(".yaml").write_text(json.dumps(sidecar) + "\n", "utf-8")
    return noisy, sound, lines


if __name__ == "__main__":
    for size in sys.argv[2:]:
        for path in write(Path(sys.argv[1]), int(size)):
            print(path)
