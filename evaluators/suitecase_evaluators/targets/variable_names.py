"""How configurations name variables of the environment, and which ones a text names."""

from __future__ import annotations

import re
from collections.abc import Mapping

#: A placeholder inside a text of a targets file; group 1 is the variable's name.
PLACEHOLDER = re.compile(r"\$\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
#: A variable in configurations of promptfoo and AgentV: `{{env.NAME}}`, `{{ env['NAME'] }}`.
TEMPLATE_OF_VARIABLE = re.compile(
    r"""(?<!\$)\{\{-?\s*env(?:\.(?P<name>[A-Za-z_]\w*)|\[\s*(?P<quote>['"])(?P<key>[A-Za-z_]\w*)(?P=quote)\s*\])\s*-?\}\}"""
)


def named_variables(text: str) -> list[str]:
    """Return the variables that a text names, in either form."""
    if "{{" not in text:
        return []
    found = [match[1] for match in PLACEHOLDER.finditer(text)]
    return found + [match["name"] or match["key"] for match in TEMPLATE_OF_VARIABLE.finditer(text)]


def filled(text: str, environ: Mapping[str, str]) -> str:
    """Return a text with the values of the variables that it names, as far as they are set."""
    if "{{" not in text:
        return text
    text = PLACEHOLDER.sub(lambda match: environ.get(match[1], match[0]), text)
    return TEMPLATE_OF_VARIABLE.sub(
        lambda match: environ.get(match["name"] or match["key"], match[0]), text
    )
