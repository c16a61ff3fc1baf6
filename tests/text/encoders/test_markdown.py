"""Texts of anybody in Markdown become no links, images or HTML, whatever renders it."""

from __future__ import annotations

import html
import re

import cmarkgfm  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from suitecase.editor import markdown as markdown_of_editors
from suitecase.text.encoders import markdown as markdown_of_summaries

EDITORS = MarkdownIt("gfm-like", {"linkify": True, "html": True})
assert EDITORS.linkify is not None
# As VS Code does: a name with a dot alone is not an address.
EDITORS.linkify.set({"fuzzy_link": False})
#: GitHub's, and that of editors.
RENDERERS = (cmarkgfm.github_flavored_markdown_to_html, EDITORS.render)
ENCODERS = (markdown_of_editors.escaped, markdown_of_summaries.escaped)
_TAG = re.compile(r"<(?!/?(?:p|code|br /|br|li|ul|ol)>)[^>]*>")

ADDRESSES = (
    "http://evil.example.com", "see https://evil.example.com/a?b=c&d, or", "www.evil.example.com", "(WWW.evil.example.com)",
    "pay@evil.example.com", "mailto:pay@evil.example.com", "xmpp:pay@evil.example.com/x", "//evil.example.com/x", "ftp://evil.example.com",
    "`http://evil.example.com`", "<http://evil.example.com>", "[x](http://evil.example.com)", "![x](//evil.example.com/x.png)",
    "a|http://evil.example.com|b", "\\http://evil.example.com", "http&#58;//evil.example.com", "www&#46;evil.example.com",
    "pay&#64;evil.example.com", "pay&commat;evil.example.com", "http\\://evil.example.com", "*http://evil.example.com*", "[http://evil.example.com]: x",
)  # fmt: skip


def told(source: str, render: object) -> str:
    """Render a line after some words, as it stands in logs and summaries, and return what it says."""
    assert callable(render)
    page = str(render(f"Misses: {source}\n"))
    assert not _TAG.findall(page), page
    return html.unescape(re.sub(r"<[^>]*>", "", page))


@pytest.mark.parametrize("text", ADDRESSES)
def test_an_address_is_shown_and_is_not_a_link(text: str) -> None:
    for render in RENDERERS:
        for escaped in ENCODERS:
            assert told(escaped(text), render) == f"Misses: {text}\n"


FRAGMENTS = st.sampled_from(
    ("http", "s", ":", "//", "www", ".", "evil.example.com", "@", "a", " ", "`", "<", ">", "|", "\\", "&", "#58;", "*", "_", "[", "]", "(", ")", "!")
)  # fmt: skip


@given(st.lists(FRAGMENTS, max_size=14).map("".join))
def test_no_text_is_markup(text: str) -> None:
    for render in RENDERERS:
        for escaped in ENCODERS:
            shown = " ".join(told(escaped(text), render).split())
            assert shown == " ".join(f"Misses: {text}".split())
