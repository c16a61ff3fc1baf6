"""Every request and command of the server, with parameters that fit, nearly fit or do not, over documents of all formats."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from suitecase.lsp import command_names
from support.suites.editor_texts import EVERYTHING, TARGETS

_CASE = '{"id": "a", "input": "Hi {{x}}", "expected_outcome": "Greets"}\n'
_AGENTV = "execution:\n  target: bot\ntests:\n  - id: a\n    input: Hi\n    criteria: Greets\n    assertions:\n      - Says hi\n"
_PROMPTFOO = """\
prompts: [file://p.txt, "Say {{ product | upper }}"]
providers: [echo, {id: openai:gpt-4o, label: x}]
defaultTest: {assert: [{type: llm-rubric, value: Kind}]}
tests:
  - vars: {product: boots, list: [a, b]}
    assert: [{type: icontain, value: "{{product}}"}, {type: javascript, value: output.length > 3}]
  - file://tests/t.csv
"""
#: A text of each format, by the name of its file.
TEXTS = {
    "a.eval.yaml": EVERYTHING,
    "targets.yaml": TARGETS,
    "cases.jsonl": _CASE * 3,
    "cases.yaml": "execution: {target: mock}\ncalibrations: [x.json]\n",
    "suitecase.toml": '[rules]\nignore = ["SC302", "nothing"]\n[tests]\nx = 1\n',
    "pyproject.toml": '[tool.suitecase.rules]\nselect = ["SC1"]\n',
    "tone.md": "Is {{ candidate_answer }} warm? ${question}\n",
    "promptfooconfig.yaml": _PROMPTFOO,
    "promptfooconfig.json": json.dumps(
        {"prompts": ["Hi {{x}}"], "providers": ["echo"], "tests": [{"vars": {"x": 1}}]}
    ),
    "tests/t.csv": "product,question,__expected\nboots,long?,icontain: x\n",
    "agentv.eval.yaml": _AGENTV,
    "evals/evals.json": json.dumps(
        {
            "skill_name": "a",
            "evals": [{"id": 1, "prompt": "Hi", "expected_output": "x", "expectations": ["y"]}],
        }
    ),
    "a.eval.lock": '{"version": "1"}',
    "labels.csv": "case,rater,label\na,ann,pass\n",
    ".suitecase/results/a.jsonl": '{"eval_id": "a", "verdict": "pass"}\n',
}
#: What is put into texts, or takes their place.
ODD = (
    *(
        "\ufeff",
        "\r",
        "\r\n",
        "\0",
        "\ud800",
        "\udc00x",
        "\U0001f600",
        "e\u0301",
        "\u2028",
        "\x85",
        "\t",
        "\x1b[2J",
    ),
    *(
        "{{",
        "}}",
        "{%",
        "${",
        "&a ",
        "*a",
        "<<: ",
        "!!x ",
        "|",
        ">",
        "- ",
        ": ",
        "#",
        "'",
        '"',
        "[",
        "{",
        "\\u12",
    ),
    *(
        "? ",
        "--- \n",
        "...\n",
        "null",
        "1e999",
        "NaN",
        "0x1",
        "2001-01-01",
        "suitecase: ignore[SC1]",
    ),
)
_URIS = (
    *(
        "untitled:Untitled-1",
        "untitled:%ff",
        "file:///",
        "file://",
        "file:///%",
        "file:///a%00b",
        "file:///c%3A/x.yaml",
    ),
    *(
        "file://host/share/a.eval.yaml",
        "vscode-notebook-cell:/a#1",
        "http://[::1",
        "git:/a.yaml?x",
        "",
        "x",
        "file:relative.yaml",
    ),
    *(
        "file:///C:/w/a.eval.yaml",
        "vscode-remote://ssh/a.eval.yaml",
        "\ud800",
        "file:///" + "d/" * 3000 + "a.yaml",
    ),
)
_LANGUAGES = ("yaml", "suitecase", "json", "markdown", "plaintext", "YAML", "")
#: What stands for a value of any kind.
_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31 - 1,
        2**31,
        2**63,
        10**30,
        1.5,
        "",
        "x",
        "\ud800",
        [],
        {},
        [[]],
        {"a": {}},
    ),
    *([None], ["x", 1], {"uri": "x"}, "a" * 10_000),
)
_METHODS = (
    *(
        "hover",
        "completion",
        "definition",
        "references",
        "documentHighlight",
        "documentLink",
        "prepareRename",
        "rename",
    ),
    *(
        "documentSymbol",
        "foldingRange",
        "selectionRange",
        "codeAction",
        "codeLens",
        "inlayHint",
        "diagnostic",
    ),
    *("semanticTokens/full", "semanticTokens/range", "semanticTokens/full/delta"),
)
REQUESTS = (
    *(f"textDocument/{it}" for it in _METHODS),
    *(
        "workspace/symbol",
        "workspace/willRenameFiles",
        "workspace/executeCommand",
        "completionItem/resolve",
    ),
    *(
        "suitecase/trust",
        "suitecase/asGraded",
        "suitecase/suites",
        "suitecase/discoverTests",
        "suitecase/cancelRun",
    ),
    "suitecase/report",
)
#: Runs take long, and have tests of their own; here their parameters are never ones that run.
COMMANDS = tuple(
    value
    for name, value in vars(command_names).items()
    if name.isupper() and isinstance(value, str) and not value.rpartition(".")[2].startswith("run")
)


class RandomRequests:
    """Chooses texts, requests and parameters.

    Args:
        random: decides.
        root: the folder of the documents.
    """

    def __init__(self, random: Random, root: Path) -> None:
        self._random, self._root = random, root

    def text(self, name: str) -> str:
        """Return a text of a file of some name: of its format, or nearly."""
        random, text = self._random, TEXTS[name]
        for _ in range(random.choice((0, 0, 1, 2, 5))):
            at = random.randrange(len(text) + 1)
            kind = random.randrange(4)
            if kind == 0:
                text = text[:at] + random.choice(ODD) + text[at:]
            elif kind == 1:
                text = text[:at]
            elif kind == 2:
                other = random.randrange(len(text) + 1)
                text = text[: min(at, other)] + text[max(at, other) :]
            else:
                text = text[:at] + text[random.randrange(len(text) + 1) :]
        whole = random.random()
        if whole < 0.03:
            return text.replace("\n", "\r")
        if whole < 0.04:
            return random.choice(("x" * 50, "\U0001f600" * 20, "[", "a: ", "{{x}} ")) * 20_000
        return text

    def uri(self) -> str:
        random = self._random
        if random.random() < 0.12:
            return random.choice(_URIS)
        uri = (self._root / random.choice([*TEXTS])).as_uri()
        return uri.replace("a", "%61") if random.random() < 0.05 else uri

    def language(self) -> Any:
        """Return the language of a document, seldom one that is none."""
        random = self._random
        return random.choice(_VALUES) if random.random() < 0.1 else random.choice(_LANGUAGES)

    def position(self) -> Any:
        return {"line": self._number(), "character": self._number()}

    def _number(self) -> Any:
        random = self._random
        chance = random.random()
        if chance < 0.8:
            return random.randrange(40)
        return random.choice((0, -1, 10**4, 2**31 - 1, 2**31, 2**63, 1.5, "1", None))

    def range(self) -> Any:
        return {"start": self.position(), "end": self.position()}

    def request(self) -> tuple[str, Any]:
        """Return a method with its parameters."""
        random = self._random
        method = random.choice(REQUESTS)
        params = self._params(method)
        for _ in range(random.choice((0, 0, 0, 1, 2))):
            params = self._spoiled(params)
        return method, params

    def _params(self, method: str) -> Any:
        random = self._random
        params: dict[str, Any] = {
            "textDocument": {"uri": self.uri()},
            "position": self.position(),
            "positions": [self.position() for _ in range(random.randrange(3))],
            "range": self.range(),
            "newName": random.choice(("new", "", " ", "a: b", "\n", "\ud800", "x" * 5000, "{{")),
            "context": {
                "diagnostics": [],
                "includeDeclaration": random.random() < 0.5,
                **(
                    {"only": [random.choice(("", "quickfix", "source.fixAll", "refactor", "x"))]}
                    if random.random() < 0.5
                    else {}
                ),
                "triggerKind": random.choice((1, 2, 3)),
                "triggerCharacter": random.choice((" ", "{", "", "\ud800")),
            },
            "previousResultId": random.choice(("1", "", "x")),
        }
        if method == "workspace/symbol":
            return {"query": random.choice(("", "a", "\ud800", "x" * 5000))}
        if method == "workspace/willRenameFiles":
            return {
                "files": [
                    {"oldUri": self.uri(), "newUri": self.uri()} for _ in range(random.randrange(3))
                ]
            }
        if method == "completionItem/resolve":
            return {"label": "x", "data": random.choice((*_VALUES, {"rule": "SC302"}, {"rule": 7}))}
        if method == "workspace/executeCommand":
            command = random.choice(COMMANDS)
            arguments = [
                random.choice((self.uri(), "a", *_VALUES)) for _ in range(random.randrange(4))
            ]
            return {"command": command, "arguments": arguments}
        if method.startswith("suitecase/"):
            uri = {
                "uri": self.uri(),
                "case": random.choice(("a", "", 7)),
                "cases": ["a"],
                "runId": "x",
            }
            return {
                **uri,
                "trusted": random.choice((True, True, "x")),
                "text": random.choice(("x", 7)),
            }
        if method.endswith("diagnostic"):
            params["identifier"] = "suitecase"
        return params

    def _spoiled(self, value: Any) -> Any:
        """Return parameters of which one is missing, or is something else."""
        random = self._random
        if isinstance(value, dict) and value and random.random() < 0.85:
            key = random.choice([*value])
            if random.random() < 0.2:
                return {name: it for name, it in value.items() if name != key}
            return {**value, key: self._spoiled(value[key])}
        return random.choice(_VALUES)
