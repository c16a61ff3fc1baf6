"""Tables of contents made of the links that a page has.

`index.md` and the pages named `README` list other pages, in lists and tables, as readers of the code host
see them. Here the same links become the table of contents, so that it need not be written twice. Sphinx
warns about a page that is in none, and warnings are errors.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

#: Folders with a page for each of many things, and the title of their list. Beside every page, these
#: would be a list of hundreds; each of them links its list instead.
LISTED_APART = {
    "docs/rules": "All rules",
    "docs/decisions": "All decisions",
    "docs/reference/commands": "All commands",
}


class ContentsFromLinks(SphinxTransform):
    """Adds a table of contents, which is not shown, to a page that lists others."""

    default_priority = 300

    def apply(self, **_: Any) -> None:
        name = self.env.docname
        if posixpath.dirname(name) in LISTED_APART:
            if posixpath.basename(name) != "README":
                self.env.metadata[name]["orphan"] = True
        elif name.startswith("docs/") and posixpath.basename(name) in ("index", "README"):
            for section in list(self.document.findall(nodes.section)):
                entries = list(dict.fromkeys(_linked(section)))
                if entries:
                    section.append(_contents(name, section, entries))


def _linked(section: nodes.section) -> Iterator[str]:
    """Yield the pages that lists and tables of a section link, without those of its subsections."""
    for part in section.children:
        if isinstance(part, (nodes.bullet_list, nodes.table)):
            for link in part.findall(addnodes.pending_xref):
                if link["refdomain"] == "doc" and not link["reftargetid"]:
                    yield link["reftarget"]


def _contents(parent: str, section: nodes.section, entries: list[str]) -> nodes.Node:
    title = next(section.findall(nodes.title)).astext()
    toctree = addnodes.toctree(
        parent=parent,
        entries=[(None, it) for it in entries],
        includefiles=entries,
        rawentries=[],
        rawcaption=title,
        caption=title if parent == "docs/index" else None,
        maxdepth=-1,
        numbered=0,
        glob=False,
        hidden=True,
        includehidden=False,
        titlesonly=True,
    )
    wrapper = nodes.compound(classes=["toctree-wrapper"])
    wrapper.append(toctree)
    return wrapper


def _link_the_list(
    _app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: object
) -> None:
    folder, _, name = page.rpartition("/")
    if folder in LISTED_APART and name != "README":
        context["list_address"] = context["pathto"](f"{folder}/README")
        context["list_title"] = LISTED_APART[folder]
        whole = context["toctree"]
        context["toctree"] = lambda **options: _sidebar(folder, lambda: whole(**options))


@cache
def _sidebars() -> dict[str, str]:
    return {}


def _sidebar(folder: str, render: Callable[[], str]) -> str:
    """Return the sidebar of pages that are not in it, which is the same for all of a folder."""
    sidebars = _sidebars()
    if folder not in sidebars:
        sidebars[folder] = render()
    return sidebars[folder]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_transform(ContentsFromLinks)
    app.connect("html-page-context", _link_the_list, priority=100)  # before the theme's
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
