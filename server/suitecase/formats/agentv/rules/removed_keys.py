"""The rule on keys of earlier versions of AgentV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from suitecase.format.rule import Finding, Severity, Tag, replace, rule
from suitecase.formats.agentv.suite.parsed import AgentvHead, AgentvTest
from suitecase.formats.promptfoo.suite.parsed import ParsedAssertion
from suitecase_evaluators.promptfoo.assertion_type import NEGATION

_ASSERT = "list the assertions under `assert`"
_OF_HEAD: Final[Mapping[str, str]] = MappingProxyType(
    {
        "eval_cases": "list the tests under `tests`",
        "evalcases": "list the tests under `tests`",
        "target": "name it under `providers`",
        "targets": "list them under `providers`",
        "model": "set the model in the `config` of a provider",
        "experiment": "write it as `tags.experiment`",
        "repeat": "write it as `evaluate_options.repeat`",
        "runs": "write it as `evaluate_options.repeat`",
        "early_exit": "write it as `evaluate_options.repeat.early_exit`",
        "budget_usd": "write it as `evaluate_options.budget_usd`",
        "policy": "set limits under `evaluate_options`",
        "imports": "name files with tests under `tests`",
        "graders": "name what grades as the `provider` of an assertion",
        "execution": "name what answers under `providers`, and set limits under `evaluate_options`",
        "preprocessors": "change answers with `transform`",
        "input": "write it as a prompt, under `prompts`",
        "expected_output": "write it as `default_test.vars.expected_output`",
        "assertions": _ASSERT,
        "evaluators": _ASSERT,
    }
)
_OF_TEST: Final[Mapping[str, str]] = MappingProxyType(
    {
        "input": 'write it as `vars.input`, with the prompt `"{{ input }}"` under `prompts`',
        "expected_output": "write it as `vars.expected_output`",
        "assertions": _ASSERT,
        "evaluators": _ASSERT,
        "rubrics": "list them under `assert`, as texts",
    }
)
#: Of the keys, those whose values need not change.
_RENAMED = frozenset({"assertions", "evaluators"})


@rule("PF601", gradable=True, tags=(Tag.DEPRECATED,))
def removed_key(part: AgentvHead | AgentvTest) -> Iterator[Finding]:
    """A key is one of an earlier version of AgentV.

    Version 5 took over the format of promptfoo: what is asked stands under `prompts` and `vars`, and
    what grades under `assert`. It refuses suites with the earlier keys.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    targets: [codex]  # <- finding
    tests:
      - id: greet
        vars: {input: Hi}
        assertions:  # <- finding
          - {type: icontains, value: hello}
    ```

    ```yaml good
    prompts: ["{{ input }}"]
    default_test: {}
    providers: [codex]
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - {type: icontains, value: hello}
    ```

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assertions:  # <- finding
          - {type: icontains, value: hello}
    ```

    ```yaml fixed
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - {type: icontains, value: hello}
    ```
    """
    if part.node is None:
        return
    removed = _OF_HEAD if isinstance(part, AgentvHead) else _OF_TEST
    for name in removed.keys() & part.node.entries.keys():
        key = part.node.entries[name].key
        fix = None
        if name in _RENAMED and "assert" not in part.node:
            fix = replace(key.span, "assert", "Rename to `assert`", safe=False)
        yield Finding(
            key.span, f"AgentV does not read `{name}` from version 5 on; {removed[name]}", fix
        )
    yield from _of_rubrics(part)


def _of_rubrics(part: AgentvHead | AgentvTest) -> Iterator[Finding]:
    for element in part.elements():
        if not isinstance(element, ParsedAssertion) or element.type is None:
            continue
        key = element.node.key("criteria")
        if key is None or element.type.text.removeprefix(NEGATION) != "llm-rubric":
            continue
        fix = None
        if "value" not in element.node:
            fix = replace(key.span, "value", "Rename to `value`", safe=False)
        message = (
            "AgentV does not read `criteria` of `llm-rubric` from version 5 on; write it as `value`"
        )
        yield Finding(key.span, message, fix)


@rule("PF602", Severity.WARNING, keys=("workspace",), tags=(Tag.DEPRECATED,))
def removed_workspace(part: AgentvHead | AgentvTest) -> Iterator[Finding]:
    """A `workspace` describes the folder of the agent, as earlier versions of AgentV had it.

    From version 5 on, `environment` does: `type: host` with the folder as its `workdir`, or `type:
    docker` with an image.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    workspace:  # <- finding
      template: ./project
    tests:
      - id: fix
        vars: {input: Fix the test}
        assert: [The test passes]
    ```

    ```yaml good
    prompts: ["{{ input }}"]
    default_test: {}
    environment:
      type: host
      workdir: ./project
    tests:
      - id: fix
        vars: {input: Fix the test}
        assert: [The test passes]
    ```
    """
    key = part.node.key("workspace") if part.node is not None else None
    if key is not None:
        yield Finding(
            key.span,
            "AgentV does not read `workspace` from version 5 on; describe the folder or the container "
            "as `environment`",
        )
