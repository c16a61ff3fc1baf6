"""Whether a document is a suite of ours, in the current format or an older form of it."""

from __future__ import annotations

import re
from collections.abc import Collection

from suitecase.format.other_tools import keys_in, tool_of
from suitecase.formats.names import KEYS_OF_DIALECTS
from suitecase.formats.suitecase.legacy.other_keys import CASE as CASE_WITHOUT_EQUAL
from suitecase.formats.suitecase.legacy.other_keys import SUITE as SUITE_WITHOUT_EQUAL
from suitecase.text.document import Document
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Node, Scalar, Sequence

#: The name of the list of cases that no other kind of file has.
LIST_KEY = "evalcases"
#: Names of it that only few other kinds of files have. An item has to look like a case there, too.
OLDER_LIST_KEYS = ("eval_cases", "testcases")
#: What stands at the top of a suite beside its cases; a test compares it with the model.
HEAD_KEYS = frozenset(
    {
        "$schema",
        "dataset",
        "description",
        "evaluation_criteria",
        "evaluation_mode",
        "execution",
        "expected_schema",
        "gates",
        "governance",
        "human",
        "intervals",
        "judges",
        "metadata",
        "metrics",
        "prompt",
        "slices",
        "version",
    }
)
#: What is in a case; the test compares this, too.
CASE_KEYS = (
    "conversation_id",
    "description",
    "evaluation_schema",
    "evaluators",
    "execution",
    "expected_messages",
    "expected_outcome",
    "expected_output",
    "id",
    "input",
    "input_messages",
    "metadata",
    "note",
    "rubrics",
    "sidecar",
    "tags",
)
#: What was in one in older formats.
_OLDER_CASE_KEYS = frozenset(
    {
        *CASE_WITHOUT_EQUAL,
        *("assert", "assertions", "criteria", "evaluator", "messages", "name", "outcome"),
        *("skip_defaults", "target"),
    }
)
#: What stood at the top in older formats.
_OLDER_HEAD_KEYS = frozenset({"target", "evaluator", "evaluators"})
_OLDER_NAMES_AT_TOP = frozenset(
    {*SUITE_WITHOUT_EQUAL, "author", "category", "license", "name", "requires", "tags"}
)
#: Of these keys, what suites of no other tool have.
_OWN_HEAD_KEYS = frozenset(
    {"evaluation_criteria", "evaluation_mode", "execution", "expected_schema"}
)
#: All of its names.
_LIST_KEYS = (LIST_KEY, *OLDER_LIST_KEYS, "tests", "cases")
_INPUTS = ("input", "input_messages", "messages")
_OUTCOMES = (
    "expected_outcome",
    "outcome",
    "criteria",
    "expected_output",
    "expected_messages",
    "rubrics",
    "assert",
    "assertions",
    "evaluators",
)
#: What a case on a line of JSON has among its keys, in any spelling: of each of these one. Lines of other
#: programs have an id and an input, too.
KEYS_OF_LINES = (
    frozenset({"id"}),
    frozenset(_INPUTS),
    frozenset(
        {"expected_outcome", "outcome", "criteria", "rubrics", "evaluators", "input_messages"}
    ),
)
#: Of these, and of the others that a case may have, those that lists of other programs have not.
_ONLY_OURS = (
    "expected_outcome",
    "outcome",
    "input_messages",
    "expected_messages",
    "rubrics",
    "evaluators",
    "execution",
)
#: What cases of other programs ask, and what they compare answers with.
_OTHER_WORDS = frozenset(
    {
        "answer",
        "gold",
        "golden",
        "ground_truth",
        "ideal",
        "inputs",
        "prompt",
        "q",
        "query",
        "question",
        "questions",
        "reference",
        "reference_answer",
        "scenario",
        "steps",
        "text",
        "transcript",
        "user",
        "user_input",
    }
)
_BEGUN = frozenset(
    {"id", "description", "metadata", "tags", "note", "conversation_id", "sidecar", "execution"}
)
_TOP = ("execution", "evaluator", "assert", "assertions", "dataset")
#: What is under `execution` in a suite.
_IN_EXECUTION = ("target", "targets", "evaluators", "repeats", "trials")
#: How much of a misspelt name for the list of cases has to be right.
_LIKENESS = 0.85


def is_case(node: Node | None) -> bool:
    """Whether a node is a case of ours, and of no other tool."""
    if not isinstance(node, Mapping) or _is_of_others(node):
        return False
    asks = any(key in node for key in _INPUTS)
    grades = any(key in node for key in _OUTCOMES)
    if asks:
        return grades or "id" in node
    return grades and "id" in node and "vars" not in node


def _is_of_others(case: Mapping) -> bool:
    """Whether an item may as well be of another program: many have lists of cases of their own.

    It asks or expects in words that ours have not, or has other keys of which ours know nothing.
    """
    if any(only_our in case for only_our in _ONLY_OURS):
        return False
    if any(entry in _OTHER_WORDS or _expects_otherwise(entry) for entry in case.entries):
        return True
    unknown = sum(not _is_known(entry) for entry in case.entries)
    return unknown > (len(case.entries) // 3 if "criteria" in case else 0)


def _is_known(key: str) -> bool:
    return (
        key in CASE_KEYS
        or key in _OLDER_CASE_KEYS
        or nearest(key, CASE_KEYS, _LIKENESS) is not None
    )


def _expects_otherwise(key: str) -> bool:
    return (
        key.startswith(("expect", "must_"))
        and key not in _OUTCOMES
        and nearest(key, _OUTCOMES, _LIKENESS) is None
    )


def may_be_suite(root: Mapping, document: Document) -> bool:
    """Whether a list of cases, none of which is one yet, may become a suite's.

    Args:
        root: the document's top.
        document: no suite of another tool. Its list of cases has a name that other files use, too.
    """
    if isinstance(document.list_node, Scalar):
        if names_case_file(document.list_node):
            others = root.entries.keys() - HEAD_KEYS - _OLDER_HEAD_KEYS - set(_LIST_KEYS)
            return any(it in root for it in _TOP) or others <= _OLDER_NAMES_AT_TOP
        if document.list_node.text.strip():
            return document.list_key is not None and document.list_key.text in OLDER_LIST_KEYS
    cases = [
        content for content in document.cases.contents if content.broken or content.node is not None
    ]
    if not cases:
        return any(key in root for key in _TOP)
    if any(case.broken and _reads_as_case(case.text) for case in cases):
        return True
    if _has_own_execution(root) and any(_is_called(case.node) for case in cases):
        return True
    return all(_is_begun(case.node) for case in cases)


def _has_own_execution(root: Mapping) -> bool:
    execution = root.get("execution")
    return isinstance(execution, Mapping) and any(it in execution for it in _IN_EXECUTION)


def _is_called(case: Node | None) -> bool:
    """Whether an item has a key that nearly every case has."""
    return isinstance(case, Mapping) and any(it in case for it in ("id", *_INPUTS))


def _reads_as_case(text: str, *, certainly: bool = False) -> bool:
    """Whether a text that does not parse has the keys of a case, all at one level.

    Args:
        text: the text.
        certainly: whether one of them has to be a key that no other tool's cases have.
    """
    levels: dict[int, set[str]] = {}
    for found in _KEY.finditer(text):
        levels.setdefault(len(found["before"]), set()).add(found["key"])
    for keys in levels.values():
        asks = not keys.isdisjoint(_INPUTS)
        grades = not keys.isdisjoint(_OUTCOMES)
        is_ours = not keys.isdisjoint(_ONLY_OURS)
        is_others = not is_ours and not keys.isdisjoint(_OTHER_WORDS)
        is_case = (asks and grades) or ((asks or grades) and "id" in keys)
        if is_case and not is_others and (is_ours or not certainly):
            return True
    return False


#: A list of items, or an object of JSON.
_LIKE_OTHERS = re.compile(r"^-[ ]|\"[ \t]*:", re.MULTILINE)
_KEY = re.compile(r"^(?P<before>[ ]*(?:-[ ]+)?)(?P<key>\w+)[ \t]*:", re.MULTILINE)


def _is_begun(case: Node | None) -> bool:
    """Whether an item has what a case that is being written has, and nothing else."""
    return isinstance(case, Mapping) and "id" in case and set(case.entries) <= _BEGUN


def is_begun(document: Document) -> bool:
    """Whether a document is the beginning of a suite: it has no list of cases yet.

    So is an empty one, one with nothing but keys of suites, and one with a key that is nearly that of
    the list.

    Args:
        document: no suite, and no file of another tool that is known.
    """
    content = document.head.content
    if content.broken:
        keys = keys_in(content.text)
        if not keys and not _LIKE_OTHERS.search(content.text):
            return True  # which is reported as unreadable
        if LIST_KEY in keys or (keys and _are_of_suite(keys.difference(_LIST_KEYS))):
            return True
        return _reads_as_case(content.text, certainly=keys.isdisjoint(_LIST_KEYS))
    if document.list_key is not None:
        return document.list_key.text == LIST_KEY
    node = content.node
    if node is None:
        return True
    if isinstance(node, Scalar):
        return _may_become_key(node)
    if not isinstance(node, Mapping):
        return _lists_cases(node)
    return misspelt_list_key(node) is not None or _are_of_suite(node.entries)


def is_certainly_begun(document: Document) -> bool:
    """Whether what is only the beginning of a suite, or does not parse, can be nothing else."""
    content, root = document.head.content, document.root
    if content.broken:
        text = content.text
        return LIST_KEY in keys_in(text) or _reads_as_case(text, certainly=True)
    return root is not None and misspelt_list_key(root) is not None


def heads_dataset(document: Document, *, beside_cases: bool) -> bool:
    """Whether a document is the head of a data set of the same name.

    Args:
        document: a YAML document.
        beside_cases: whether the lines of the data set are cases of ours.
    """
    content = document.head.content
    keys = keys_in(content.text) if content.broken else _keys_of(content.node)
    if not _OWN_HEAD_KEYS.isdisjoint(keys) and not isinstance(document.list_node, Sequence):
        return tool_of(document) is None
    if not beside_cases or tool_of(document) is not None:
        return False
    if content.broken:
        return True
    if not keys:
        return content.node is None or isinstance(content.node, Mapping)
    names = (*HEAD_KEYS, *_OLDER_HEAD_KEYS, *_LIST_KEYS, "name")
    return any(nearest(key, names, _LIKENESS) is not None for key in keys)


def _keys_of(node: Node | None) -> Collection[str]:
    return node.entries if isinstance(node, Mapping) else ()


def _are_of_suite(keys: Collection[str]) -> bool:
    keys = [key for key in keys if not key.startswith("x-")]
    known = [key for key in keys if key in HEAD_KEYS or key in _OLDER_HEAD_KEYS]
    if len(known) == len(keys):
        return True
    if not _OWN_HEAD_KEYS.isdisjoint(keys):
        return len(known) * 2 >= len(keys)
    names = (*HEAD_KEYS, *_OLDER_HEAD_KEYS)
    return all(
        key not in KEYS_OF_DIALECTS and nearest(key, names, _LIKENESS) is not None for key in keys
    )


def misspelt_list_key(root: Mapping) -> str | None:
    """Return the key at the top of a suite that was meant to be that of its list of cases, if any.

    A name that is nearly right is enough where no other word is so near; elsewhere an item has to be a
    case.
    """
    for name, entry in root:
        value = entry.value
        if not isinstance(value, Sequence) and not (isinstance(value, Scalar) and not value.text):
            continue
        if nearest(name, (LIST_KEY,), _LIKENESS) is not None:
            return name
        if nearest(name, _LIST_KEYS) is not None and _lists_cases(value):
            return name
    return None


def _lists_cases(node: Node | None) -> bool:
    """Whether a list, whatever it is called, has a case that no other tool has."""
    return isinstance(node, Sequence) and any(
        is_case(item) and isinstance(item, Mapping) and "expected_outcome" in item
        for item in node.items
    )


def _may_become_key(node: Scalar) -> bool:
    """Whether a text is what stands in a file while its first key is being written."""
    text = node.text.strip()
    return text.isidentifier() and any(
        head_key.startswith(text) for head_key in (*HEAD_KEYS, *_OLDER_HEAD_KEYS, *_LIST_KEYS)
    )


def names_case_file(node: Node | None) -> bool:
    """Whether a text stands where cases should, and names a file that holds them."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return False
    text = node.text.strip().lower()
    return text.endswith((".jsonl", ".yaml", ".yml", ".json", ".csv")) or text.startswith("file:")
