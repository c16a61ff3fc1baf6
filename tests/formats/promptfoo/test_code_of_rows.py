"""Functions that make prompts, and code that changes answers."""

from __future__ import annotations

import json
import shutil
import sys
from typing import Any

import pytest

from support.running.site import Ran, Site

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")


@pytest.fixture(autouse=True)
def python_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPTFOO_PYTHON", sys.executable)


def run(site: Site, prompt: Any = "Hi {{name}}", **test: Any) -> Ran:
    configuration = {
        "prompts": [prompt],
        "providers": [test.pop("provider", "echo")],
        "tests": [{"vars": {"name": "Ann"}, **test}],
    }
    site.write("promptfooconfig.json", json.dumps(configuration))
    return site.run("promptfooconfig.json", "--format", "jsonl")


def record(ran: Ran) -> dict[str, Any]:
    assert ran.records, ran.err
    (found,) = ran.records.values()
    return found


def answer(ran: Ran) -> str:
    found: str = record(ran)["candidate_answer"]
    return found


def test_a_function_in_python_makes_the_prompt(site: Site) -> None:
    site.write(
        "prompts.py",
        "def ask(context):\n"
        "    return f\"{context['config']['tone']} {context['provider']['id']}: {{{{name}}}}\"\n",
    )
    prompt = {"raw": "file://prompts.py:ask", "label": "asks", "config": {"tone": "dry"}}
    ran = run(
        site, prompt, **{"assert": [{"type": "python", "value": "context['prompt'] == output"}]}
    )
    assert answer(ran) == "dry echo: Ann"
    assert record(ran)["verdict"] == "pass"
    ran = run(site, prompt, provider={"id": "echo", "label": "mine"})
    assert answer(ran) == "dry echo: Ann"


def test_what_a_script_in_python_prints_is_the_prompt(site: Site) -> None:
    site.write(
        "prompts.py",
        "import json, sys\ncontext = json.loads(sys.argv[1])\n"
        "print('Dear', context['vars']['name'])\nprint('bye')\n",
    )
    assert answer(run(site, "file://prompts.py")) == "Dear Ann\nbye"


@pytest.mark.parametrize(
    ("script", "made"),
    [
        # A process of its own buffers what Python prints, too.
        (
            "print('first')\nsubprocess.run(['echo', 'x'])\nos.write(1, b'y')\n",
            "x\nyfirst",
        ),
        ("print('first', flush=True)\nsubprocess.run(['echo', 'x'])\n", "first\nx"),
        ("subprocess.Popen(['sh', '-c', 'sleep 0.3; echo late'])\n", "late"),
        ("print('a')\nsys.exit(0)\n", "a"),
        ("print('a')\nsys.exit()\n", "a"),
        ("print('a')\nsys.stdout.close()\n", "a"),
        ("print('a')\nsys.stdout.detach().flush()\n", "a"),
        ("sys.__stdout__.write('a')\n", "a"),
        ("sys.stdout.buffer.write(b'a' * 300_000)\n", "a" * 300_000),
    ],
)
def test_all_of_the_standard_output_of_a_script_is_the_prompt(
    site: Site, script: str, made: str
) -> None:
    site.write("prompts.py", f"import os, subprocess, sys\n{script}")
    ran = run(site, "file://prompts.py", **{"assert": [{"type": "python", "value": "True"}]})
    assert answer(ran) == made
    assert record(ran)["verdict"] == "pass"


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("print('a')\nsys.exit(3)\n", "SystemExit: 3 (prompts.py:3)"),
        ("print('a')\nsys.exit('no key')\n", "SystemExit: no key (prompts.py:3)"),
        ("print('a')\nopen('/no/such')\n", "FileNotFoundError: "),
    ],
)
def test_a_script_that_fails_makes_the_row_an_error(site: Site, script: str, error: str) -> None:
    site.write("prompts.py", f"import os, subprocess, sys\n{script}")
    ran = run(site, "file://prompts.py")
    assert ran.code == 3
    assert f"the prompt: `prompts.py` failed: {error}" in record(ran)["error"]


def test_after_a_script_the_process_answers_as_before(site: Site) -> None:
    site.write("prompts.py", "import subprocess\nsubprocess.run(['echo', 'x'])\n")
    configuration = {
        "prompts": ["file://prompts.py"],
        "providers": ["echo"],
        "tests": [{"vars": {"name": str(number)}} for number in range(20)],
    }
    site.write("promptfooconfig.json", json.dumps(configuration))
    ran = site.run("promptfooconfig.json", "--format", "jsonl")
    assert [record["candidate_answer"] for record in ran.records.values()] == ["x"] * 20


@needs_node
@pytest.mark.parametrize(
    "provider",
    [
        ("answers.mjs", "throw new Error('x'.repeat(9000000))"),
        ("answers.mjs", "return {error: 'x'.repeat(9000000)}"),
        ("answers.mjs", "const e = new Error('y'); e.name = 'x'.repeat(9000000); throw e"),
    ],
)
def test_a_long_message_of_an_error_is_cut(site: Site, provider: tuple[str, str]) -> None:
    name, body = provider
    site.write(name, f"export default class {{ id() {{ return 'a' }} callApi() {{ {body} }} }}")
    ran = run(site, provider=f"file://{name}")
    assert ran.code == 3
    error = record(ran)["error"]
    assert "xxx... (8,99" in error
    assert "more characters left out)" in error
    assert len(ran.out) < 10_000


@needs_node
@pytest.mark.parametrize(
    ("name", "script", "made"),
    [
        ("p.mjs", "export default ({ vars }) => `Dear ${vars.name}`", "Dear Ann"),
        ("p.mjs:ask", "export const ask = async ({ vars }) => `Dear ${vars.name}`", "Dear Ann"),
        ("p.cjs", "module.exports = () => ({ prompt: 'Dear {{name}}' })", "Dear Ann"),
        ("p.js", "module.exports = () => [{ role: 'user', content: '{{name}}' }]",
         '[\n  {\n    "role": "user",\n    "content": "Ann"\n  }\n]'),
    ],
)  # fmt: skip
def test_a_function_in_javascript_makes_the_prompt(
    site: Site, name: str, script: str, made: str
) -> None:
    site.write(name.partition(":")[0], script)
    assert answer(run(site, f"file://{name}")) == made


def test_a_function_that_fails_makes_the_row_an_error(site: Site) -> None:
    site.write("prompts.py", "def ask(context):\n    return context['nothing']\n")
    ran = run(site, "file://prompts.py:ask")
    assert ran.code == 3
    assert (
        record(ran)["error"]
        == "the prompt: `prompts.py` failed: KeyError: 'nothing' (prompts.py:2)"
    )


@needs_node
@pytest.mark.parametrize(
    ("code", "answered"),
    [
        ("output.toUpperCase()", "HI ANN"),
        ("const text = output;\nreturn text + context.vars.name;", "Hi AnnAnn"),
        ("output.length", "6"),
        ("({ length: output.length, label: context.prompt.label })", '{"length":6,"label":"Hi {{name}}"}'),
        ("file://change.py", "Hi Ann!"),
        ("file://change.py:twice", "Hi AnnHi Ann"),
        ("file://change.mjs:half", "Hi "),
    ],
)  # fmt: skip
def test_a_transform_changes_the_answer(site: Site, code: str, answered: str) -> None:
    site.write(
        "change.py",
        "def get_transform(output, context):\n    return output + '!'\n"
        "def twice(output, context):\n    return output * 2\n",
    )
    site.write(
        "change.mjs", "export const half = (output) => output.slice(0, output.length / 2);\n"
    )
    assert answer(run(site, options={"transform": code})) == answered


@needs_node
def test_the_transform_of_the_provider_comes_first_and_code_sees_values(site: Site) -> None:
    provider = {"id": "echo", "transform": "output.split(' ')"}
    ran = run(
        site,
        provider=provider,
        options={"transform": "output.concat(['!'])"},
        **{
            "assert": [
                {"type": "javascript", "value": "output.length === 3 && output[2] === '!'"},
                {"type": "equals", "value": '["Hi","Ann","!"]'},
            ]
        },
    )
    assert record(ran)["verdict"] == "pass"


@needs_node
def test_a_transform_that_fails_or_returns_nothing_makes_the_row_an_error(site: Site) -> None:
    ran = run(site, options={"transform": "JSON.parse(output)"})
    assert ran.code == 3
    assert record(ran)["error"].startswith("the transform: the JavaScript failed: SyntaxError: ")
    ran = run(site, options={"transform": "null"})
    assert record(ran)["error"] == "the transform of the answer returned nothing"


def test_nothing_of_it_is_executed_by_a_dry_run(site: Site) -> None:
    site.write("prompts.py", "open('executed', 'w')\ndef ask(context):\n    return 'x'\n")
    run(site, "file://prompts.py:ask")
    assert (site.root / "executed").exists()
    (site.root / "executed").unlink()
    site.run("promptfooconfig.json", "--dry-run")
    site.check("promptfooconfig.json")
    assert not (site.root / "executed").exists()


@needs_node
def test_a_missing_node_is_found_before_anything_is_asked(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(site.root))
    ran = run(site, options={"transform": "output.trim()"})
    assert (ran.code, ran.out) == (3, "")
    assert "there is none on the PATH; install Node.js 20 or later" in ran.err


def test_a_row_is_run_again_where_the_script_of_its_prompt_changed(site: Site) -> None:
    def hash_of(text: str) -> str:
        site.write("prompts.py", text)
        found: str = record(run(site, "file://prompts.py:ask"))["effective_hash"]
        return found

    first = "def ask(context):\n    return 'x'\n"
    assert hash_of(first) == hash_of(first) != hash_of(f"{first}\n")


@needs_node
def test_an_assertion_may_change_the_answer_for_itself(site: Site) -> None:
    site.write("change.py", "def get_transform(output, context):\n    return [output, 1]\n")
    asserted = [
        {"type": "equals", "value": "ANN", "transform": "context.vars.name.toUpperCase()"},
        {
            "type": "not-contains",
            "value": "Hi",
            "transform": "output.slice(3)",
            "weight": 2,
            "metric": "m",
        },
        {"type": "javascript", "value": "output[1] === 1", "transform": "file://change.py"},
        {"type": "contains", "value": "Hi"},
        {
            "type": "assert-set",
            "assert": [{"type": "equals", "value": "6", "transform": "output.length"}],
        },
    ]
    found = record(run(site, **{"assert": asserted}))
    assert [it["verdict"] for it in found["evaluator_results"]] == ["pass"] * 5
    assert [it["name"] for it in found["evaluator_results"]][1] == "m"
    failed = record(
        run(site, **{"assert": [{"type": "equals", "value": "x", "transform": "nothing.there"}]})
    )
    assert "the transform: the JavaScript failed: ReferenceError" in failed["error"]
