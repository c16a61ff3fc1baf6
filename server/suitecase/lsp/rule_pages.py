"""The pages of rules, for reading in the editor without network access."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from suitecase.checking.rules import all_rules, rule_named
from suitecase.format.rule import Finding, Rule
from suitecase.lsp.command_names import EXPLAIN_RULE
from suitecase.lsp.editor_results import make_results_dir
from suitecase.lsp.run_documents import write_file
from suitecase.lsp.session import Session
from suitecase.text.near_names import nearest
from suitecase.text.working_directory import working_directory


def rule_argument(name: object) -> Rule:
    """Return a rule by its code or name.

    Raises:
        JsonRpcInvalidParams: there is none; the message suggests a similar one.
    """
    if not isinstance(name, str):
        raise JsonRpcInvalidParams("the argument must be the code or the name of a rule")
    matching = rule_named(name)
    if matching is not None:
        return matching
    names = [it for rule in all_rules() for it in (rule.code, rule.name)]
    suggestion = nearest(name.upper(), names) or nearest(name.lower(), names)
    hint = f"; did you mean {suggestion}?" if suggestion else ""
    raise JsonRpcInvalidParams(f"unknown rule `{name}`{hint}")


async def write_rule_page(session: Session, rule: Rule) -> Path:
    """Write the page that `suitecase explain` shows for a rule to a file.

    Raises:
        JsonRpcException: the file cannot be written.
    """
    roots = session.roots()
    root = roots[0] if roots else working_directory()

    def write() -> Path:
        folder = make_results_dir(root, "rules", lasting=bool(roots)).folder
        path = folder / "rules" / f"{rule.code}-{rule.name}.md"
        return write_file(path, (rule.markdown().encode(),), within=folder)

    return await asyncio.to_thread(write)


def explanations(findings: list[Finding]) -> Iterator[types.CodeAction]:
    """Yield an action per rule that opens its page.

    Without a kind, and last: it does not fix anything.
    """
    for code, name in dict.fromkeys((finding.code, finding.rule.name) for finding in findings):
        yield types.CodeAction(
            title=f"Explain {code} ({name})",
            command=types.Command(f"Explain {code}", EXPLAIN_RULE, arguments=[code]),
        )
