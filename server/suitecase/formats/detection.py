"""Which format a document is of: a suite of ours, one of another tool, or no suite at all."""

from __future__ import annotations

from typing import Literal

from suitecase.formats.current import detect as current
from suitecase.formats.promptfoo import detect as promptfoo
from suitecase.syntax.document import Document

Format = Literal["suite", "foreign", "other"]


def format_of(document: Document) -> Format:
    """Return the format a document is of, as far as its keys can tell.

    A document under one of our own names for the list of cases is a suite whatever else it holds.
    `tests` and `cases` are words of many kinds of files: there a case must look like one, or the
    top must.
    """
    root = document.root
    name = document.list_key.text if document.list_key is not None else ""
    if root is None or name in current.LIST_KEYS:
        return "suite" if name else "other"
    if name == "tests" and any(key in root for key in promptfoo.TOP_KEYS):
        return "foreign"
    if any(current.is_case(it.node) for it in document.cases.contents):
        return "suite"
    cases = (it.node for it in document.cases.contents)
    if promptfoo.is_suite(root, cases, has_list=bool(name)):
        return "foreign"
    return "suite" if name and current.may_be_suite(root, document) else "other"
