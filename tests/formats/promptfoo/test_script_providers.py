"""Providers that are scripts: functions in Python and classes in JavaScript answer rows."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from support.running.site import Ran, Site

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")


@pytest.fixture(autouse=True)
def python_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPTFOO_PYTHON", sys.executable)


def run(
    site: Site, provider: Any, *assertions: Any, options: Sequence[str] = (), **rest: Any
) -> Ran:
    configuration = {
        "prompts": ["Hi {{name}}"],
        "providers": [provider],
        "tests": [{"vars": {"name": it}, "assert": list(assertions)} for it in ("Ann", "Bob")],
        **rest,
    }
    site.write("promptfooconfig.json", json.dumps(configuration))
    return site.run("promptfooconfig.json", "--format", "jsonl", *options)


def answers(ran: Ran) -> list[str]:
    """Return the answers in alphabetical order, since rows end in any order."""
    assert ran.records, ran.err
    return sorted(it["candidate_answer"] for it in ran.records.values())


@pytest.mark.parametrize(
    "id_", ["file://answers.py", "python:answers.py", "python:answers.py:call_api"]
)
def test_a_function_in_python_answers(site: Site, id_: str) -> None:
    site.write(
        "answers.py",
        "import os\ndef call_api(prompt, options, context):\n"
        "    print('noise')\n"
        "    told = [prompt, options['config']['tone'], context['vars']['name'], os.environ['MODE']]\n"
        "    return {'output': ' | '.join(told), 'cost': 0.5,\n"
        "            'tokenUsage': {'total': 5, 'prompt': 2, 'completion': 3}}\n",
    )
    provider = {"id": id_, "label": "mine", "config": {"tone": "dry"}, "env": {"MODE": "test"}}
    ran = run(site, provider, {"type": "cost", "threshold": 0.5})
    assert answers(ran) == ["Hi Ann | dry | Ann | test", "Hi Bob | dry | Bob | test"]
    first = next(iter(ran.records.values()))
    assert (first["target"], first["verdict"]) == ("mine", "pass")
    assert first["trace_summary"]["token_usage"] == {"input": 2, "output": 3}


def test_a_function_of_another_name_answers(site: Site) -> None:
    site.write(
        "answers.py", "async def echo(prompt, options, context):\n    return {'output': prompt}\n"
    )
    assert answers(run(site, "file://answers.py:echo")) == ["Hi Ann", "Hi Bob"]


def test_a_script_that_receives_the_test_is_called_again_when_the_test_changes(site: Site) -> None:
    site.write(
        "answers.py",
        "def call_api(prompt, options, context):\n"
        "    open('calls.txt', 'a').write('x')\n"
        "    return {'output': str(context['test'].get('threshold'))}\n",
    )
    for threshold, calls in ((0.5, 1), (0.5, 1), (0.25, 2)):
        test = {"threshold": threshold, "assert": [{"type": "equals", "value": str(threshold)}]}
        ran = run(site, "file://answers.py", options=("--cache", "read"), tests=[test])
        assert answers(ran) == [str(threshold)]
        assert len((site.root / "calls.txt").read_text()) == calls


@needs_node
@pytest.mark.parametrize("name", ["answers.mjs", "answers.cjs"])
def test_a_class_in_javascript_answers(site: Site, name: str) -> None:
    exported = "export default" if name == "answers.mjs" else "module.exports ="
    site.write(
        name,
        f"{exported} class {{\n"
        "  constructor(options) { this.options = options; this.count = 0; }\n"
        "  id() { return this.options.id; }\n"
        "  async callApi(prompt, context) {\n"
        "    context.logger.info('asked'); console.log('noise');\n"
        "    this.count += 1;\n"
        "    return { output: [prompt, this.options.config.tone, context.vars.name].join(' | ') };\n"
        "  }\n};\n",
    )
    ran = run(site, {"id": f"file://{name}", "config": {"tone": "dry"}})
    assert answers(ran) == ["Hi Ann | dry | Ann", "Hi Bob | dry | Bob"]


@needs_node
def test_an_answer_that_is_an_object_stays_one_for_code(site: Site) -> None:
    site.write(
        "answers.py", "def call_api(prompt, *_):\n    return {'output': {'said': [prompt]}}\n"
    )
    ran = run(
        site,
        "file://answers.py",
        {"type": "javascript", "value": "output.said[0].startsWith('Hi')"},
        {"type": "python", "value": "output['said'] == [context['prompt']]"},
        {"type": "contains", "value": '{"said":["Hi'},
    )
    assert [it["verdict"] for it in ran.records.values()] == ["pass", "pass"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return {'error': 'over quota'}", "the script returned an error: over quota"),
        ("return {'output': None}", "the script returned no output"),
        ("return 'text'", "the script has to return an object with `output` or `error`"),
        ("return prompt.nothing", "`answers.py` failed: AttributeError: 'str' object has no attribute 'nothing' (answers.py:2)"),
        ("import os; return os.environ['SOME_API_KEY']", "`SOME_API_KEY` is set, but scripts have only the variables that stand under `env`"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_an_error_of_the_environment(
    site: Site, body: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789abcdef")
    site.write("answers.py", f"def call_api(prompt, options, context):\n    {body}\n")
    ran = run(site, "file://answers.py")
    assert ran.code == 3
    errors = {it["error"] for it in ran.records.values()}
    assert all(message in it for it in errors), errors


def test_a_cost_and_a_count_that_no_double_holds_are_unknown(site: Site) -> None:
    site.write(
        "answers.py",
        "def call_api(prompt, *_):\n    return {'output': prompt, 'cost': 10**400,\n"
        "            'tokenUsage': {'prompt': 10**400, 'completion': 3}}\n",
    )
    ran = run(site, "file://answers.py")
    assert answers(ran) == ["Hi Ann", "Hi Bob"], ran.err
    summary = next(iter(ran.records.values()))["trace_summary"]
    assert (summary["cost_usd"], summary["token_usage"]) == (None, None)


def test_a_secret_that_a_script_is_given_is_in_no_record(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789abcdef")
    site.write(
        "answers.py",
        "import os\ndef call_api(*_):\n    return {'output': os.environ['GIVEN'] * 2}\n",
    )
    provider = {"id": "file://answers.py", "config": {"env": {"GIVEN": "{{ env.SOME_API_KEY }}"}}}
    ran = run(site, provider)
    assert all("0123456789" not in it and it for it in answers(ran))


def test_an_interpreter_that_is_missing_is_found_before_anything_is_asked(site: Site) -> None:
    site.write("answers.py", "def call_api(*_):\n    return {'output': 'x'}\n")
    ran = run(site, {"id": "file://answers.py", "config": {"pythonExecutable": "no-such-python"}})
    assert (ran.code, ran.out) == (3, "")
    assert "there is no program `no-such-python`" in ran.err
