"""`textDocument/hover`."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from lsprotocol import types

from suitecase.ide.hover import hover_at
from suitecase.lsp.session import Session

#: What the Markdown of a hover uses, with what it had to escape.
_MARKUP = re.compile(r"\\([\\`*_\[\]<>!|#~$])|\*\*|`")


def hover(session: Session, params: types.HoverParams) -> types.Hover | None:
    """Say what the key under the cursor means, and how the case did last."""
    document = session.documents.get(params.text_document.uri)
    if document is None or not document.is_suite:
        return None
    found = hover_at(
        document.suite,
        document.positions.offset(params.position),
        session.results(document).last,
        datetime.now(UTC),
    )
    if found is None:
        return None
    kind, text = types.MarkupKind.Markdown, found.markdown
    if not session.client.markdown:
        kind, text = types.MarkupKind.PlainText, _MARKUP.sub(r"\1", text)
    return types.Hover(types.MarkupContent(kind, text), document.positions.range(found.span))
