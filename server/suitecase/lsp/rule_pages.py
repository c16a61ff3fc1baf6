"""The pages of rules, to be read in the editor without a network."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from suitecase.lsp.command_names import EXPLAIN_RULE
from suitecase.lsp.editor_results import home
from suitecase.lsp.run_documents import written
from suitecase.lsp.session import Session
from suitecase.near_names import nearest
from suitecase.rule import Finding, Rule
from suitecase.rules import all_rules, rule_named


def asked_rule(name: object) -> Rule:
    """Return the rule of a code or a name.

    Raises:
        JsonRpcInvalidParams: there is none; the message says which may be meant.
    """
    if not isinstance(name, str):
        raise JsonRpcInvalidParams("the argument must be the code or the name of a rule")
    found = rule_named(name)
    if found is not None:
        return found
    names = [it for rule in all_rules() for it in (rule.code, rule.name)]
    meant = nearest(name.upper(), names) or nearest(name.lower(), names)
    hint = f"; did you mean {meant}?" if meant else ""
    raise JsonRpcInvalidParams(f"unknown rule `{name}`{hint}")


async def write_rule_page(session: Session, rule: Rule) -> Path:
    """Write what `suitecase explain` shows of a rule to a file.

    Raises:
        JsonRpcException: it cannot be written.
    """
    roots = session.roots()
    root = roots[0] if roots else Path.cwd()

    def write() -> Path:
        folder = home(root, "rules", lasting=bool(roots)).folder
        path = folder / "rules" / f"{rule.code}-{rule.name}.md"
        return written(path, rule.markdown().encode())

    return await asyncio.to_thread(write)


def explanations(found: list[Finding]) -> Iterator[types.CodeAction]:
    """Yield, of each rule that found something, the action that opens its page.

    Of no kind, and last: it fixes nothing.
    """
    for code, name in dict.fromkeys((it.code, it.rule.name) for it in found):
        yield types.CodeAction(
            title=f"Explain {code} ({name})",
            command=types.Command(f"Explain {code}", EXPLAIN_RULE, arguments=[code]),
        )
