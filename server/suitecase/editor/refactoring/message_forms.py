"""Converting a question or an answer between a string and a list of messages."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.refactoring.part import Part, Proposal
from suitecase.format.rewriting.lines import column, line_end, line_start, newline, shifted
from suitecase.format.rule import Edit
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence, Span

#: The string form's key, the key that takes only messages, the message's role, and a description.
_FORMS = (
    ("input", "input_messages", "user", "input"),
    ("expected_output", "expected_messages", "assistant", "expected answer"),
)


def message_forms(part: Part) -> Iterator[Proposal]:
    """Propose the other form of the selected question or expected answer."""
    node = part.written.content.node
    if part.number is None or not isinstance(node, Mapping):
        return
    for short, long, role, description in _FORMS:
        if short in node and long in node:
            continue  # one of them has no effect
        entry = node.entries.get(short) or node.entries.get(long)
        if entry is None or entry.merged or not part.touches_entry(entry):
            continue
        if isinstance(entry.value, Scalar):
            edits = _to_messages(part.text, node, entry, role)
            form = "a list of messages"
        else:
            edits = _to_text(part.text, entry, short, role)
            form = "a text"
        if edits is not None:
            yield Proposal(f"Write the {description} as {form}", "refactor.rewrite", edits)


def _to_messages(text: str, node: Mapping, entry: Entry, role: str) -> tuple[Edit, ...] | None:
    value = entry.value
    if text[entry.key.end : value.start].strip() != ":":
        return None  # an anchor, a tag or a comment precedes it
    if node.flow:
        quote = '"' if entry.key.style == '"' else ""
        lead = f"[{{{quote}role{quote}: {quote}{role}{quote}, {quote}content{quote}: "
        start, end = Span(value.start, value.start), Span(value.end, value.end)
        return Edit(start, lead), Edit(end, "}]")
    br, depth = newline(text), column(text, entry.key.start) + 2
    lead = f":{br}{' ' * depth}- role: {role}{br}{' ' * (depth + 2)}content: "
    return Edit(Span(entry.key.end, value.start), lead), *shifted(text, value.span, 4)


def _to_text(text: str, entry: Entry, short: str, role: str) -> tuple[Edit, ...] | None:
    message, content = _only_text(entry.value, role)
    if message is None or content is None:
        return None
    key = entry.key
    name = f"{key.style}{short}{key.style}" if key.style in ("'", '"') else short
    last, end = message.entries["role"], content.value.end
    edits = [Edit(Span(key.start, content.value.start), f"{name}: ")]
    if message.flow:
        return *edits, Edit(Span(end, max(entry.value.end, end)), "")
    if last.key.start > content.key.start:
        # The role comes after the content.
        line = line_start(text, last.key.start)
        edits.append(Edit(Span(line, line_end(text, last.value.end)), ""))
    by = column(text, key.start) - column(text, content.key.start)
    return *edits, *shifted(text, Span(content.value.start, end), by)


def _only_text(listed: Node, role: str) -> tuple[Mapping | None, Entry | None]:
    """Return the only message of a list and its content; None if there is more."""
    message = listed.items[0] if isinstance(listed, Sequence) and len(listed.items) == 1 else None
    if not isinstance(message, Mapping) or set(message.entries) != {"role", "content"}:
        return None, None
    role_entry, content = message.entries["role"], message.entries["content"]
    is_text = isinstance(content.value, Scalar) and isinstance(content.value.value, str)
    if role_entry.merged or content.merged or not is_text:
        return None, None
    return (message, content) if getattr(role_entry.value, "text", None) == role else (None, None)
