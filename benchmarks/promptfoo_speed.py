"""The speed of `suitecase run` and promptfoo with the same configurations: `make benchmark-promptfoo`.

The configurations have `echo` and two string assertions, a model on the loopback interface that answers
after 50 ms with 64 calls at once, and assertions in JavaScript and Python. promptfoo is the version that
`make benchmark-peers` installs, and runs without its cache and its table.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measure import Figures, keep_bytecode, measure

from run import CONCURRENCY, DELAY, PEERS, QUIET, slow_model

PROMPTFOO = PEERS / "node_modules/promptfoo/dist/src/entrypoint.js"
ECHO = "prompts: ['What is {{number}} plus one?']\nproviders: [echo]\n"
MODEL = """\
prompts: ['What is {{{{number}}}} plus one?']
providers:
  - id: openai:chat:slow
    config: {{apiBaseUrl: "{address}", apiKey: none}}
evaluateOptions: {{maxConcurrency: {concurrency}}}
"""
TEXT = "{type: contains, value: '{{number}}'}, {type: icontains, value: PLUS}"
ANSWERED = "{type: contains, value: score}"
JAVASCRIPT = "{type: javascript, value: 'output.includes(context.vars.number)'}"
PYTHON = "{type: python, value: \"context['vars']['number'] in output\"}"


def configuration(head: str, assertions: str, tests: int) -> str:
    """Return a configuration with a number of tests."""
    listed = (
        f"  - vars: {{number: 'n{number}'}}\n    assert: [{assertions}]\n"
        for number in range(tests)
    )
    return f"{head}tests:\n{''.join(listed)}"


def suitecase_command(path: Path) -> list[str]:
    """Return the command of Suitecase."""
    return [
        sys.executable, "-m", "suitecase", "run", path.name, "-q", "--concurrency", str(CONCURRENCY),
        "--output", "results/",
    ]  # fmt: skip


def promptfoo_command(path: Path) -> list[str]:
    """Return the command of promptfoo."""
    return [
        "node", str(PROMPTFOO), "eval", "-c", path.name, "--no-cache", "--no-table",
        "--no-progress-bar", "-j", str(CONCURRENCY), "-o", "promptfoo.json",
    ]  # fmt: skip


def compare(label: str, tests: int, text: str, folder: Path, runs: int) -> None:
    """Print the time and memory that both need for a configuration."""
    path = folder / "promptfooconfig.yaml"
    path.write_text(text, "utf-8")
    ours = _figures(suitecase_command(path), folder, runs)
    theirs = _figures(promptfoo_command(path), folder, runs)
    ratios = f"{ours.wall / theirs.wall:.2f}, {ours.cpu / theirs.cpu:.2f}, {ours.memory / theirs.memory:.2f}"
    print(f"| {label} | {tests:,} | {_cell(ours)} | {_cell(theirs)} | {ratios} |", flush=True)


def _figures(command: Sequence[str], folder: Path, runs: int) -> Figures:
    found = measure(command, folder, runs)
    if found.exit_code != 0:
        raise RuntimeError(f"{' '.join(command)} ended with exit code {found.exit_code}")
    return found


def _cell(figures: Figures) -> str:
    return f"{figures.wall:.2f} s, {figures.cpu:.2f} s CPU, {figures.memory:.0f} MB"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    if not PROMPTFOO.exists():
        print("promptfoo is not installed; run `make benchmark-peers`", file=sys.stderr)
        return 2
    os.environ.update(QUIET)
    with tempfile.TemporaryDirectory() as name, slow_model() as address:
        folder = Path(name)
        keep_bytecode(folder)
        os.environ["PROMPTFOO_CONFIG_DIR"] = str(folder / "config")
        print("| configuration | tests | suitecase run | promptfoo eval | wall, CPU, memory |")
        print("|---|---|---|---|---|")
        for tests in (1, 200, 1_000):
            compare(
                "echo, two string assertions", tests, configuration(ECHO, TEXT, tests), folder, runs
            )
        head = MODEL.format(address=address, concurrency=CONCURRENCY)
        label = f"a model of {DELAY * 1000:.0f} ms, {CONCURRENCY} at once"
        for tests in (200, 1_000):
            compare(label, tests, configuration(head, ANSWERED, tests), folder, runs)
        for language, assertion in (("JavaScript", JAVASCRIPT), ("Python", PYTHON)):
            text = configuration(ECHO, assertion, 200)
            compare(f"an assertion in {language}", 200, text, folder, runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
