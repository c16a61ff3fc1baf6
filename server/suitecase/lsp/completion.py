"""`textDocument/completion` and `completionItem/resolve`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from lsprotocol import types

from suitecase.checking.rules import rule_named
from suitecase.editor.completion import (
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
from suitecase.editor.dialect_features import features_of
from suitecase.editor.markdown import plain_text
from suitecase.format.configuration import OWN_FILE, PROJECT_FILE
from suitecase.format.target_files import ParsedTargets
from suitecase.lsp.checking import check
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.named_by import naming
from suitecase.lsp.request_context import request_context, run_in_thread
from suitecase.lsp.session import Session
from suitecase.text.lines import LINE_BREAK
from suitecase.text.node import Span

#: Colon and dash are not trigger characters: the Enter that ends such a line would accept a
#: completion. The space after them is.
OPTIONS = types.CompletionOptions(
    trigger_characters=[" ", "{", "[", "(", ".", "/", '"', "'", "*"], resolve_provider=True
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
    """Return completions for a position."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    offset = document.positions.offset(params.position)
    context = params.context
    by_character = types.CompletionTriggerKind.TriggerCharacter
    typed = context is not None and context.trigger_kind == by_character
    trigger = (context.trigger_character or "") if context is not None and typed else ""
    lookups: list[None] = []

    def case_ids() -> Sequence[str]:
        lookups.append(None)
        return ()

    result = _complete(session, document, offset, trigger, case_ids)
    if lookups:
        # Only completions of case ids need to read other files.
        version, ids = document.version, await _answered_cases(session, document)
        if document.version != version:
            return None  # the editor sends a new request for the changed text
        result = _complete(session, document, offset, trigger, lambda: ids)
    if result is None:
        return None
    as_item = _Writer(session, document, result).item
    return types.CompletionList(
        is_incomplete=not result.is_complete,
        # Clients refuse an item without a label, which a variable with an empty name would be.
        items=[as_item(number, item) for number, item in enumerate(result.items) if item.label],
    )


def resolve(session: Session, item: types.CompletionItem) -> types.CompletionItem:
    """Add the documentation of a rule: its page."""
    data = item.data
    code = data.get("rule") if isinstance(data, dict) else None
    rule = rule_named(code) if isinstance(code, str) else None
    if rule is not None:
        item.documentation = _documentation(session, rule.markdown())
    return item


async def _answered_cases(session: Session, document: OpenDocument) -> Sequence[str]:
    context = request_context(session, document)
    if context.summary is None:
        return ()
    return await run_in_thread(partial(context.view.answered_cases, context.summary))


def _complete(
    session: Session,
    document: OpenDocument,
    offset: int,
    trigger: str,
    case_ids: Callable[[], Sequence[str]],
) -> Completion | None:
    path = document.path
    if path is not None and path.name in (OWN_FILE, PROJECT_FILE):
        # `*` starts a YAML alias; in path patterns it is a wildcard.
        return complete_in_configuration(path, document.text, offset) if trigger != "*" else None
    snapshot = session.snapshot(document)
    parsed = snapshot.parsed
    if snapshot.unknown is not None and snapshot.unknown.tool is None:
        parsed = document.parsed_alone  # what is written next may make it a suite
    if parsed is None and snapshot.dialect_file is None:
        named_by = naming(session, document) if path is not None else None
        if named_by is not None:
            features, text = features_of(named_by.suite.dialect), document.text
            return features.complete_beside(named_by, document.paths, text, offset)
        is_prompt = session.is_named_prompt(document)
        return complete_in_prompt(document.text, offset) if is_prompt else None
    completion_context = CompletionContext(
        snapshot.folder if path is not None else None,
        lambda: check(session, document).findings,
        trigger,
        case_ids,
        path,
    )
    if snapshot.dialect_file is not None:
        file = snapshot.dialect_file
        named_by = naming(session, document) if not file.is_suite else None
        return features_of(file.dialect).complete(file, offset, completion_context, named_by)
    if isinstance(parsed, ParsedTargets):
        return complete_in_targets(parsed, offset, completion_context)
    return complete_in_suite(parsed, offset, completion_context) if parsed is not None else None


class _Writer:
    """Converts completions to protocol items for a client."""

    def __init__(self, session: Session, document: OpenDocument, completion: Completion) -> None:
        self._session = session
        self._document = document
        self._complete = completion
        first_break = LINE_BREAK.search(document.text)
        self._newline = first_break.group() if first_break else "\n"
        line = document.text[line_start(document.text, completion.offset) : completion.offset]
        #: How far an editor indents the continuation lines of a snippet.
        self._indented = len(line) - len(line.lstrip(" "))

    def item(self, number: int, item: Item) -> types.CompletionItem:
        client = self._session.client
        # Neovim's built-in completion inserts plain text up to its first space only.
        needs_snippet = has_stops(item.template) or has_blanks(item.template)
        as_snippet = client.takes_snippets and needs_snippet
        mode = None
        indentation = self._indented if as_snippet else 0
        if has_breaks(item.template) and client.keeps_indentation:
            mode, indentation = types.InsertTextMode.AsIs, 0
        text = rendered(
            item.template, newline=self._newline, indented=indentation, snippet=as_snippet
        )
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
            text_edit=self._edit(item.span or self._complete.span, text),
            data={"rule": item.rule} if item.rule else None,
        )

    def _edit(self, span: Span, text: str) -> types.TextEdit | types.InsertReplaceEdit:
        positions = self._document.positions
        whole = positions.range(span)
        if not self._session.client.inserts_or_replaces or span.end == self._complete.offset:
            return types.TextEdit(whole, text)
        before = positions.range(Span(span.start, self._complete.offset))
        return types.InsertReplaceEdit(new_text=text, insert=before, replace=whole)


def _documentation(session: Session, markdown: str) -> types.MarkupContent | str | None:
    if not markdown:
        return None
    if session.client.markdown_in_completions:
        return types.MarkupContent(types.MarkupKind.Markdown, markdown)
    # Plain text without a format: a client that lists no formats may not know their names.
    return plain_text(markdown)
