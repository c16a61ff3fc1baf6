"""The documentation site: the Markdown pages of the repository, built by Sphinx with MyST.

The source folder is the repository itself, so that relative links between pages mean the same on the
code host and in the site, and the address of a page is its path.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # the extensions beside this file

from pygments.lexers.data import JsonLexer
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from suitecase import __version__
from suitecase.cli import COMMANDS
from suitecase.text.addresses import REPOSITORY

project = "Suitecase"
author = "The authors of Suitecase"
release = version = __version__
html_title = f"Suitecase {release}"

extensions = ["myst_parser", "contents_from_links", "links_to_the_repository"]
root_doc = "docs/index"
source_suffix = {".md": "markdown"}
include_patterns = [
    "docs/**.md",
    "editors/*/README.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
]
exclude_patterns = ["build", ".*", "**/node_modules", "benchmarks", "examples", "tests", "server"]

myst_heading_anchors = 6  # anchors as the code host makes them
myst_links_external_new_tab = False
myst_url_schemes = ("http", "https", "mailto")
# Examples of rules are wrong on purpose, so that not all can be highlighted as their language.
suppress_warnings = ["misc.highlighting_failure"]
nitpicky = True
repository = REPOSITORY

_COMMANDS = "docs/reference/commands"
man_pages = [
    (f"{_COMMANDS}/README", "suitecase", "check, run and edit LLM evaluation suites", "", 1),
    *(
        (f"{_COMMANDS}/{name}", f"suitecase-{name}", about.rstrip("."), "", 1)
        for name, about in COMMANDS.items()
    ),
]
man_show_urls = False

smartquotes = False  # which would make one dash of the two of an option

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["root"]
templates_path = ["templates"]
html_copy_source = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}


def setup(app: Sphinx) -> None:
    """Name the languages of blocks that Pygments does not know."""
    app.add_lexer("csv", TextLexer)
    app.add_lexer("jsonl", JsonLexer)
