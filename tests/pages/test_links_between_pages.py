"""Links between pages lead somewhere, and each page of the documentation is found from its index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from suitecase.derived import ROOT

FOLDERS = ("*.md", "docs/**/*.md", "editors/*/README.md", "tests/**/README.md")
PAGES = sorted(page for pattern in FOLDERS for page in ROOT.glob(pattern))


@cache
def tokens(page: Path) -> tuple[Token, ...]:
    return tuple(MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8")))


@cache
def links(page: Path) -> tuple[str, ...]:
    """Return the relative links and pictures of a page."""
    found = (
        inline.attrGet("href") or inline.attrGet("src")
        for token in tokens(page)
        for inline in token.children or ()
    )
    return tuple(unquote(str(it)) for it in found if it and not re.match(r"[a-z]+:", str(it)))


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as the code host makes them."""
    found: set[str] = set()
    for heading in _headings(page):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = 0
        while (slug if not count else f"{slug}-{count}") in found:
            count += 1
        found.add(slug if not count else f"{slug}-{count}")
    return frozenset(found)


def _headings(page: Path) -> Iterator[str]:
    stream = tokens(page)
    for token, content in pairwise(stream):
        if token.type == "heading_open":
            yield "".join(it.content for it in content.children or ())


def test_links_lead_somewhere() -> None:
    dead = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in PAGES
        for link in links(page)
        if not _leads_somewhere(page, link)
    ]
    assert dead == []


def _leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not anchor or target.suffix != ".md":
        return target.exists()
    return target.exists() and anchor in anchors(target)


def test_each_page_of_the_documentation_is_found_from_its_index() -> None:
    found: set[Path] = set()
    waiting = [ROOT / "docs" / "index.md"]
    while waiting:
        page = waiting.pop()
        if page in found:
            continue
        found.add(page)
        targets = ((page.parent / link.partition("#")[0]).resolve() for link in links(page))
        waiting += [it for it in targets if it in PAGES]
    lost = [it for it in PAGES if it.is_relative_to(ROOT / "docs") and it not in found]
    assert [str(it.relative_to(ROOT)) for it in lost] == [], "list them in docs/index.md"
