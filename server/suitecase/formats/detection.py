"""Which format a document is certain to be of: a suite of ours, one of another tool, or none that is known."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from suitecase.format.other_tools import tool_of
from suitecase.formats.agent_skills import detect as agent_skills
from suitecase.formats.agentv import detect as agentv
from suitecase.formats.promptfoo import detect as promptfoo
from suitecase.formats.suitecase.current import detect as current
from suitecase.text.document import Content, Document

#: A suite of ours, the beginning of one without a list of cases, a file of a dialect, or anything else.
Format = Literal["suite", "begun", "foreign", "other"]

#: A folder in hidden folders in which files with such a name are searched; nothing else there is.
HIDDEN_FOLDER = agent_skills.HIDDEN_FOLDER
#: Keys, or comments, one of which a file of a dialect has that has no such name.
_MARKS = re.compile(promptfoo.MARKS, re.MULTILINE)


def dialect_by_name(path: Path) -> str | None:
    """Return the folder of the dialect whose files have such a name; its content has to fit, too."""
    return "agent_skills" if agent_skills.is_named(path) else None


def may_be_of_dialect(content: bytes) -> bool:
    """Whether the content of a YAML file has anything that files of dialects have; it is cheap to ask."""
    return _MARKS.search(content) is not None


def format_of(document: Document, path: Path | None = None) -> Format:
    """Return the format that a document is certain to be of, by its content.

    This is the one place that decides it. A document under our own name for the list of cases is a suite
    whatever else it holds. The other names are words of many kinds of files: there a case must look like
    one, or the top must. The name of a file alone makes it nothing: many tools share such names.
    """
    name = document.list_key.text if document.list_key is not None else ""
    root = document.root
    if root is not None and name == current.LIST_KEY:
        return "suite"
    if dialect_name(document, path) is not None:
        return "foreign"
    if root is not None and name and document.case_index.any(_is_ours):
        return "suite"
    if tool_of(document) is not None:
        return "other"
    if root is not None and name and current.may_be_suite(root, document):
        return "suite"
    return "begun" if current.is_begun(document) else "other"


def dialect_name(document: Document, path: Path | None = None) -> str | None:
    """Return the folder of the dialect that a document is of; None if it is of none.

    Args:
        document: the document, parsed for any format.
        path: its path, if it has one.
    """
    key = document.list_key
    if key is not None and key.text in (current.LIST_KEY, *current.OLDER_LIST_KEYS):
        return None
    if agent_skills.is_evals(document, path):
        return "agent_skills"
    has_our_cases = document.case_index.any(_is_ours)
    if agentv.is_suite(document, path, has_our_cases=has_our_cases):
        return "agentv"
    if promptfoo.is_configuration(document, path, has_our_cases=has_our_cases):
        return "promptfoo"
    if agentv.is_list_of_tests(document):
        return "agentv"
    if promptfoo.is_list_of_tests(document):
        return "promptfoo"
    return None


def _is_ours(content: Content) -> bool:
    return current.is_case(content.node)
