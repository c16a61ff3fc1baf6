"""The secrets of a configuration: those that stand in it, and the values of variables that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from suitecase_evaluators.targets.redactor import Redactor, digits_of
from suitecase_evaluators.targets.variable_names import filled, named_variables

#: Fields that name things: their values help in a message, and are not secrets wherever they stand.
NAMING_FIELDS = frozenset(
    {"name", "provider", "judge_target", "model", "deployment", "version", "cwd", "results"}
    | {"id", "label"}  # of promptfoo and AgentV
)
#: Fields that hold the address of a server.
ADDRESSES = ("api_base", "endpoint")
#: The same in promptfoo.
_ITS_ADDRESSES = ("apiBaseUrl", "apiHost")
_KEYS = frozenset({"api_key", "apiKey"})
#: Fields with answers, which are no settings.
_ANSWERS = frozenset({"response"})
#: Fields that name a variable without any marks around it.
_NAMES_OF_VARIABLES = frozenset({"apiKeyEnvar"})
#: What an entry of promptfoo and AgentV has its settings under.
_SETTINGS = "config"

#: Headers that authenticate, by their names, and what they have before the secret.
_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|password|credential", re.IGNORECASE)
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|ApiKey)\s+", re.IGNORECASE)
#: The mappings whose keys are the names of headers, and of settings in an address.
_HEADERS = frozenset({"headers", "extra_headers"})
_QUERIES = frozenset({"query", "queryParams"})
#: Words that make a setting secret only as its whole name.
_SECRET_WORDS = frozenset({"token", "secret", "pwd", "pass"})


class _Text(NamedTuple):
    """A text of settings: its outermost field, its own key, and the key of the mapping around it."""

    field: str
    parent: str
    key: str
    text: str


def remember_settings(
    redactor: Redactor, settings: Mapping[str, Any], environ: Mapping[str, str]
) -> None:
    """Keep out of all texts what is secret of the settings of a target, of whichever format.

    That is, but for names of things, the values of the variables that they name and that are set; and
    keys, headers that authenticate, and passwords and keys in addresses that stand in the settings.

    Args:
        settings: an entry of a targets file, or a part of a configuration of another tool.
        environ: the environment.
    """
    texts = list(_texts(settings))
    addresses = (found for found in texts if found.field in (*ADDRESSES, *_ITS_ADDRESSES))
    address = next((filled(found.text, environ) for found in addresses), None)
    for found in texts:
        if found.field in _KEYS and "{{" not in (key := filled(found.text, environ)):
            redactor.remember_key(key, address)  # whose variables are all set
        if found.field not in NAMING_FIELDS:
            names = named_variables(found.text)
            for name in (found.text, *names) if found.key in _NAMES_OF_VARIABLES else names:
                if found.field in _KEYS:
                    redactor.remember_key(environ.get(name, ""), address)
                else:
                    redactor.remember(environ.get(name, ""))
        if found.field not in _ANSWERS and found.key not in _NAMES_OF_VARIABLES:
            _remember_literals(redactor, found._replace(text=filled(found.text, environ)))


def _remember_literals(redactor: Redactor, found: _Text) -> None:
    if found.parent in _HEADERS and _SECRET_HEADER.search(found.key):
        value = _SCHEME.sub("", found.text, count=1)
        if "{{" not in value:
            redactor.remember(value)
    if found.parent in _QUERIES:
        redactor.remember_environment({"": f"?{found.key}={found.text}"})
    if "{{" not in found.text:
        redactor.remember_environment({_as_variable(found): found.text})
    else:
        # What rows fill in is no secret; what stands beside it may be.
        redactor.remember_environment({"": found.text})


def _as_variable(found: _Text) -> str:
    """Return the name of a setting as a variable is spelled, so that it tells whether it is secret."""
    key = found.key
    if key.lower() in _SECRET_WORDS or (found.parent, key) == ("auth", "value"):
        return "_SECRET"
    if key.isupper():
        return key
    return (
        "".join(f"_{letter}" if letter.isupper() else letter for letter in key)
        .replace("-", "_")
        .upper()
    )


def _texts(settings: Mapping[str, Any]) -> Iterator[_Text]:
    for name, value in settings.items():
        if "://" in name:  # of promptfoo: an id with its settings
            yield _Text("id", "", "id", name)
        if name == _SETTINGS and isinstance(value, Mapping):
            yield from _texts(value)
        else:
            yield from _texts_in(value, str(name), "", str(name))


def _texts_in(value: Any, field: str, parent: str, key: str) -> Iterator[_Text]:
    match value:
        case str():
            yield _Text(field, parent, key, value)
        case int() | float() if digits_of(value) is not None:
            yield _Text(field, parent, key, str(value))
        case Mapping():
            for name, inner in value.items():
                yield from _texts_in(inner, field, key, str(name))
        case list() | tuple():
            for inner in value:
                yield from _texts_in(inner, field, parent, key)
