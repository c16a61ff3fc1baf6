"""`textDocument/completion` and `completionItem/resolve`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from lsprotocol import types

from suitecase.ide.completion import (
    Completion,
    CompletionContext,
    Item,
    ItemKind,
    complete_in_configuration,
    complete_in_prompt,
    complete_in_suite,
    complete_in_targets,
    has_blanks,
    has_breaks,
    has_stops,
    line_start,
    rendered,
)
from suitecase.ide.markdown import plain_text
from suitecase.lsp.checking import check
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.request_context import request_context, run_in_thread
from suitecase.lsp.session import Session
from suitecase.rules import rule_named
from suitecase.suite.configuration import OWN_FILE, PROJECT_FILE
from suitecase.suite.target_files import ParsedTargets
from suitecase.syntax.lines import LINE_BREAK
from suitecase.syntax.node import Span

#: A colon and a dash are not among them: a person who ends the line behind one would accept what
#: is offered. The blank behind them is.
OPTIONS = types.CompletionOptions(
    trigger_characters=[" ", "{", "[", "/", '"', "'", "*"], resolve_provider=True
)
_KINDS = {
    ItemKind.KEY: types.CompletionItemKind.Property,
    ItemKind.WORD: types.CompletionItemKind.EnumMember,
    ItemKind.EVALUATOR: types.CompletionItemKind.Class,
    ItemKind.TARGET: types.CompletionItemKind.Reference,
    ItemKind.NAME: types.CompletionItemKind.Value,
    ItemKind.NUMBER: types.CompletionItemKind.Value,
    ItemKind.SCAFFOLD: types.CompletionItemKind.Snippet,
    ItemKind.FILE: types.CompletionItemKind.File,
    ItemKind.FOLDER: types.CompletionItemKind.Folder,
    ItemKind.VARIABLE: types.CompletionItemKind.Variable,
    ItemKind.RULE: types.CompletionItemKind.Constant,
}


async def completion(
    session: Session, params: types.CompletionParams
) -> types.CompletionList | None:
    """Offer what may be written at a position."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    offset = document.positions.offset(params.position)
    context = params.context
    by_character = types.CompletionTriggerKind.TriggerCharacter
    typed = context is not None and context.trigger_kind == by_character
    trigger = (context.trigger_character or "") if context is not None and typed else ""
    asked: list[None] = []

    def case_ids() -> Sequence[str]:
        asked.append(None)
        return ()

    found = _found(session, document, offset, trigger, case_ids)
    if asked:
        # Only here other files have to be looked through.
        version, known = document.version, await _answered_cases(session, document)
        if document.version != version:
            return None  # the editor asks again, where the text is now
        found = _found(session, document, offset, trigger, lambda: known)
    if found is None:
        return None
    as_item = _Writer(session, document, found).item
    return types.CompletionList(
        is_incomplete=not found.is_complete,
        items=[as_item(number, it) for number, it in enumerate(found.items)],
    )


def resolve(session: Session, item: types.CompletionItem) -> types.CompletionItem:
    """Add the documentation of a rule, which is a page."""
    data = item.data
    code = data.get("rule") if isinstance(data, dict) else None
    rule = rule_named(code) if isinstance(code, str) else None
    if rule is not None:
        item.documentation = _documentation(session, rule.markdown())
    return item


async def _answered_cases(session: Session, document: OpenDocument) -> Sequence[str]:
    here = request_context(session, document)
    if here.summary is None:
        return ()
    return await run_in_thread(partial(here.surroundings.answered_cases, here.summary))


def _found(
    session: Session,
    document: OpenDocument,
    offset: int,
    trigger: str,
    case_ids: Callable[[], Sequence[str]],
) -> Completion | None:
    path = document.path
    if path is not None and path.name in (OWN_FILE, PROJECT_FILE):
        # A star begins an alias of YAML; here it is one of the wildcards of a path.
        return complete_in_configuration(path, document.text, offset) if trigger != "*" else None
    snapshot = session.snapshot(document)
    written = snapshot.parsed
    if written is None:
        is_prompt = session.is_named_prompt(document)
        return complete_in_prompt(document.text, offset) if is_prompt else None
    around = CompletionContext(
        snapshot.folder if path is not None else None,
        lambda: check(session, document).findings,
        trigger,
        case_ids,
    )
    if isinstance(written, ParsedTargets):
        return complete_in_targets(written, offset, around)
    return complete_in_suite(written, offset, around)


class _Writer:
    """Writes items as a client takes them."""

    def __init__(self, session: Session, document: OpenDocument, found: Completion) -> None:
        self._session = session
        self._document = document
        self._found = found
        found_break = LINE_BREAK.search(document.text)
        self._newline = found_break.group() if found_break else "\n"
        line = document.text[line_start(document.text, found.offset) : found.offset]
        #: The columns by which an editor indents the further lines of a snippet.
        self._indented = len(line) - len(line.lstrip(" "))

    def item(self, number: int, item: Item) -> types.CompletionItem:
        client = self._session.client
        # Neovim's own completion takes a plain text up to its first blank only.
        needs_snippet = has_stops(item.template) or has_blanks(item.template)
        as_snippet = client.takes_snippets and needs_snippet
        mode = None
        indented = self._indented if as_snippet else 0
        if has_breaks(item.template) and client.keeps_indentation:
            mode, indented = types.InsertTextMode.AsIs, 0
        text = rendered(item.template, newline=self._newline, indented=indented, snippet=as_snippet)
        snippet = types.InsertTextFormat.Snippet if as_snippet else None
        return types.CompletionItem(
            label=item.label,
            kind=_KINDS[item.kind],
            detail=item.detail or None,
            documentation=_documentation(self._session, item.documentation),
            sort_text=f"{number:04}",
            filter_text=item.typed or None,
            insert_text_format=snippet,
            insert_text_mode=mode,
            text_edit=self._edit(item.span or self._found.span, text),
            data={"rule": item.rule} if item.rule else None,
        )

    def _edit(self, span: Span, text: str) -> types.TextEdit | types.InsertReplaceEdit:
        positions = self._document.positions
        whole = positions.range(span)
        if not self._session.client.inserts_or_replaces or span.end == self._found.offset:
            return types.TextEdit(whole, text)
        before = positions.range(Span(span.start, self._found.offset))
        return types.InsertReplaceEdit(new_text=text, insert=before, replace=whole)


def _documentation(session: Session, markdown: str) -> types.MarkupContent | str | None:
    if not markdown:
        return None
    if session.client.markdown_in_completions:
        return types.MarkupContent(types.MarkupKind.Markdown, markdown)
    # Plain text as such: a client that names no format may know none of them by name.
    return plain_text(markdown)
