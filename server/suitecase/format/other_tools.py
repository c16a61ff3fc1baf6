"""Files of tools whose formats are not read, by the keys that only they have.

Many of them are named as suites are: `*.eval.yaml`, `eval.yaml` and `evals.json` are names that a dozen
programs use. What is recognized here is named in a message, and left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from suitecase.text.document import Document
from suitecase.text.node import Mapping, Node, Scalar, Sequence

#: Whether the top of a document is that of a tool. What stands in the list of cases is passed apart.
_Recognizes = Callable[[Mapping, "Iterable[Node | None]"], bool]
_TOP_KEY = re.compile(r"^[\"']?(\$?[A-Za-z_][\w.-]*)[\"']?[ \t]*:(?=[ \t\r\n]|\Z)", re.MULTILINE)
#: So many items of a list are looked at.
_MOST_ITEMS = 50


@dataclass(frozen=True, slots=True)
class _Tool:
    """A kind of file: what it is, and the keys of which one set is complete in each such file.

    `recognizes` looks at more than keys.
    """

    title: str
    keys: tuple[frozenset[str], ...] = ()
    recognizes: _Recognizes | None = None


def _keys(*sets: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(it.split()) for it in sets)


def _with(key: str, *of_items: str) -> _Recognizes:
    """Return what recognizes a list under a key, an item of which has one of some keys."""

    def recognizes(root: Mapping, cases: Iterable[Node | None]) -> bool:
        if key not in root:
            return False
        listed = root.get(key)
        items = listed.items if isinstance(listed, Sequence) else cases
        return any(
            isinstance(it, Mapping) and any(name in it for name in of_items)
            for it, _ in zip(items, range(_MOST_ITEMS), strict=False)
        )

    return recognizes


def _is_waza(root: Mapping, _: Iterable[Node | None]) -> bool:
    config = root.get("config")
    return isinstance(config, Mapping) and "trials_per_task" in config


def _is_letta(root: Mapping, _: Iterable[Node | None]) -> bool:
    target = root.get("target")
    return isinstance(target, Mapping) and "kind" in target and "graders" in root


def _is_kind_of_eval(root: Mapping, _: Iterable[Node | None]) -> bool:
    kind = root.get("kind")
    return isinstance(kind, Scalar) and kind.text in ("Eval", "Task")


def _is_registry(root: Mapping, _: Iterable[Node | None]) -> bool:
    """Whether each entry is an eval of OpenAI's registry: it names a class, or an id and metrics."""
    values = [entry.value for _, entry in root]
    return bool(values) and all(
        isinstance(value, Mapping) and ("class" in value or ("id" in value and "metrics" in value))
        for value in values
    )


def _is_flow(root: Mapping, _: Iterable[Node | None]) -> bool:
    schema = root.get("$schema")
    return isinstance(schema, Scalar) and ("promptflow" in schema.text or "azureml" in schema.text)


#: The first that fits counts.
_TOOLS = (
    _Tool("a suite of Vally", _keys("stimuli")),
    _Tool(
        "a suite of waza",
        _keys(
            "tasks skill",
            "tasks scenario",
            "tasks_from skill",
            "should_trigger_prompts",
            "skill graders config",
        ),
        _is_waza,
    ),
    _Tool(
        "a task of waza",
        recognizes=lambda root, _: "id" in root and _holds(root, "inputs", "prompt"),
    ),
    _Tool("a suite of Venom", recognizes=_with("testcases", "steps")),
    _Tool(
        "a prompt of GitHub Models",
        _keys("messages testData", "testData evaluators", "messages modelParameters"),
    ),
    _Tool("an evaluation set of Google ADK", _keys("eval_set_id", "evalSetId")),
    _Tool("an evaluation of mcpchecker", recognizes=_is_kind_of_eval),
    _Tool("a suite of skillgrade", recognizes=_with("tasks", "graders", "instruction")),
    _Tool("a suite of skill-up", _keys("schema_version engine")),
    _Tool("a suite of Letta", _keys("graders gate"), _is_letta),
    _Tool(
        "a suite of skill-validator",
        recognizes=_with("scenarios", "assertions", "rubric", "prompt"),
    ),
    _Tool("a suite of mcp-evals", recognizes=_with("evals", "expectedResult")),
    _Tool("a data set of Pydantic Evals", recognizes=_with("cases", "inputs")),
    _Tool(
        "a task of lm-evaluation-harness",
        _keys("task doc_to_text", "task dataset_path", "task output_type", "group task"),
    ),
    _Tool("a registry of OpenAI Evals", recognizes=_is_registry),
    _Tool("a flow of prompt flow", _keys("inputs outputs nodes"), _is_flow),
    _Tool("a test of EvalView", _keys("input expected thresholds")),
    _Tool("a test of Tavern", _keys("test_name stages")),
    _Tool("a workflow of GitHub Actions", _keys("on jobs")),
    _Tool("a file of Docker Compose", _keys("services")),
    _Tool("a Kubernetes resource", _keys("apiVersion kind")),
    _Tool("a configuration of LiteLLM", _keys("model_list")),
)


def _holds(root: Mapping, key: str, name: str) -> bool:
    value = root.get(key)
    return isinstance(value, Mapping) and name in value


def tool_of(document: Document) -> str | None:
    """Return what a document looks like, with its article: `a suite of Vally`; None if unknown.

    A text that does not parse is recognized by the keys at the start of its lines.
    """
    content = document.head.content
    if content.broken:
        return _by_keys(keys_in(content.text))
    root = document.root
    if root is None:
        return None
    keys = root.entries.keys()
    for tool in _TOOLS:
        if any(key <= keys for key in tool.keys):
            return tool.title
        if tool.recognizes is not None and tool.recognizes(
            root, (it.node for it in document.cases.contents)
        ):
            return tool.title
    return None


def keys_in(text: str) -> frozenset[str]:
    """Return the keys at the top of a YAML text that does not parse, as far as its lines show them."""
    return frozenset(_TOP_KEY.findall(text))


def _by_keys(keys: Collection[str]) -> str | None:
    found = (tool.title for tool in _TOOLS if any(key <= set(keys) for key in tool.keys))
    return next(found, None)
