"""Scripts that end or block their process, or write messages of its bridge: they cost their own row."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator, Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.targets.sandbox.confinement import Sandbox
from suitecase_evaluators.targets.scripting import process
from suitecase_evaluators.targets.scripting.bridges import Bridges
from suitecase_evaluators.targets.scripting.call import Call, Place, Returned, Role, ScriptError
from suitecase_evaluators.targets.scripting.languages import PYTHON_VARIABLE
from suitecase_evaluators.targets.scripting.messages import UnreadableMessageError, message_of
from support.running.site import Site
from support.samples import sample

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")
#: Seconds that no call may be held for, far below the limit of a call.
SOON = 30

#: Lines that follow the mark of a message, without the name of any call, or with a wrong one.
FORGED = [
    "{}",
    "[]",
    "null",
    "1",
    "not JSON",
    '{"id": 0}',
    '{"id": 0, "value": 1}',
    '{"id": 0, "type": "boolean", "value": true}',
    '{"id": null, "error": "x"}',
    '{"id": [1], "begun": true}',
    '{"id": {}, "begun": true}',
    '{"begun": true}',
    '{"value": true, "type": "boolean"}',
    '{"error": {}}',
    '{"ready": false}',
    '{"alive": 1}',
    '{"id": "x", "begun": 1}',
    '{"id": "x", "type": 1}',
    '{"id": "x", "error": "text"}',
    '{"id": "\\ud800", "type": 5}',
    "[" * 5000,
    '{"a":' * 5000,
    "NaN",
    '{"id": 1e999}',
    '{"id": ' + "9" * 5000 + "}",
]
#: Messages that are in order, and change nothing.
STRAY = [
    '{"ready": true}',
    '{"alive": "x"}',
    '{"id": "x", "begun": true}',
    '{"id": "x", "type": "boolean", "value": false}',
    '{"id": "x", "error": {}}',
]
#: A script of Python that finds the mark, and writes a line behind it.
PYTHON = """
import os, sys, time
def check(line):
    if line is None:
        return "graded"
    frame = sys._getframe()
    while "messages" not in frame.f_locals:
        frame = frame.f_back
    messages, mark = frame.f_locals["messages"], frame.f_locals["mark"]
    messages.write(("\\n" + mark + line + "\\n").encode("utf-8", "surrogatepass"))
    messages.flush()
    time.sleep(0.3)
    return "graded"
"""
#: The same in JavaScript, where the mark is seen in a message that is written.
JAVASCRIPT = """
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const write = fs.writeSync;
let mark;
fs.writeSync = (fd, data, ...rest) => {
  mark ??= /^\\n([0-9a-f]{16} )/.exec(String(data))?.[1];
  return write(fd, data, ...rest);
};
syncBuiltinESMExports();
export async function check(line, wait) {
  await new Promise((done) => setTimeout(done, wait ?? 100));
  if (line !== null) {
    if (!mark) throw new Error("no mark");
    write(1, "\\n" + mark + line + "\\n");
    await new Promise((done) => setTimeout(done, 300));
  }
  return "graded";
}
"""


@pytest.fixture(autouse=True)
def python_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PYTHON_VARIABLE, sys.executable)


@pytest_asyncio.fixture
async def bridges() -> AsyncIterator[Bridges]:
    made = Bridges(Sandbox(scripts=Level.LIMITS, targets=Level.LIMITS))
    yield made
    await made.close()


def written(folder: Path, name: str, text: str, **rest: Any) -> Place:
    (folder / name).write_text(text)
    language: Any = "python" if name.endswith(".py") else "javascript"
    return Place(language=language, folder=folder, script=folder / name, **rest)


def call(*arguments: Any, role: Role = "assertion", name: str | None = "check") -> Call:
    return Call(role=role, arguments=arguments, name=name)


async def results(bridges: Bridges, place: Place, *calls: Call) -> list[Any]:
    """Return the values of calls that are made at once, and the messages of those that failed."""

    async def one(made: Call) -> Any:
        try:
            returned: Returned = await bridges.call(place, made)
        except ScriptError as error:
            return error
        return returned.value

    async with asyncio.timeout(SOON):
        return await asyncio.gather(*map(one, calls))


@pytest.mark.parametrize("line", FORGED, ids=range(len(FORGED)))
def test_a_message_cannot_be_read(line: str) -> None:
    with pytest.raises(UnreadableMessageError):
        message_of(line.encode("utf-8", "surrogatepass"))


#: Not JSON, not an object, nested too deeply, and without a type.
SOME_FORGED = [FORGED[4], FORGED[2], FORGED[20], FORGED[5]]


def between(calls: Iterable[Call], other: Call) -> list[Call]:
    """Return calls with another one before, between and behind them."""
    return [other, *chain.from_iterable((made, other) for made in calls)]


async def test_a_message_that_cannot_be_read_costs_its_row_in_python(
    bridges: Bridges, tmp_path: Path
) -> None:
    place = written(tmp_path, "check.py", PYTHON)
    found = await results(bridges, place, *between(map(call, SOME_FORGED), call(None)))
    for number, line in enumerate(SOME_FORGED):
        before, forged, after = found[2 * number : 2 * number + 3]
        assert (line[:20], before, after) == (line[:20], "graded", "graded")
        assert "it was stopped, since it wrote a message that cannot be read" in str(forged), line


@needs_node
@pytest.mark.parametrize("line", sample(SOME_FORGED, len(SOME_FORGED)))
async def test_it_costs_its_row_in_javascript(bridges: Bridges, tmp_path: Path, line: str) -> None:
    place = written(tmp_path, "check.mjs", JAVASCRIPT)
    first, forged, last = await results(bridges, place, call(None, 50), call(line), call(None, 600))
    assert (first, last) == ("graded", "graded")
    assert "it was stopped, since it wrote a message that cannot be read" in str(forged)


@needs_node
@pytest.mark.parametrize(("name", "text"), [("check.py", PYTHON), ("check.mjs", JAVASCRIPT)])
async def test_a_message_without_effect_is_ignored(
    bridges: Bridges, tmp_path: Path, name: str, text: str
) -> None:
    place = written(tmp_path, name, text)
    lines = [None, *STRAY, None]
    found = await results(bridges, place, *map(call, lines))
    assert list(zip(lines, found, strict=True)) == [(line, "graded") for line in lines]


#: What Python makes, and JSON or a message cannot have.
NO_JSON = ["float('nan')", "'\\ud800'", "10 ** 5000", "{'a': {1, 2}}", "'x' * 11_000_000", "deep()"]


async def test_a_value_that_is_no_json_costs_its_row(bridges: Bridges, tmp_path: Path) -> None:
    text = (
        "def deep():\n    found = []\n    for _ in range(100_000):\n        found = [found]\n"
        "    return found\ndef check(odd):\n    return eval(odd) if odd else 'graded'\n"
    )
    place = written(tmp_path, "check.py", text)
    found = await results(bridges, place, *between(map(call, NO_JSON), call(None)))
    for number, value in enumerate(NO_JSON):
        before, _, after = found[2 * number : 2 * number + 3]
        assert (value, before, after) == (value, "graded", "graded")


@needs_node
@pytest.mark.parametrize(
    "ending",
    [
        "process.exit(0)",
        "process.exit(3)",
        "process.kill(process.pid, 'SIGKILL')",
        "process.abort()",
        "process.stdin.destroy(), process.exit(1)",
        "fs.closeSync(1), process.exit(1)",
        "fs.writeSync(1, 'x'.repeat(11_000_000))",
    ],
)
async def test_a_call_that_ends_the_process_costs_its_row(
    bridges: Bridges, tmp_path: Path, ending: str
) -> None:
    text = (
        "import fs from 'node:fs';\nexport async function check(wait, ends) {\n"
        f"  if (ends) {{ {ending} }}\n"
        "  await new Promise((done) => setTimeout(done, wait));\n  return 'graded';\n}\n"
    )
    place = written(tmp_path, "check.mjs", text)
    found = await results(bridges, place, call(500, False), call(0, True), call(0, False))
    assert [found[0], found[2]] == ["graded"] * 2
    if "repeat" not in ending:
        assert isinstance(found[1], ScriptError)
        assert "the process of `check.mjs` ended before it answered" in found[1].message


@needs_node
async def test_what_an_earlier_call_left_behind_does_not_cost_a_later_row(
    bridges: Bridges, tmp_path: Path
) -> None:
    text = (
        "export async function check(leaves) {\n"
        "  if (leaves) { setTimeout(() => process.exit(5), 200); return 'left'; }\n"
        "  await new Promise((done) => setTimeout(done, 500));\n  return 'graded';\n}\n"
    )
    place = written(tmp_path, "check.mjs", text)
    assert (await bridges.call(place, call(True))).value == "left"
    assert (await bridges.call(place, call(False))).value == "graded"


@needs_node
async def test_an_endless_loop_does_not_hold_up_other_rows(
    bridges: Bridges, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_BLOCKED_SECONDS", 0.5)
    monkeypatch.setattr(process, "_ASKED_EVERY_SECONDS", 0.2)
    text = (
        "export async function check(wait, stays) {\n  while (stays);\n"
        "  await new Promise((done) => setTimeout(done, wait));\n  return 'graded';\n}\n"
    )
    place = written(tmp_path, "check.mjs", text)
    endless = asyncio.create_task(bridges.call(place, call(0, True), 60.0))
    assert await results(bridges, place, call(100, False), call(100, False)) == ["graded"] * 2
    assert not endless.done()
    endless.cancel()
    with pytest.raises(ScriptError, match=r"took longer than 0.5 s and was stopped"):
        await bridges.call(place, call(0, True), 0.5)


@needs_node
async def test_a_call_that_is_given_up_does_not_end_others(
    bridges: Bridges, tmp_path: Path
) -> None:
    text = (
        "export async function check(wait) {\n"
        "  await new Promise((done) => setTimeout(done, wait));\n  return String(process.pid);\n}\n"
    )
    place = written(tmp_path, "check.mjs", text)
    first = (await bridges.call(place, call(0))).value
    slow = asyncio.create_task(bridges.call(place, call(60_000)))
    other = asyncio.create_task(bridges.call(place, call(1_500)))
    await asyncio.sleep(0.3)
    slow.cancel()
    assert (await other).value == first


@needs_node
async def test_a_provider_is_not_asked_twice(bridges: Bridges, tmp_path: Path) -> None:
    text = (
        "import fs from 'node:fs';\nexport default class {\n"
        "  async callApi(prompt) {\n    fs.appendFileSync('asked.txt', prompt);\n"
        "    if (prompt === 'b') process.exit(1);\n"
        "    await new Promise((done) => setTimeout(done, 500));\n    return { output: 'x' };\n  }\n}\n"
    )
    place = written(tmp_path, "provider.mjs", text, as_target=True)
    asked = [Call(role="provider", arguments=(it, {}), options={"config": {}}) for it in ("a", "b")]
    found = await results(bridges, place, *asked)
    for it in found:
        assert "It was not asked again, since an answer might be paid twice" in str(it)
    assert sorted((tmp_path / "asked.txt").read_text()) == ["a", "b"]


@pytest.mark.parametrize("name", ["check.py", pytest.param("check.mjs", marks=needs_node)])
async def test_the_mark_is_not_among_the_arguments(
    bridges: Bridges, tmp_path: Path, name: str
) -> None:
    texts = {
        "check.py": "import os\ndef check():\n    return open('/proc/self/cmdline').read()"
        " if os.path.exists('/proc/self/cmdline') else ''\n",
        "check.mjs": "import fs from 'node:fs';\nexport const check = () => "
        "fs.existsSync('/proc/self/cmdline') ? fs.readFileSync('/proc/self/cmdline', 'utf8') : '';\n",
    }
    place = written(tmp_path, name, texts[name])
    arguments = str((await bridges.call(place, call())).value).strip("\0").split("\0")
    assert Path(arguments[-1]).name == name


@needs_node
def test_a_run_grades_all_other_rows(site: Site) -> None:
    codes = {
        "slow": "return new Promise((done) => setTimeout(() => done(true), 1500))",
        "exits": "process.exit(0); return 1",
        "plain": "return true",
    }
    tests = [
        {
            "description": name,
            "vars": {"x": name},
            "assert": [{"type": "javascript", "value": f"\n{code}"}],
        }
        for name, code in codes.items()
    ]
    site.write(
        "promptfooconfig.json",
        json.dumps({"prompts": ["{{x}}"], "providers": ["echo"], "tests": tests}),
    )
    ran = site.run("promptfooconfig.json", "--no-results", "--format", "jsonl")
    verdicts = {name: it["verdict"] for name, it in ran.records.items()}
    assert verdicts == {"slow": "pass", "exits": "error", "plain": "pass"}
    assert ran.code == 3
    (judged,) = ran.records["exits"]["evaluator_results"]
    assert "it ended with exit code 0" in judged["error"]


@needs_node
@pytest.mark.parametrize(
    "replaced",
    [
        "vm.compileFunction = () => () => true",
        "JSON.stringify = () => 'true'",
        "JSON.parse = () => true",
    ],
)
def test_what_a_row_replaces_decides_no_other_row(site: Site, replaced: str) -> None:
    codes = [f"const vm = process.mainModule.require('vm');\n{replaced};\nreturn true", "false"]
    tests = [
        {"vars": {"x": code}, "assert": [{"type": "javascript", "value": code}]} for code in codes
    ]
    site.write(
        "promptfooconfig.json",
        json.dumps({"prompts": ["{{x}}"], "providers": ["echo"], "tests": tests}),
    )
    ran = site.run("promptfooconfig.json", "--no-results", "--format", "jsonl", "--workers", "1")
    # Records come in the order in which rows are done.
    verdicts = [record["verdict"] for _, record in sorted(ran.records.items())]
    assert verdicts == ["pass", "fail"]
