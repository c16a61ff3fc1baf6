"""Rules on API keys in configurations, and on variables that promptfoo does not fill."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.format.rule import Finding, Fix, Severity, replace, rule
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooHead, PromptfooTest
from suitecase.formats.promptfoo.suite.providers.prefixes import PREFIXES
from suitecase.formats.promptfoo.suite.providers.providers import id_of
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence
from suitecase_evaluators.targets.secrets import is_dummy_key

#: Keys of settings whose value is a secret.
_SECRET_SETTINGS = frozenset(
    {"apikey", "apitoken", "accesstoken", "authtoken", "bearertoken", "secretkey", "clientsecret"}
    | {"secretaccesskey", "accesskey", "sessiontoken", "password", "apisecret", "signaturesecret"}
)
_SECRET_HEADERS = frozenset(
    {"authorization", "proxyauthorization", "apikey", "xapikey", "xgoogapikey", "xauthtoken"}
)
_SECRET_VARIABLE = re.compile(r"(?:API_?KEY|TOKEN|SECRET|PASSWORD|ACCESS_?KEY)\Z", re.IGNORECASE)
#: What keys of well-known services look like, wherever they stand.
_KNOWN_KEYS = re.compile(
    r"\A(?:sk-(?:proj-|ant-|or-|svcacct-)?[\w-]{16,}|gsk_\w{20,}|xai-\w{20,}|AIza[\w-]{30,}"
    r"|gh[pousr]_\w{30,}|github_pat_\w{30,}|hf_\w{20,}|r8_\w{20,}|pplx-\w{20,}|AKIA[0-9A-Z]{16})\Z"
)
_SCHEME = re.compile(r"\A\s*(?:Bearer|Basic|Token|Key)\s+", re.IGNORECASE)
_FILLED = re.compile(r"\{\{|\{%|\$\{|\A\s*\$\w|\Afile://|\A(?:env|vault)://")
_SHELL = re.compile(
    r"\A(?P<scheme>(?:Bearer|Basic|Token|Key)\s+)?\$(?:\{(?P<a>\w+)\}|(?P<b>[A-Z_]\w*))\Z"
)
#: Parts of a configuration in which texts are not settings.
_NOT_SETTINGS = frozenset(
    {"prompts", "vars", "tests", "scenarios", "description", "metadata", "redteam"}
)


@rule("PF341", Severity.WARNING)
def api_key_in_configuration(part: PromptfooHead | PromptfooTest) -> Iterator[Finding]:
    """A configuration contains an API key.

    Everyone who can read the file has the key, and so does every copy of the repository. Set it in
    the environment, or in a `.env` file that is not committed: promptfoo finds the usual variables
    by itself, and fills `{{env.NAME}}` with any other. Revoke the key if it was committed.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers:
      - id: openai:gpt-4.1
        config:
          apiKey: sk-proj-5e1f7c0a93b2d48e6f70  # <- finding
    ```

    ```yaml fixed
    prompts: ["Translate {{text}}"]
    providers:
      - id: openai:gpt-4.1
        config:
          apiKey: "{{env.OPENAI_API_KEY}}"
    ```
    """
    if part.node is None:
        return
    for name, entry, variable in _settings(part.node):
        value = entry.value
        if not isinstance(value, Scalar) or not isinstance(value.value, str):
            continue
        text = value.text
        scheme = _SCHEME.match(text)
        key = text[scheme.end() :] if scheme is not None else text
        is_known = bool(_KNOWN_KEYS.match(key.strip()))
        if not (is_known or _is_secret(name, entry.key.text)) or _FILLED.search(text):
            continue
        if not key.strip() or is_dummy_key(key) or (not is_known and _is_ordinary(key)):
            continue
        fix = None
        if name != "env":
            filled = f"{scheme.group() if scheme is not None else ''}{{{{env.{variable}}}}}"
            fix = _fill(value, filled, variable)
        yield Finding(
            value.span,
            f"`{entry.key.text}` contains a key that anyone who can read this file can use; set it in "
            "the environment",
            fix,
        )


def _is_secret(parent: str, key: str) -> bool:
    """Whether a setting holds a secret, by its key and by the key of its mapping."""
    plain = re.sub(r"[^a-z0-9]", "", key.lower())
    if parent == "env":
        return bool(_SECRET_VARIABLE.search(key))
    return plain in _SECRET_SETTINGS or (parent == "headers" and plain in _SECRET_HEADERS)


def _is_ordinary(text: str) -> bool:
    """Whether a value is too short or too plain for a key, or is put together of words."""
    plain = text.strip()
    return len(plain) < 12 or " " in plain or not any(it.isdigit() for it in plain)


@rule("PF346", Severity.WARNING)
def unfilled_shell_variable(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A setting of a provider is a variable as shells have it.

    promptfoo fills `{{env.NAME}}`. It sends `$NAME` and `${NAME}` as they are, so that the service
    refuses the key.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers:
      - id: groq:llama-3.3-70b-versatile
        config:
          apiKey: ${GROQ_API_KEY}  # <- finding
    ```

    ```yaml fixed
    prompts: ["Translate {{text}}"]
    providers:
      - id: groq:llama-3.3-70b-versatile
        config:
          apiKey: "{{env.GROQ_API_KEY}}"
    ```
    """
    node = configuration.head.node
    for _, entry, _ in _settings(node) if node is not None else ():
        value = entry.value
        if not isinstance(value, Scalar) or not isinstance(value.value, str):
            continue
        found = _SHELL.match(value.text)
        if found is None:
            continue
        name = found["a"] or found["b"]
        filled = f"{found['scheme'] or ''}{{{{env.{name}}}}}"
        yield Finding(
            value.span,
            f"promptfoo does not fill `{value.text}`; write `{{{{env.{name}}}}}`",
            _fill(value, filled, name, safe=True),
        ).moved(configuration.head_span)


def _fill(value: Scalar, filled: str, variable: str, *, safe: bool = False) -> Fix | None:
    if value.style not in ("", "'", '"'):
        return None
    return replace(value.span, f'"{filled}"', f"Read it from `{variable}`", safe=safe)


def _settings(root: Mapping) -> Iterator[tuple[str, Entry, str]]:
    """Yield the entries of the mappings below, each with the key of its mapping and a variable."""
    pending: list[tuple[str, Node, str]] = [
        (name, entry.value, "API_KEY") for name, entry in root if name not in _NOT_SETTINGS
    ]
    while pending:
        parent, node, variable = pending.pop()
        if isinstance(node, Sequence):
            pending.extend((parent, item, variable) for item in reversed(node.items))
        elif isinstance(node, Mapping):
            variable = _variable_of(node) or variable
            for name, entry in node:
                if name in _NOT_SETTINGS:
                    continue
                yield parent, entry, variable
                pending.append((name, entry.value, variable))


def _variable_of(node: Mapping) -> str | None:
    """Return the variable with the key of a provider."""
    written = id_of(node)
    prefix = PREFIXES.get(written[0].text.partition(":")[0]) if written is not None else None
    return prefix.key if prefix is not None else None
