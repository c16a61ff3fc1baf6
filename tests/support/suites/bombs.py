"""Small files that might take long: each a function of a size, to which its length is proportional.

As a program, `python bombs.py FOLDER COMMAND` prints the processor time of a command on some of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

#: The texts of the files of a workspace, by path.
Files = Mapping[str, str]

HEAD = "execution: {target: mock}\n"
CASE = "  - id: a\n    input: Hi\n    expected_outcome: x\n"
SUITE = f"{HEAD}evalcases:\n{CASE}"


class Bomb(NamedTuple):
    """Files of a size.

    Attributes:
        make: makes them.
        size: a size that is checked in a moment where nothing is wrong.
        quick: whether the ordinary tests have it.
    """

    make: Callable[[int], Files]
    size: int
    quick: bool = False


def _own(text: str) -> Files:
    return {"a.eval.yaml": text}


def _case(*lines: str) -> Files:
    return _own(SUITE + "".join(f"    {it}\n" for it in lines))


def _promptfoo(text: str, **files: str) -> Files:
    return {"promptfooconfig.yaml": text, **files}


def _agentv_rubrics(*rubrics: str) -> Files:
    head = 'prompts: ["{{ input }}"]\nproviders: [desk]\ndefault_test: {}\ntests:\n  - vars: {input: Hi}\n'
    asserted = f"    assert: [{{type: llm-rubric, value: [{', '.join(rubrics)}]}}]\n"
    return _own(head + asserted)


def _rows(number: int, of: Callable[[int], str]) -> str:
    return "".join(of(it) for it in range(number))


def _metrics(lines: str) -> Files:
    return _own(
        f"{HEAD}metrics:\n  m0: pass_rate\n{lines}gates: [pass_rate >= 0]\nevalcases:\n{CASE}"
    )


def _aliases(number: int) -> str:
    """Anchors of which each has the one before it twice."""
    lines = _rows(number, lambda it: f"x{it + 1}: &x{it + 1} [*x{it}, *x{it}]\n")
    return f"x0: &x0 [a]\n{lines}"


def _merged(number: int) -> str:
    lines = _rows(number, lambda it: f"x{it + 1}: &x{it + 1} {{<<: [*x{it}, *x{it}]}}\n")
    return f"x0: &x0 {{a: 1}}\n{lines}"


def _schema(schema: object) -> Files:
    return _own(
        f"evaluation_mode: schema\n{SUITE}    evaluation_schema: {json.dumps(schema)}\n"
        "    expected_messages: [{role: assistant, content: '{\"a\": 1}'}]\n"
    )


def _nested(number: int, first: str = "[", last: str = "]") -> str:
    return first * number + last * number


def _tests(number: int, of: Callable[[int], str], prompt: str = "Hi {{x}}") -> Files:
    return _promptfoo(
        f"prompts: [{json.dumps(prompt)}]\nproviders: [echo]\ntests:\n{_rows(number, of)}"
    )


def _expanded(number: int) -> Files:
    """Lists of variables, whose rows are the product of all of them."""
    lists = _rows(number, lambda it: f"      v{it}: [a, b]\n")
    return _promptfoo(f"prompts: [Hi]\nproviders: [echo]\ntests:\n  - vars:\n{lists}")


def _assertion(text: str) -> Files:
    return _promptfoo(
        "prompts: [Hi]\nproviders: [echo]\ntests:\n"
        f"  - assert:\n      - {{type: regex, value: {json.dumps(text)}}}\n"
    )


def _csv(header: list[str], *rows: list[str]) -> Files:
    lines = [",".join(it) for it in (header, *rows)]
    config = "prompts: ['{{c0}}']\nproviders: [echo]\ntests: t.csv\n"
    return _promptfoo(config, **{"t.csv": "\n".join(lines) + "\n"})


def _skills(evals: list[object]) -> Files:
    return {"s/evals/evals.json": json.dumps({"skill_name": "s", "evals": evals}, indent=1)}


def _skill_eval(number: int, **more: object) -> dict[str, object]:
    return {"id": number, "prompt": "Hi", "expected_output": "x", "expectations": ["y"], **more}


BOMBS: dict[str, Bomb] = {
    # Our own format
    "metrics that double": Bomb(
        lambda n: _metrics(_rows(n, lambda row: f"  m{row + 1}: m{row} + m{row}\n")), 12, quick=True
    ),
    "metrics in a row": Bomb(
        lambda n: _metrics(_rows(n, lambda it: f"  m{it + 1}: m{it}\n")), 300, quick=True
    ),
    "gates of one figure": Bomb(
        lambda n: _own(
            f"{HEAD}gates:\n{_rows(n, lambda row: f'  - pass_rate >= 0.{row}{chr(10)}')}evalcases:\n{CASE}"
        ),
        600,
        quick=True,
    ),
    "metrics in a circle": Bomb(
        lambda n: _metrics(_rows(n, lambda it: f"  m{it}: m{(it + 1) % n} + m{(it + 2) % n}\n")),
        300,
    ),
    "metrics of slices": Bomb(
        lambda n: _metrics(_rows(n, lambda it: f"  m{it + 1}: m{it}[a] + m{it}[b]\n")), 100
    ),
    "gates": Bomb(
        lambda n: _own(
            f"{HEAD}gates:\n{_rows(n, lambda it: f'  - pass_rate >= 0.{it}{chr(10)}')}evalcases:\n{CASE}"
        ),
        300,
    ),
    "a long gate": Bomb(
        lambda n: _own(
            f"{HEAD}gates: ['{' + '.join(['pass_rate'] * n)} >= 0']\nevalcases:\n{CASE}"
        ),
        2_000,
    ),
    "brackets in a gate": Bomb(
        lambda n: _own(
            f"{HEAD}gates: ['{'lower(' * n}pass_rate{')' * n} >= 0']\nevalcases:\n{CASE}"
        ),
        300,
    ),
    "slices": Bomb(
        lambda n: _own(
            f"{HEAD}slices:\n{_rows(n, lambda it: f'  s{it}: {{ids: [{chr(34)}*a*b{it}{chr(34)}]}}{chr(10)}')}evalcases:\n{CASE}"
        ),
        300,
    ),
    "patterns of a slice": Bomb(
        lambda n: _own(
            f"{HEAD}slices: {{s: {{ids: ['{'*a' * n}b']}}}}\nevalcases:\n  - id: {'a' * n}\n    input: Hi\n    expected_outcome: x\n"
        ),
        300,
        quick=True,
    ),
    "cases of one id": Bomb(lambda n: _own(SUITE + CASE * n), 500),
    "comments in a case": Bomb(
        lambda n: _case(*["# suitecase: ignore[SC101]"] * n), 2_000, quick=True
    ),
    "comments above a case": Bomb(
        lambda n: _own(f"{HEAD}evalcases:\n" + "  # suitecase: ignore[SC101]\n" * n + CASE), 2_000
    ),
    "comments at the top": Bomb(lambda n: _own("# suitecase: ignore[SC101]\n" * n + SUITE), 2_000),
    "comments at the end": Bomb(lambda n: _own(SUITE + "# suitecase: ignore[SC101]\n" * n), 2_000),
    "comments on lines": Bomb(
        lambda n: _case("tags:", *["  - t  # suitecase: ignore[SC101]"] * n), 2_000
    ),
    "comments of many names": Bomb(
        lambda n: _case(f"# suitecase: ignore[{', '.join(f'SC{it}' for it in range(n))}]"),
        1_000,
        quick=True,
    ),
    "comments and findings": Bomb(
        lambda n: _case(
            "rubrics:",
            *[f"  - {{id: r{it}, outcome: a}}  # suitecase: ignore[SC602]" for it in range(n)],
        ),
        500,
    ),
    "comments in one text without cases": Bomb(
        lambda n: _own("a:\n" + "  # suitecase: ignore[SC101]\n" * n + "  b: c\n"), 2_000
    ),
    "other comments": Bomb(lambda n: _own(SUITE + "    # a\n" * n), 5_000),
    "blank lines": Bomb(lambda n: _own(SUITE + "\n" * n + CASE), 20_000),
    "unknown keys": Bomb(lambda n: _case(*[f"key{it}: 1" for it in range(n)]), 500, quick=True),
    "unknown keys at the top": Bomb(
        lambda n: _own(_rows(n, lambda it: f"key{it}: 1\n") + SUITE), 500
    ),
    "one key many times": Bomb(lambda n: _case(*["tags: [a]"] * n), 500, quick=True),
    "other keys, each twice": Bomb(
        lambda n: _case("metadata:", *[f"  k{number // 2}: 1" for number in range(2 * n)]),
        150,
        quick=True,
    ),
    "unknown tags": Bomb(
        lambda n: _case(f"metadata: {{x: [{','.join(['!a b'] * n)}]}}"), 250, quick=True
    ),
    "unknown tags, each its own": Bomb(
        lambda n: _case(
            "metadata:",
            *[f"  k{number}: !a{number} {'b' if number % 2 else number}" for number in range(n)],
        ),
        200,
        quick=True,
    ),
    "long unknown tags": Bomb(
        lambda n: _own(
            f"%TAG ! tag:x,2000:{'a' * (8 * n)}\n---\n{SUITE}    metadata:\n"
            + _rows(n, lambda it: f"      k{it}: !a{it} b\n")
        ),
        200,
    ),
    "long unknown keys": Bomb(lambda n: _case(f"{'k' * n}: 1"), 5_000),
    "anchors that double": Bomb(lambda n: _own(_aliases(n) + SUITE), 200, quick=True),
    "merges that double": Bomb(lambda n: _own(_merged(n) + SUITE), 200, quick=True),
    "nesting": Bomb(lambda n: _case(f"metadata: {_nested(n)}"), 2_000, quick=True),
    "nested mappings": Bomb(lambda n: _case(f"metadata: {'{a: ' * n}1{'}' * n}"), 2_000),
    "composites in composites": Bomb(
        lambda n: _case(
            "evaluators: ["
            + "{name: c, type: composite, aggregator: {type: weighted_average}, evaluators: [" * n
            + "{name: e, type: contains, value: a}"
            + "]}" * n
            + "]"
        ),
        30,
    ),
    "a long text": Bomb(lambda n: _case(f"description: {'a ' * n}"), 50_000),
    "a long word": Bomb(lambda n: _case(f"description: {'a' * n}"), 50_000),
    "a long number": Bomb(lambda n: _case(f"conversation_id: {'9' * n}"), 20_000, quick=True),
    "a large exponent": Bomb(lambda n: _case(f"metadata: {{a: 1e{'9' * n}}}"), 5_000),
    "repeats": Bomb(lambda n: _own(f"repeat: {'9' * n}\n{SUITE}"), 100),
    "placeholders": Bomb(
        lambda n: _case(
            f"evaluators: [{{name: j, type: llm_judge, prompt: '{'{{ qestion }}' * n}'}}]"
        ),
        500,
        quick=True,
    ),
    "open braces": Bomb(
        lambda n: _case(f"evaluators: [{{name: j, type: llm_judge, prompt: '{'{{' * n}'}}]"), 5_000
    ),
    "tags": Bomb(lambda n: _case(f"tags: [{', '.join(f't{it}' for it in range(n))}]"), 1_000),
    "messages": Bomb(
        lambda n: _case("expected_messages:", *["  - {role: assistant, content: a}"] * n), 500
    ),
    "rubrics": Bomb(
        lambda n: _case(
            "rubrics:", *[f"  - {{id: r{it}, expected_outcome: a b c d e f g}}" for it in range(n)]
        ),
        500,
    ),
    "score ranges": Bomb(
        lambda n: _case(
            "rubrics:",
            "  - id: r",
            "    score_ranges:",
            *[f"      - {{score_range: [{it}, {it}], expected_outcome: a}}" for it in range(n)],
        ),
        300,
    ),
    "a pattern of a regex": Bomb(
        lambda n: _case(f"evaluators: [{{name: r, type: regex, value: '{'(a+)+' * n}$'}}]"),
        200,
        quick=True,
    ),
    "brackets of a regex": Bomb(
        lambda n: _case(f"evaluators: [{{name: r, type: regex, value: '{'(' * n}a{')' * n}'}}]"),
        100,
    ),
    "repeats of a regex": Bomb(
        lambda n: _case(
            f"evaluators: [{{name: r, type: regex, value: '{'(' * n}a{'{1,99}){1,99}'[:9] * n}'}}]"
        ),
        50,
    ),
    "schema references": Bomb(
        lambda n: _schema(
            {
                "$ref": "#/$defs/d0",
                "$defs": {
                    f"d{it}": {"allOf": [{"$ref": f"#/$defs/d{it + 1}"}] * 2} for it in range(n)
                },
            }
        ),
        100,
        quick=True,
    ),
    "schema nesting": Bomb(
        lambda n: _own(
            f"evaluation_mode: schema\n{SUITE}    evaluation_schema: {'{not: ' * n}{{}}{'}' * n}\n"
        ),
        200,
    ),
    "schema properties": Bomb(
        lambda n: _schema({"properties": {f"p{it}": {"type": "string"} for it in range(n)}}), 500
    ),
    "schema enumeration": Bomb(lambda n: _schema({"enum": [f"a{it}" for it in range(n)]}), 1_000),
    "restricted texts": Bomb(
        lambda n: _own(
            f"{HEAD}governance:\n  sources:\n"
            + _rows(n, lambda it: f"    s{it}: {{license: CC-BY-4.0, cases: ['*']}}\n")
            + f"evalcases:\n{CASE}"
        ),
        200,
    ),
    "a license expression": Bomb(
        lambda n: _own(
            f"{HEAD}governance: {{sources: {{s: {{license: '{'(' * n}MIT{')' * n}'}}}}}}\nevalcases:\n{CASE}"
        ),
        500,
    ),
    "data set": Bomb(
        lambda n: {"a.jsonl": '{"id": "a", "input": "Hi", "expected_outcome": "x"}\n' * n}, 500
    ),
    "a long line of a data set": Bomb(
        lambda n: {
            "a.jsonl": json.dumps({"id": "a", "input": "a " * n, "expected_outcome": "x"}) + "\n"
        },
        50_000,
    ),
    "a nested line of a data set": Bomb(
        lambda n: {
            "a.jsonl": f'{{"id": "a", "input": "Hi", "expected_outcome": "x", "metadata": {_nested(n)}}}\n'
        },
        2_000,
    ),
    "targets": Bomb(
        lambda n: {
            **_own(SUITE),
            "targets.yaml": "targets:\n  - {name: mock, provider: mock}\n"
            + _rows(n, lambda it: f"  - {{name: t{it}, provider: mock}}\n"),
        },
        300,
    ),
    "targets in a row": Bomb(
        lambda n: {
            **_own(SUITE),
            "targets.yaml": "targets:\n  - {name: mock, provider: mock}\n"
            + _rows(
                n, lambda it: f"  - {{name: t{it}, provider: mock, judge_target: t{it + 1}}}\n"
            ),
        },
        300,
    ),
    "patterns of a configuration": Bomb(
        lambda n: {
            **_own(SUITE),
            "suitecase.toml": f"exclude = [{', '.join([chr(34) + '**/' * 10 + 'b' + chr(34)] * n)}]\n",
        },
        200,
    ),
    "a pattern of a configuration": Bomb(
        lambda n: {
            **_own(SUITE),
            "suitecase.toml": f'exclude = ["{"*a" * n}b"]\n',
            f"{'a' * 100}.eval.yaml": SUITE,
        },
        20,
        quick=True,
    ),
    "folders of a pattern": Bomb(
        lambda n: {
            "/".join("a" * 40) + "/a.eval.yaml": SUITE,
            "suitecase.toml": f'exclude = ["{"**/a/" * n}b"]\n',
        },
        20,
    ),
    "nesting of a configuration": Bomb(
        lambda n: {**_own(SUITE), "suitecase.toml": f"exclude = {_nested(n)}\n"}, 500
    ),
    # promptfoo
    "columns": Bomb(lambda n: _csv([f"c{it}" for it in range(n)], ["1"] * n), 2_000, quick=True),
    "columns of one name": Bomb(lambda n: _csv(["c0"] * n, ["1"] * n), 2_000, quick=True),
    "columns of assertions": Bomb(
        lambda n: _csv([f"__expected{it}" for it in range(n)], ["equals: a"] * n), 500, quick=True
    ),
    "columns of metadata": Bomb(
        lambda n: _csv([f"__metadata:m{it}" for it in range(n)], ["a"] * n), 500
    ),
    "columns and settings of assertions": Bomb(
        lambda n: _csv([f"__config:__expected{it}:threshold" for it in range(n)], ["1"] * n), 500
    ),
    "columns with nearly a name": Bomb(
        lambda n: _csv([f"__expectd{it}" for it in range(n)], ["1"] * n), 500, quick=True
    ),
    "rows of a table": Bomb(lambda n: _csv(["c0"], *[[f"a{it}"] for it in range(n)]), 1_000),
    "rows that are too long": Bomb(lambda n: _csv(["c0"], *[["a"] * 5] * n), 1_000),
    "quotes of a table": Bomb(lambda n: _csv(["c0"], ['"' * n]), 5_000),
    "an open quote of a table": Bomb(lambda n: _csv(["c0"], ['"a\n' * n]), 5_000),
    "tests": Bomb(lambda n: _tests(n, lambda it: f"  - vars: {{x: a{it}}}\n"), 300),
    "tests that are the same": Bomb(
        lambda n: _tests(n, lambda _: "  - vars: {x: a}\n"), 300, quick=True
    ),
    "lists of variables": Bomb(_expanded, 20, quick=True),
    "values of a variable": Bomb(
        lambda n: _promptfoo(
            "prompts: ['Hi {{x}}']\nproviders: [echo]\ntests: [{vars: {x: ["
            + ", ".join(f"a{it}" for it in range(n))
            + "]}}]\n"
        ),
        200,
    ),
    "prompts and providers": Bomb(
        lambda n: _promptfoo(
            f"prompts: [{', '.join(f'P{it}' for it in range(n))}]\n"
            f"providers: [{', '.join(f'echo{it}' for it in range(n))}]\n"
            f"tests: [{', '.join([f'{{vars: {{x: a{it}}}}}' for it in range(n)])}]\n"
        ),
        40,
        quick=True,
    ),
    "scenarios": Bomb(
        lambda n: _promptfoo(
            "prompts: [Hi]\nproviders: [echo]\nscenarios:\n"
            + _rows(
                3,
                lambda _: (
                    f"  - config: [{', '.join(['{vars: {x: a}}'] * n)}]\n    tests: [{', '.join(['{vars: {y: a}}'] * n)}]\n"
                ),
            )
        ),
        40,
    ),
    "a huge repeat": Bomb(
        lambda n: _promptfoo(
            f"prompts: [Hi]\nproviders: [echo]\ntests: [{{vars: {{x: a}}, options: {{repeat: {'9' * n}}}}}]\nevaluateOptions: {{repeat: {'9' * n}}}\n"
        ),
        10,
        quick=True,
    ),
    "variables of variables": Bomb(
        lambda n: _tests(
            1,
            lambda _: (
                "  - vars:\n      x: a\n"
                + _rows(n, lambda it: f"      v{it}: '{{{{v{it + 1}}}}}{{{{v{it + 1}}}}}'\n")
            ),
            "{{v0}}",
        ),
        100,
        quick=True,
    ),
    "loops in a template": Bomb(
        lambda n: _tests(
            1,
            lambda _: "  - vars: {x: a}\n",
            "{% for i in range(100000000) %}" * n + "a" + "{% endfor %}" * n,
        ),
        10,
        quick=True,
    ),
    "uses of a variable": Bomb(
        lambda n: _tests(1, lambda _: "  - vars: {x: a}\n", "{{ x }}" * n), 1_000, quick=True
    ),
    "uses of a variable without a value": Bomb(
        lambda n: _tests(1, lambda _: "  - vars: {y: a}\n", "{{ x }}" * n), 1_000
    ),
    "messages of a chat": Bomb(
        lambda n: _tests(
            1,
            lambda _: "  - vars: {x: a}\n",
            json.dumps([{"role": "user", "content": "{{ x }}"}] * n),
        ),
        1_000,
    ),
    "braces in a template": Bomb(
        lambda n: _tests(1, lambda _: "  - vars: {x: a}\n", "{{" * n), 2_000
    ),
    "nesting in a template": Bomb(
        lambda n: _tests(
            1, lambda _: "  - vars: {x: a}\n", "{{ " + "(" * n + "x" + ")" * n + " }}"
        ),
        500,
    ),
    "filters in a template": Bomb(
        lambda n: _tests(
            1, lambda _: "  - vars: {x: a}\n", "{{ x" + " | replace('a', 'aa')" * n + " }}"
        ),
        50,
        quick=True,
    ),
    "conditions in a template": Bomb(
        lambda n: _tests(1, lambda _: "  - vars: {x: a}\n", "{% if x %}" * n + "{% endif %}" * n),
        200,
    ),
    "assertions": Bomb(
        lambda n: _tests(1, lambda _: "  - assert:\n" + "      - {type: contains, value: a}\n" * n),
        300,
    ),
    "sets of assertions": Bomb(
        lambda n: _tests(
            1,
            lambda _: (
                "  - assert: ["
                + "{type: assert-set, assert: [" * n
                + "{type: contains, value: a}"
                + "]}" * n
                + "]\n"
            ),
        ),
        50,
    ),
    "a pattern of an assertion": Bomb(lambda n: _assertion("(a+)+" * n + "$"), 200, quick=True),
    "patterns of files": Bomb(
        lambda n: _promptfoo(
            f"prompts: [{', '.join(f'{chr(34)}file://**/*{it}.txt{chr(34)}' for it in range(n))}]\nproviders: [echo]\n",
            **{f"texts/{it}/a.txt": "Hi" for it in range(50)},
        ),
        50,
        quick=True,
    ),
    "unread keys of a rubric": Bomb(
        lambda n: _agentv_rubrics(f"{{{', '.join(f'k{number}: 1' for number in range(n))}}}"),
        200,
        quick=True,
    ),
    "rubrics with unread keys": Bomb(
        lambda n: _agentv_rubrics(
            *(f"{{id: a{number}, outcom: x}}" for number in range(n)),
        ),
        100,
        quick=True,
    ),
    "alternatives in a pattern": Bomb(
        lambda n: _promptfoo(f"prompts: ['file://{'{a,b}' * n}/*.txt']\nproviders: [echo]\n"),
        50,
        quick=True,
    ),
    "stars in a pattern": Bomb(
        lambda n: _promptfoo(
            f"prompts: ['file://{'*a' * n}b.txt']\nproviders: [echo]\n",
            **{"a" * 200 + ".txt": "Hi"},
        ),
        50,
    ),
    "folders in a pattern": Bomb(
        lambda n: _promptfoo(
            f"prompts: ['file://{'**/a/' * n}*.txt']\nproviders: [echo]\n",
            **{"/".join("a" * 20) + "/b.md": "Hi"},
        ),
        20,
    ),
    "references in a circle": Bomb(
        lambda n: _promptfoo(
            "prompts: [Hi]\nproviders: [echo]\ndefaultTest: {$ref: '#/x0'}\ntests: [{vars: {a: b}}]\n"
            + _rows(n, lambda it: f"x{it}: {{$ref: '#/x{(it + 1) % n}'}}\n")
        ),
        100,
    ),
    "providers": Bomb(
        lambda n: _promptfoo(
            f"prompts: [Hi]\nproviders: [{', '.join(f'openai:gpt-{it}' for it in range(n))}]\ntests: [{{vars: {{a: b}}}}]\n"
        ),
        300,
    ),
    "providers by their labels": Bomb(
        lambda n: _promptfoo(
            "prompts: [Hi]\nproviders:\n"
            + _rows(n, lambda row: f"  - {{id: openai:gpt-4.1, label: p{row}}}\n")
            + "tests:\n"
            + _rows(n, lambda row: f"  - {{vars: {{a: b}}, providers: [p{row}]}}\n")
        ),
        300,
        quick=True,
    ),
    "prompts by their labels": Bomb(
        lambda n: _promptfoo(
            "prompts:\n"
            + _rows(n, lambda row: f"  - {{raw: Hi {row}, label: p{row}}}\n")
            + "providers:\n"
            + _rows(n, lambda row: f"  - {{id: 'openai:gpt-{row}', prompts: [p{row}]}}\n")
            + "tests:\n"
            + _rows(n, lambda row: f"  - {{vars: {{a: b}}, prompts: [p{row}]}}\n")
        ),
        400,
        quick=True,
    ),
    "anchors of promptfoo": Bomb(
        lambda n: _promptfoo(
            _aliases(n) + "prompts: [Hi]\nproviders: [echo]\ntests: [{vars: {a: b}}]\n"
        ),
        200,
    ),
    "merges of promptfoo": Bomb(
        lambda n: _promptfoo(
            _merged(n) + f"prompts: [Hi]\nproviders: [echo]\ntests: [{{vars: {{<<: *x{n}}}}}]\n"
        ),
        100,
    ),
    # AgentV and Agent Skills
    "tests of AgentV": Bomb(
        lambda n: _own(
            "name: a\ntests:\n"
            + _rows(
                n,
                lambda it: (
                    f"  - {{id: t{it}, input: Hi, criteria: x, assertions: [{{type: contains, value: a}}]}}\n"
                ),
            )
        ),
        300,
    ),
    "assertions of AgentV": Bomb(
        lambda n: _own(
            "name: a\ntests:\n  - {id: t, input: Hi, criteria: x, assertions: ["
            + "{type: contains, value: a}, " * n
            + "]}\n"
        ),
        300,
    ),
    "composites of AgentV": Bomb(
        lambda n: _own(
            "name: a\ntests:\n  - {id: t, input: Hi, criteria: x, assertions: ["
            + "{type: composite, assertions: [" * n
            + "{type: contains, value: a}"
            + "]}" * n
            + "]}\n"
        ),
        30,
    ),
    "evals of skills": Bomb(lambda n: _skills([_skill_eval(it) for it in range(n)]), 300),
    "evals of one id": Bomb(lambda n: _skills([_skill_eval(1)] * n), 300, quick=True),
    "files of an eval": Bomb(
        lambda n: _skills([_skill_eval(1, files=[f"a/b{it}.txt" for it in range(n)])]), 300
    ),
    "nesting of an eval": Bomb(
        lambda n: {"s/evals/evals.json": f'{{"skill_name": "s", "evals": {_nested(n)}}}'}, 2_000
    ),
    "keys of an eval": Bomb(
        lambda n: _skills([_skill_eval(1, **{f"key{it}": 1 for it in range(n)})]), 500
    ),
}
