"""Functions of scripts are called in processes of node and of Python that last as long as a run."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.targets.program import ProgramError
from suitecase_evaluators.targets.sandbox.confinement import Sandbox
from suitecase_evaluators.targets.scripting.bridges import Bridges
from suitecase_evaluators.targets.scripting.call import Call, Language, Place, ScriptError
from suitecase_evaluators.targets.scripting.languages import PYTHON_VARIABLE, why_unavailable
from support.system.sandboxed_programs import isolated_only

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")
BOTH = pytest.mark.parametrize("language", ["python", pytest.param("javascript", marks=needs_node)])
PID = {
    "javascript": "export default () => process.pid",
    "python": "import os\ndef check(*_):\n    return os.getpid()",
}
TSX = Path(__file__).parents[4] / "benchmarks/.peers/node_modules/tsx"
EXTENSIONS = {"javascript": ".mjs", "python": ".py"}


@pytest.fixture(autouse=True)
def python_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PYTHON_VARIABLE, sys.executable)


@pytest_asyncio.fixture
async def bridges() -> AsyncIterator[Bridges]:
    made = Bridges(Sandbox(scripts=Level.LIMITS))
    yield made
    await made.close()


def script(folder: Path, language: Language, text: str, **rest: Any) -> Place:
    path = folder / f"checks{EXTENSIONS[language]}"
    path.write_text(text)
    return Place(language=language, folder=folder, script=path, **rest)


@dataclass(frozen=True)
class Check:
    """The function of a script that is written in both languages, in one of them."""

    bridges: Bridges
    place: Place

    async def __call__(self, *arguments: Any, **rest: Any) -> Any:
        return (await self.bridges.call(self.place, self.call(*arguments), **rest)).value

    def call(self, *arguments: Any) -> Call:
        # Python has no default export.
        name = "check" if self.place.language == "python" else None
        return call(*arguments, name=name)


@pytest.fixture
def check(bridges: Bridges, tmp_path: Path, language: Language) -> Callable[..., Check]:
    """Return what writes the script of a language, and returns its function."""

    def written(scripts: Mapping[str, str], **rest: Any) -> Check:
        return Check(bridges, script(tmp_path, language, scripts[language], **rest))

    return written


def call(*arguments: Any, name: str | None = None) -> Call:
    return Call(role="assertion", arguments=arguments, name=name)


def python(code: str, *arguments: Any) -> Call:
    return Call(role="assertion", arguments=arguments, code=f"def main(*given):\n    {code}\n")


def javascript(code: str, *arguments: Any) -> Call:
    return Call(role="assertion", arguments=arguments, code=code, parameters=("output", "context"))


async def message(bridges: Bridges, place: Place, asked: Call, **rest: Any) -> str:
    with pytest.raises(ScriptError) as raised:
        await bridges.call(place, asked, **rest)
    return raised.value.message


@BOTH
async def test_two_hundred_calls_share_one_process(check: Callable[..., Check]) -> None:
    process_id = check(PID)
    found = await asyncio.gather(*(process_id() for _ in range(200)))
    assert len(set(found)) == 1


@BOTH
async def test_a_process_that_ended_is_followed_by_another(check: Callable[..., Check]) -> None:
    ending = {
        "javascript": "export default (end) => { console.log('bye'); if (end) process.exit(3); return 1 }",
        "python": "import os\ndef check(end):\n    print('bye', flush=True)\n    return os._exit(3) if end else 1",
    }
    end = check(ending)
    assert await end(False) == 1
    problem = await message(end.bridges, end.place, end.call(True))
    assert "ended before it answered: it ended with exit code 3" in problem
    assert "bye" in problem
    assert await end(False) == 1


@BOTH
async def test_a_call_that_takes_too_long_is_stopped_and_others_are_repeated(
    check: Callable[..., Check],
) -> None:
    endless = {
        "javascript": "export default (stay) => { while (stay); return 'done' }",
        "python": "def check(stay):\n    while stay: pass\n    return 'done'",
    }
    stay = check(endless)
    results: tuple[Any, Any] = await asyncio.gather(
        stay(True, timeout_seconds=1.0), stay(False, timeout_seconds=1.0), return_exceptions=True
    )
    stuck, waiting = results
    assert isinstance(stuck, ScriptError)
    assert stuck.message.endswith("took longer than 1 s and was stopped")
    assert waiting == "done"


@BOTH
async def test_what_scripts_print_is_not_an_answer(check: Callable[..., Check]) -> None:
    noisy = {
        "javascript": "import fs from 'node:fs'; import { spawnSync } from 'node:child_process';\n"
        "export default () => { console.log('{\"id\": 0}'); fs.writeSync(1, 'half a line');\n"
        "spawnSync('echo', ['child'], { stdio: 'inherit' }); return 'answer' }",
        "python": "import os, sys\nprint('loaded')\ndef check():\n    print('{\"id\": 0}', end='')\n"
        "    os.write(1, b'raw'); os.system('echo child'); return 'answer'",
    }
    answer = check(noisy)
    assert await answer() == "answer"
    assert await answer() == "answer"


async def test_an_error_in_python_names_its_line(bridges: Bridges, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(
        "import json\n\ndef parse(text):\n    return json.loads(text)\n"
    )
    text = "import other\n\ndef check(text):\n    return other.parse(text)\n"
    place = script(tmp_path, "python", text)
    problem = await message(bridges, place, call("{", name="check"))
    assert problem.startswith("`checks.py` failed: JSONDecodeError: Expecting property name")
    assert problem.endswith("(other.py:4)")
    problem = await message(bridges, place, call(name="lacking"))
    assert problem == "`checks.py` failed: AttributeError: the script has no function `lacking`"
    broken = script(tmp_path, "python", "def check(:\n    pass\n", environment={"OTHER": "1"})
    problem = await message(bridges, broken, call(name="check"))
    assert problem == "`checks.py` failed: SyntaxError: invalid syntax (checks.py:1)"


async def test_an_error_in_code_names_its_line(bridges: Bridges, tmp_path: Path) -> None:
    place = Place(language="python", folder=tmp_path)
    problem = await message(bridges, place, python("return 1 / 0"))
    assert (
        problem
        == "the Python code failed: ZeroDivisionError: division by zero (line 2 of the code)"
    )


@needs_node
async def test_an_error_in_javascript_names_its_line(bridges: Bridges, tmp_path: Path) -> None:
    text = "export default (text) => {\n  return JSON.parse(text);\n};\n"
    place = script(tmp_path, "javascript", text)
    problem = await message(bridges, place, call("{"))
    assert problem.startswith("`checks.mjs` failed: SyntaxError: ")
    assert problem.endswith("(checks.mjs:2)")
    broken = script(tmp_path, "javascript", "\nexport default ((;\n", environment={"OTHER": "1"})
    async with asyncio.timeout(30):
        problem = await message(bridges, broken, call())
    assert problem == "`checks.mjs` failed: SyntaxError: Unexpected token ';' (checks.mjs:2)"
    code = Place(language="javascript", folder=tmp_path)
    problem = await message(bridges, code, javascript("const a = 1;\nreturn a.b.c;"))
    assert problem.startswith(
        "the JavaScript failed: TypeError: Cannot read properties of undefined"
    )
    assert problem.endswith("(line 2 of the code)")


@needs_node
@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("output.length > 2", True),
        ("const n = output.length; n === 3", True),
        ("let a = 'x;y'; a.length;", 3),
        ("return 1;\nreturn 2;\n", 1),
        ("  output + '!'  \n", "abc!"),
        ("(async () => { await null; return [output] })()", ["abc"]),
        ("process.mainModule.require('node:path').basename('/a/b')", "b"),
        ("const a = 1;", None),
    ],
)
async def test_code_is_an_expression_or_the_body_of_a_function(
    bridges: Bridges, tmp_path: Path, code: str, value: Any
) -> None:
    place = Place(language="javascript", folder=tmp_path)
    assert (await bridges.call(place, javascript(code, "abc", {}))).value == value


@needs_node
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.mjs", "export default (output) => output + '!'"),
        ("a.mjs", "export default { default: (output) => output + '!' }"),
        ("a.cjs", "module.exports = (output) => output + '!'"),
        ("a.js", "module.exports = async (output) => output + '!'"),
    ],
)
@pytest.mark.parametrize("type_", ["module", "commonjs"])
async def test_scripts_of_both_kinds_of_modules_are_called(
    bridges: Bridges, tmp_path: Path, name: str, text: str, type_: str
) -> None:
    (tmp_path / "package.json").write_text(f'{{"type": "{type_}"}}')
    (tmp_path / name).write_text(text)
    place = Place(language="javascript", folder=tmp_path, script=tmp_path / name)
    assert (await bridges.call(place, call("hi"))).value == "hi!"


@needs_node
@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("(() => { let a = []; for (let i = 0; i < 3000; i++) a = [a]; return a })()", "the value it returned is nested too deeply"),
        ("(() => { throw Object.create(null) })()", "[object Object]"),
    ],
)  # fmt: skip
async def test_a_value_that_cannot_be_passed_on_is_an_error_at_once(
    bridges: Bridges, tmp_path: Path, code: str, problem: str
) -> None:
    place = Place(language="javascript", folder=tmp_path)
    async with asyncio.timeout(30):
        shown = await message(bridges, place, javascript(code))
    assert shown == f"the JavaScript failed: {problem}"
    assert (await bridges.call(place, javascript("1 + 1"))).value == 2


@BOTH
@pytest.mark.parametrize(
    ("texts", "problems"),
    [
        (
            {
                "javascript": "class E extends Error { get name() { return 'E' }"
                " get message() { throw new Error('n') } get cause() { throw new Error('n') } }\n"
                "export default () => { throw new E() }",
                "python": "class E(Exception):\n    def __str__(self): raise RuntimeError('n')\n"
                "def check():\n    raise E()",
            },
            {"javascript": "E", "python": "E (checks.py:4)"},
        ),
        (
            {
                "javascript": "JSON.stringify = JSON.parse = null\nexport default () => {\n"
                "  throw new RangeError('n') }",
                "python": "import json\njson.dumps = json.loads = None\ndef check():\n"
                "    raise IndexError('n')",
            },
            {
                "javascript": "RangeError: n (checks.mjs:3)",
                "python": "IndexError: n (checks.py:4)",
            },
        ),
        (
            {
                "javascript": "export default () => {\n  const { proxy, revoke } = Proxy.revocable({}, {})\n"
                "  revoke()\n  throw proxy }",
                "python": "def check():\n    raise BaseException",
            },
            {"javascript": "an error", "python": "BaseException (checks.py:2)"},
        ),
        (
            {
                "javascript": "export default () => { throw { get message() { throw 1 } } }",
                "python": "class E(SyntaxError):\n    msg = property(lambda self: 1 / 0)\n"
                "def check():\n    raise E(b'm', (b'f', 'x', 0, ''))",
            },
            {"javascript": "[object Object]", "python": "E (checks.py:4)"},
        ),
    ],
    ids=["no message", "no JSON", "no error", "no parts"],
)
async def test_an_error_that_cannot_be_shown_is_still_an_error_of_the_script(
    check: Callable[..., Check],
    language: Language,
    texts: Mapping[str, str],
    problems: Mapping[str, str],
) -> None:
    failing = check(texts)
    async with asyncio.timeout(30):
        shown = await message(failing.bridges, failing.place, failing.call())
    name = f"checks{EXTENSIONS[language]}"
    assert shown == f"`{name}` failed: {problems[language]}"


@BOTH
async def test_numbers_that_json_does_not_have_are_null(check: Callable[..., Check]) -> None:
    same = {
        "javascript": "export default (given) => given",
        "python": "def check(given):\n    return given",
    }
    assert await check(same)([1, float("nan"), float("-inf")]) == [1, None, None]


@BOTH
async def test_the_environment_has_only_what_the_suite_names(
    check: Callable[..., Check], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    shown = {
        "javascript": "export default () => ({ ...process.env })",
        "python": "import os\ndef check():\n    return dict(os.environ)",
    }
    found: Mapping[str, str] = await check(shown, environment={"MODE": "test"})()
    assert found["MODE"] == "test"
    assert found["PATH"] == os.environ["PATH"]
    assert "OPENAI_API_KEY" not in found


@isolated_only
@BOTH
async def test_an_isolated_script_writes_to_its_folder_alone_and_has_no_network(
    tmp_path: Path, language: Language
) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "suite"
    outside.mkdir()
    folder.mkdir()
    text = {
        "javascript": "import fs from 'node:fs'; import net from 'node:net';\n"
        "export function write(path) { fs.writeFileSync(path, 'x'); return true }\n"
        "export function reach(port) { return new Promise((done) => net.connect(port, '127.0.0.1')\n"
        "  .on('connect', () => done(true)).on('error', () => done(false))) }\n",
        "python": "import socket\ndef write(path):\n    open(path, 'w').write('x')\n    return True\n"
        "def reach(port):\n    try:\n        socket.create_connection(('127.0.0.1', port))\n"
        "    except OSError:\n        return False\n    return True\n",
    }
    isolated = Bridges(Sandbox(workspace=folder))
    free = Bridges(Sandbox(scripts=Level.LIMITS))
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    place = script(folder, language, text[language])
    try:
        async with server:
            written = await isolated.call(place, call(str(folder / "a.txt"), name="write"))
            assert (written.value, written.level) == (True, Level.ISOLATED)
            with pytest.raises(ScriptError):
                await isolated.call(place, call(str(outside / "a.txt"), name="write"))
            problem = await message(isolated, place, call("/usr/a.txt", name="write"))
            assert "it ran isolated and could write only to its own folder" in problem
            assert not list(outside.iterdir())
            assert (await isolated.call(place, call(port, name="reach"))).value is False
            assert (await free.call(place, call(port, name="reach"))).value is True
    finally:
        await isolated.close()
        await free.close()


@isolated_only
async def test_a_script_that_configures_other_programs_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    text = "import os\ndef check(name):\n    os.makedirs(name)\n    return True\n"
    place = script(folder, "python", text)
    isolated = Bridges(Sandbox(workspace=folder))
    try:
        assert (await isolated.call(place, call("reports", name="check"))).value is True
        problem = await message(isolated, place, call(".vscode", name="check"))
        assert "which configures other programs; inspect it before you use the folder" in problem
    finally:
        await isolated.close()


@BOTH
async def test_no_process_is_left_at_the_end(tmp_path: Path, language: Language) -> None:
    started = Bridges(Sandbox(scripts=Level.LIMITS))
    place = script(tmp_path, language, PID[language])
    name = "check" if language == "python" else None
    process = (await started.call(place, call(name=name))).value
    await started.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


async def test_what_is_missing_is_known_before_anything_runs(tmp_path: Path) -> None:
    there = script(tmp_path, "javascript", PID["javascript"])
    problem = why_unavailable(there, {"PATH": str(tmp_path)})
    assert problem is not None
    assert problem.startswith(
        "scripts in JavaScript are run by `node`, and there is none on the PATH"
    )
    named = Place(language="python", folder=tmp_path, executable="no-such-python")
    problem = why_unavailable(named, os.environ)
    assert problem is not None
    assert problem.startswith("there is no program `no-such-python`")
    with pytest.raises(ProgramError):
        await Bridges().call(named, python("return 1"))
    missing = Place(language="python", folder=tmp_path, script=tmp_path / "x.py")
    assert why_unavailable(missing, os.environ) == "there is no script `x.py`"


async def test_an_interpreter_that_cannot_be_started_is_named_once(
    bridges: Bridges, tmp_path: Path
) -> None:
    interpreter = tmp_path / "python"
    interpreter.write_text("#!/no/such/program\n")
    interpreter.chmod(0o755)
    place = Place(language="python", folder=tmp_path, executable=str(interpreter))
    with pytest.raises(ProgramError) as raised:
        await bridges.call(place, python("return 1"))
    assert raised.value.message.count(f"cannot start `{interpreter}`: ") == 1


@pytest.mark.parametrize(
    ("version", "works"), [("v20.20.2", False), ("v22.6.0", True), ("v24.1.0", True)]
)
def test_node_strips_types_from_version_22_6_on(tmp_path: Path, version: str, works: bool) -> None:
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\necho {version}\n")
    node.chmod(0o755)
    (tmp_path / "a.ts").write_text("export default (text: string) => text")
    place = Place(language="javascript", folder=tmp_path, script=tmp_path / "a.ts")
    problem = why_unavailable(place, {"PATH": str(tmp_path)})
    assert (problem is None) is works
    assert works or problem == (
        "`a.ts` is TypeScript, which `node` runs from version 22.6 on, or with the package `tsx` in "
        "`node_modules` (`npm install tsx`); this one is 20.20"
    )


@needs_node
@pytest.mark.skipif(not TSX.is_dir(), reason="the package tsx is not installed for benchmarks")
async def test_the_package_tsx_runs_typescript(tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(TSX.parent)
    (tmp_path / "shared.ts").write_text("export enum Least { Long = 3 }\n")
    (tmp_path / "a.ts").write_text(
        "import { Least } from './shared';\n"
        "export default (output: string): boolean => {\n"
        "  if (!output) throw new Error('empty');\n"
        "  return output.length > Least.Long;\n};\n"
    )
    isolated = Bridges(Sandbox(workspace=tmp_path))
    place = Place(language="javascript", folder=tmp_path, script=tmp_path / "a.ts")
    try:
        assert (await isolated.call(place, call("long"))).value is True
        problem = await message(isolated, place, call(""))
        assert problem == "`a.ts` failed: Error: empty (a.ts:3)"
    finally:
        await isolated.close()
