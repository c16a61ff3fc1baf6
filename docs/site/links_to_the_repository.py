"""Links to files that are no pages of the site lead to the repository.

A link to a file that does not exist stays as it is, and Sphinx warns about it.
"""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class LinksToTheRepository(SphinxTransform):
    """Replaces links to files and folders that are not in the site."""

    default_priority = 310

    def apply(self, **_: Any) -> None:
        for link in list(self.document.findall(_is_link)):
            if link.get("reftype") != "myst" or self._is_page(link):
                continue
            address = self._address(_path(link, self.env.docname))
            if address is not None:
                link.replace_self(nodes.reference("", "", *link.children, refuri=address))

    def _is_page(self, link: nodes.Element) -> bool:
        return link.get("refdomain") == "doc" and link["reftarget"] in self.env.found_docs

    def _address(self, target: str) -> str | None:
        inside, _, anchor = target.partition("#")
        file = Path(self.env.srcdir, inside)
        if inside.startswith("..") or not file.exists():
            return None
        kind = "tree" if file.is_dir() else "blob"
        return f"{self.config.repository}/{kind}/main/{inside}" + (anchor and f"#{anchor}")


def _path(link: nodes.Element, page: str) -> str:
    """Return the path in the repository of what a page links, with its anchor."""
    target: str = link["reftarget"]
    if link["refdomain"] == "doc":  # MyST gives it as a page, since it ends in .md
        anchor = link["reftargetid"]
        return f"{target}.md" + (f"#{anchor}" if anchor else "")
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), target))


def _is_link(node: nodes.Node) -> bool:
    return isinstance(node, (addnodes.pending_xref, addnodes.download_reference))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("repository", "", "env")
    app.add_transform(LinksToTheRepository)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
