"""Where the project is on the web.

All addresses of the project are derived from `REPOSITORY`. Files that cannot import it, such as the
manifests of packages and of editor extensions, repeat it, and a test compares them with it.
"""

from __future__ import annotations

REPOSITORY = "https://github.com/suitecase/suitecase"
#: Where issues are reported.
ISSUES = f"{REPOSITORY}/issues"
DOCUMENTATION = f"{REPOSITORY}/blob/main/docs"
#: Files as they are in the repository, without a page around them.
FILES = f"{REPOSITORY.replace('github.com', 'raw.githubusercontent.com')}/main"


def rule_page(name: str) -> str:
    """Return the address of the page of a rule, which `suitecase explain` shows offline."""
    return f"{DOCUMENTATION}/rules/{name}.md"


def json_schema(name: str) -> str:
    """Return the address of a JSON Schema, which is its `$id`."""
    return f"{FILES}/schemas/{name}.schema.json"
