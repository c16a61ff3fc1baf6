"""Scripts of a configuration: run in one process each, and only by a run."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from support.running.site import Ran, Site
from support.system.sandboxed_programs import isolated_only

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")


@pytest.fixture(autouse=True)
def python_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPTFOO_PYTHON", sys.executable)


def configuration(*assertions: object, tests: int = 1, **rest: object) -> str:
    """Return a configuration that asks `echo`, with some assertions in each test."""
    rows = [{"vars": {"text": f"row {it}"}} for it in range(tests)]
    return json.dumps(
        {
            "prompts": ["{{text}}"],
            "providers": ["echo"],
            "defaultTest": {"assert": list(assertions)},
            "tests": rows,
            **rest,
        }
    )


def run(site: Site, text: str, *arguments: str) -> Ran:
    site.write("promptfooconfig.json", text)
    return site.run("promptfooconfig.json", "--format", "jsonl", *arguments)


def reasons(ran: Ran) -> list[str]:
    return [it["evaluator_results"][0]["reasoning"] for it in ran.records.values()]


def test_the_rows_of_a_run_share_a_process(site: Site) -> None:
    site.write(
        "check.py",
        "import os\ndef get_assert(output, context):\n"
        "    return {'pass': True, 'score': 1, 'reason': str(os.getpid())}\n",
    )
    ran = run(site, configuration({"type": "python", "value": "file://check.py"}, tests=200))
    assert ran.code == 0
    assert len(ran.records) == 200
    assert len(set(reasons(ran))) == 1


@needs_node
def test_code_and_scripts_grade_rows(site: Site) -> None:
    site.write("checks/long.mjs", "export const isLong = (output) => output.length > 3;\n")
    ran = run(
        site,
        configuration(
            {
                "type": "javascript",
                "value": "output === '{{text}}' && context.vars.text === output",
            },
            {"type": "javascript", "value": "file://checks/long.mjs:isLong"},
            {"type": "assert-set", "assert": [{"type": "not-python", "value": "'x' in output"}]},
        ),
    )
    (record,) = ran.records.values()
    assert (record["verdict"], record["score"]) == ("pass", 1.0)


def test_an_error_of_a_script_is_none_of_the_answer(site: Site) -> None:
    site.write("check.py", "def get_assert(output, context):\n    return output.nothing\n")
    ran = run(site, configuration({"type": "python", "value": "file://check.py"}))
    (record,) = ran.records.values()
    assert (ran.code, record["verdict"]) == (3, "error")
    assert "has no attribute 'nothing' (check.py:2)" in record["error"]


def test_a_program_that_is_missing_is_found_before_anything_is_asked(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = configuration({"type": "javascript", "value": "true"})
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    ran = run(site, text)
    assert (ran.code, ran.out) == (3, "")
    assert "there is none on the PATH; install Node.js 20 or later" in ran.err
    missing = run(site, configuration({"type": "python", "value": "file://gone.py"}))
    assert missing.code == 2
    assert "gone.py" in missing.err


def test_secrets_reach_a_script_only_where_the_configuration_names_them(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789abcdef")
    monkeypatch.setenv("OTHER_API_KEY", "sk-fedcba9876543210")
    value = (
        "import os\nreturn {'pass': True, 'score': 1, 'reason': str(len(os.environ.get('GIVEN', '')))"
        " + str('OTHER_API_KEY' in os.environ) + os.environ.get('GIVEN', '')}"
    )
    asserted = {"type": "python", "value": value}
    ran = run(site, configuration(asserted, env={"GIVEN": "{{ env.SOME_API_KEY }}"}))
    (reason,) = reasons(ran)
    assert reason.startswith("19False")
    assert "0123456789" not in ran.out


@pytest.mark.parametrize("is_dry", [False, True])
def test_only_a_run_executes_anything(site: Site, is_dry: bool) -> None:
    site.write(
        "check.py",
        "import pathlib\npathlib.Path('executed').touch()\ndef get_assert(*_):\n    return True\n",
    )
    site.write(
        "promptfooconfig.json",
        configuration(
            {"type": "python", "value": "file://check.py"},
            {"type": "python", "value": "open('executed', 'w') is not None"},
        ),
    )
    if is_dry:
        assert site.run("promptfooconfig.json", "--dry-run").code == 0
    else:
        assert site.check("promptfooconfig.json").startswith("All checks passed")
    assert not (site.root / "executed").exists()
    assert site.run("promptfooconfig.json").code == 0
    assert (site.root / "executed").exists()


@isolated_only
def test_scripts_are_isolated_as_those_of_suites(site: Site) -> None:
    outside = Path(os.environ["HOME"]) / "suitecase-test-of-scripts"
    value = f"open({str(outside)!r}, 'w').write('x')\nreturn True"
    ran = run(site, configuration({"type": "python", "value": value}))
    (record,) = ran.records.values()
    assert record["evaluator_results"][0]["sandbox"] == "isolated"
    assert not outside.exists()


def test_a_row_is_run_again_where_its_script_changed(site: Site) -> None:
    def hash_of(text: str) -> str:
        site.write("check.py", text)
        ran = run(site, configuration({"type": "python", "value": "file://check.py"}))
        (record,) = ran.records.values()
        found: str = record["effective_hash"]
        return found

    first = "def get_assert(*_):\n    return True\n"
    assert hash_of(first) == hash_of(first) != hash_of(f"{first}\n")


def test_scripts_for_other_assertions_are_refused(site: Site) -> None:
    site.write("value.py", "def get_assert(*_):\n    return 'x'\n")
    ran = run(site, configuration({"type": "equals", "value": "file://value.py"}))
    assert ran.code == 2
    assert "does not run `file://value.py` to get the value of `equals`" in ran.err
