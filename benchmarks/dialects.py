"""A configuration of promptfoo beside a suite of ours of that size: `python benchmarks/dialects.py`.

Both have as many tests as cases, of about the same length. Each is open in a language server of its own, and
the keys are pressed in turn, so that a busy machine affects both alike. The tests of the configuration fill
variables into prompts in the file and in another one.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

from gates import in_turn, row
from suites import suite
from typing_session import Press, TypingSession

from suitecase.checking.check import check_text
from suitecase.format.workspace import Workspace

NAME, CONFIGURATION = "typed.eval.yaml", "promptfooconfig.yaml"
SERVER = [sys.executable, "-m", "suitecase", "lsp"]
HEAD = """\
description: A generated configuration
prompts:
  - file://prompt.txt
  - "In one sentence: {{question}} ({{audience}}, {{length}})"
providers:
  - id: openai:gpt-4.1-mini
    label: small
  - echo
defaultTest:
  options:
    provider: openai:gpt-4.1
  assert:
    - {type: latency, threshold: 10000}
tests:
"""
TEST = """\
  # Test {n}
  - description: Topic {n}
    vars:
      question: "What is topic {n}, and why does it matter?"
      audience: |-
        A newcomer, who wants an example and no jargon,
        and to know where to read on.
      length: short
    metadata:
      area: topics
    assert:
      - type: llm-rubric
        value: Names an example for {{{{question}}}}
      - type: icontains-any
        value: [topic {n}, example]
      - type: javascript
        value: output.length < 2000 && !output.includes("jargon")
      - type: regex
        value: "[Tt]opic {n}"
        weight: 2
      - type: is-json
        value: {{type: object, required: [answer], properties: {{answer: {{type: string}}}}}}

"""
PROMPT = "You are a patient teacher for {{audience}}.\n\nAnswer in {{length}}: {{question}}\n"


def check_seconds(path: Path, text: str) -> float:
    """Return the processor time of parsing and checking a text."""
    gc.collect()
    start = process_time()
    found = check_text(path, text, Workspace(path.parent)).findings
    seconds = process_time() - start
    assert not found, found[:3]
    return seconds


class Typing:
    """A text that is open in a server, in the middle of which a word grows."""

    def __init__(self, path: Path, text: str, word: str) -> None:
        before = text[: text.index(word) + len(word)]
        self._line, self._column = before.count("\n"), len(before) - before.rfind("\n") - 1
        self.session = TypingSession(SERVER, path.parent, text, tells_versions=True, name=path.name)

    def key_seconds(self) -> float:
        """Press a key, and return how long the diagnostics took."""
        pressed = Press(self._line, self._column, self._column, "x")
        self._column += 1
        return self.session.press(pressed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=5, help="checks of the whole text")
    parser.add_argument("--keys", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "prompt.txt").write_text(PROMPT, "utf-8")
        configuration = HEAD + "".join(TEST.format(n=n) for n in range(arguments.cases))
        texts = {NAME: suite(arguments.cases), CONFIGURATION: configuration}
        checks: list[Callable[[], float]] = []
        keys: list[Typing] = []
        for name, text in texts.items():
            path = folder / name
            path.write_text(text, "utf-8")
            checks.append(partial(check_seconds, path, text))
            keys.append(Typing(path, text, f"What is topic {arguments.cases // 2}"))
        print(f"| {arguments.cases:,} cases, ms | ours | promptfoo | x |")
        print("|---|---|---|---|")
        row("check, processor time", *in_turn(checks[0], checks[1], arguments.runs))
        for typing in keys:
            for _ in range(5):
                typing.key_seconds()
        row(
            "key to diagnostics", *in_turn(keys[0].key_seconds, keys[1].key_seconds, arguments.keys)
        )
        for typing in keys:
            typing.session.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
