"""The rule on API keys in targets files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.format.rule import Finding, Severity, replace, rule
from suitecase.format.target_files import ParsedTarget, ParsedTargets
from suitecase.text.node import Mapping, Scalar
from suitecase_evaluators.targets.configured_secrets import ADDRESSES
from suitecase_evaluators.targets.secrets import is_dummy_key

#: Headers that hold keys, among the `params` of a target.
_KEY_HEADERS = frozenset({"authorization", "api-key", "x-api-key", "x-goog-api-key"})
#: A variable in any notation: another rule reports malformed ones.
_VARIABLE = re.compile(r"\$\{|\{\{|\A\s*\$\w")
_SCHEME = re.compile(r"\A\s*(?:Bearer|Basic|Token|Key)\s+", re.IGNORECASE)


@rule("SC509", Severity.WARNING)
def hardcoded_api_key(targets: ParsedTargets) -> Iterator[Finding]:
    """A targets file contains an API key.

    Everyone who can read the file has the key, and so does every copy of the repository. Use a
    variable, set it in the environment, and revoke the key if it was committed. Dummy keys for
    servers that need none, such as `none` or `EMPTY`, are not reported.

    ```yaml bad
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        api_key: sk-proj-5e1f7c0a93  # <- finding
    ```

    ```yaml fixed
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        api_key: ${{ SMALL_API_KEY }}
    ```
    """
    for target in targets.items:
        address = _address(target)
        for field, node in _keys(target):
            if not isinstance(node.value, str) or _VARIABLE.search(node.text):
                continue
            scheme = _SCHEME.match(node.text)
            key = node.text[scheme.end() :] if scheme else node.text
            if not key.strip() or is_dummy_key(key, address):
                continue
            variable = _variable(target, field)
            value = f"{node.text[: scheme.end()] if scheme else ''}${{{{ {variable} }}}}"
            if (
                node.style
                or target.node.flow
                or targets.text[node.end : node.end + 1] in (",", "}")
            ):
                value = f'"{value}"'
            fix = replace(node.span, value, f"Read it from `{variable}`", safe=False)
            one_line = "\n" not in targets.text[node.start : node.end]
            yield Finding(
                node.span,
                f"`{field}` contains a key that anyone who can read this file can use; write "
                f"`${{{{ {variable} }}}}` and set the variable",
                fix if one_line and node.style in ("", "'", '"') else None,
            )


def _keys(target: ParsedTarget) -> Iterator[tuple[str, Scalar]]:
    """Yield the fields of a target that contain a key."""
    key = target.node.get("api_key")
    if isinstance(key, Scalar):
        yield "api_key", key
    params = target.node.get("params")
    for name in ("extra_headers", "headers", "default_headers"):
        headers = params.get(name) if isinstance(params, Mapping) else None
        if isinstance(headers, Mapping):
            for header, entry in headers:
                if header.casefold() in _KEY_HEADERS and isinstance(entry.value, Scalar):
                    yield header, entry.value


def _address(target: ParsedTarget) -> str | None:
    nodes = (target.node.get(address) for address in ADDRESSES)
    return next((node.text for node in nodes if isinstance(node, Scalar)), None)


def _variable(target: ParsedTarget, field: str) -> str:
    """Return a name for the variable that contains the target's name, so that it is unique."""
    words = f"{target.name.text if target.name else ''} {field}"
    name = re.sub(r"[^A-Z0-9]+", "_", words.upper()).strip("_")
    return f"_{name}" if name[:1].isdigit() else name
