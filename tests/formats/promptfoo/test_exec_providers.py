"""Providers that are programs: what a program is given, and what of its output is the answer."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from support.running.site import Ran, Site


def run(site: Site, command: str, config: dict[str, Any] | None = None, **env: str) -> Ran:
    """Run one test whose provider is a program."""
    whole = {
        "prompts": [{"raw": "{{question}}", "label": "plain"}],
        "providers": [{"id": f"exec:{command}", "label": "ours", "config": config or {}}],
        "tests": [
            {
                "description": "a test",
                "vars": {"question": 'Say "hi" $HOME'},
                "assert": [{"type": "contains", "value": "hi"}],
            }
        ],
    }
    site.write("promptfooconfig.yaml", json.dumps(whole))
    return site.run("promptfooconfig.yaml", "--format", "jsonl", env=env)


def test_a_program_is_given_prompt_options_and_context(site: Site) -> None:
    site.write("bot.py", "import json, sys\nprint(json.dumps(sys.argv[1:]))\n")
    ran = run(site, f"{sys.executable} bot.py 'one word'", {"level": "{{env.LEVEL}}"}, LEVEL="high")
    assert ran.code == 0, ran
    (record,) = ran.records.values()
    assert (record["target"], record["answered_by"]) == ("ours", "program")
    word, prompt, options, context = json.loads(record["candidate_answer"])
    assert (word, prompt) == ("one word", 'Say "hi" $HOME')
    assert json.loads(options)["config"] == {"level": "high", "basePath": str(site.root)}
    told = json.loads(context)
    assert told["vars"] == {"question": prompt}
    assert told["prompt"] == {"raw": prompt, "label": "plain"}


@pytest.mark.parametrize(
    ("program", "answer"),
    [
        ("print('  hi \\n')", "hi"),
        ("print('\\x1b[31mhi\\x1b[0m')", "hi"),
        ("import sys; print('hi'); print('a warning', file=sys.stderr)", "hi"),
    ],
)
def test_the_answer_is_what_a_program_prints(site: Site, program: str, answer: str) -> None:
    site.write("bot.py", program)
    (record,) = run(site, f"{sys.executable} bot.py").records.values()
    assert record["candidate_answer"] == answer


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("raise SystemExit(3)", "ended with exit code 3"),
        ("import sys; print('no key', file=sys.stderr)", "no key"),
    ],
)
def test_a_program_that_fails_is_an_error(site: Site, program: str, message: str) -> None:
    site.write("bot.py", program)
    ran = run(site, f"{sys.executable} bot.py")
    assert ran.code == 3
    assert message in ran.out


def test_a_program_that_is_not_there_is_an_error(site: Site) -> None:
    ran = run(site, "no-such-program-here")
    assert ran.code == 3
    assert "no-such-program-here" in ran.out + ran.err


def test_an_empty_command_is_refused(site: Site) -> None:
    ran = run(site, " ")
    assert ran.code != 0
    assert "names no program" in ran.out + ran.err
