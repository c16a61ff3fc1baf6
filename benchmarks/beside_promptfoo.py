"""Configurations of promptfoo, run by `suitecase run` and by promptfoo itself: `make benchmark-promptfoo`.

Both run the same file: with `echo` and two assertions on texts, with a model on the loopback interface
that answers after 50 ms, 64 at a time, and with assertions in JavaScript and in Python. promptfoo is
measured as `make benchmark-peers` installs it, without its cache and its table.
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
    """Return a configuration with so many tests."""
    listed = (f"  - vars: {{number: 'n{it}'}}\n    assert: [{assertions}]\n" for it in range(tests))
    return f"{head}tests:\n{''.join(listed)}"


def ours(path: Path) -> list[str]:
    """Return our command."""
    return [
        sys.executable, "-m", "suitecase", "run", path.name, "-q", "--concurrency", str(CONCURRENCY),
        "--output", "results/",
    ]  # fmt: skip


def theirs(path: Path) -> list[str]:
    """Return the command of promptfoo."""
    return [
        "node", str(PROMPTFOO), "eval", "-c", path.name, "--no-cache", "--no-table",
        "--no-progress-bar", "-j", str(CONCURRENCY), "-o", "promptfoo.json",
    ]  # fmt: skip


def compare(what: str, tests: int, text: str, folder: Path, runs: int) -> None:
    """Print what both take for a configuration."""
    path = folder / "promptfooconfig.yaml"
    path.write_text(text, "utf-8")
    own = _measured(ours(path), folder, runs)
    other = _measured(theirs(path), folder, runs)
    ratios = (
        f"{own.wall / other.wall:.2f}, {own.cpu / other.cpu:.2f}, {own.memory / other.memory:.2f}"
    )
    print(f"| {what} | {tests:,} | {_shown(own)} | {_shown(other)} | {ratios} |", flush=True)


def _measured(command: Sequence[str], folder: Path, runs: int) -> Figures:
    found = measure(command, folder, runs)
    if found.exit_code != 0:
        raise RuntimeError(f"{' '.join(command)} ended with exit code {found.exit_code}")
    return found


def _shown(figures: Figures) -> str:
    return f"{figures.wall:.2f} s, {figures.cpu:.2f} s CPU, {figures.memory:.0f} MB"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    if not PROMPTFOO.exists():
        print("promptfoo is not there: `make benchmark-peers` installs it", file=sys.stderr)
        return 2
    os.environ.update(QUIET)
    with tempfile.TemporaryDirectory() as name, slow_model() as address:
        folder = Path(name)
        keep_bytecode(folder)
        os.environ["PROMPTFOO_CONFIG_DIR"] = str(folder / "config")
        print("| configuration | tests | suitecase run | promptfoo eval | wall, CPU, memory |")
        print("|---|---|---|---|---|")
        for tests in (1, 200, 1_000):
            compare("echo, two texts", tests, configuration(ECHO, TEXT, tests), folder, runs)
        head = MODEL.format(address=address, concurrency=CONCURRENCY)
        asked = f"a model of {DELAY * 1000:.0f} ms, {CONCURRENCY} at once"
        for tests in (200, 1_000):
            compare(asked, tests, configuration(head, ANSWERED, tests), folder, runs)
        for language, assertion in (("JavaScript", JAVASCRIPT), ("Python", PYTHON)):
            text = configuration(ECHO, assertion, 200)
            compare(f"an assertion in {language}", 200, text, folder, runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
