"""Providers that are HTTP APIs: the request, and the path of the answer in the response."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from suitecase.formats.promptfoo.running.providers.requests import parts_filled_in
from suitecase.formats.promptfoo.running.providers.settings import (
    ProviderSettings,
    SettingError,
    strings_in,
)
from suitecase.formats.promptfoo.running.providers.validation import validated
from suitecase.formats.promptfoo.templates.template import is_template
from suitecase_evaluators.targets.config.http import Filling, HttpConfig, Step, authorized_twice
from suitecase_evaluators.targets.server_address import can_be_asked

Templates = dict[tuple[Step, ...], tuple[str, Filling]]

_REFUSED = {
    "transformRequest": "does not run code that changes a request",
    "multipart": "does not send forms with files",
    "session": "does not open sessions",
    "signatureAuth": "does not sign requests",
    "tls": "does not use certificates of a provider",
    "tools": "does not pass tools on to an HTTP API",
    "tool_choice": "does not pass tools on to an HTTP API",
}
_READ = frozenset(
    (
        *("url", "method", "headers", "body", "queryParams", "request", "useHttps", "auth"),
        *("transformResponse", "responseParser", "validateStatus", "maxRetries"),
    )
)
_BLANK_LINE = re.compile(r"\r?\n\r?\n")


def http_target(provider: ProviderSettings) -> HttpConfig:
    """Return the target of an HTTP API.

    Raises:
        RefusedError: it cannot be called as promptfoo calls it.
    """
    for name, why in _REFUSED.items():
        if provider.config.get(name):
            raise SettingError(f"`suitecase run` {why}", "config", name)
    for name in provider.config.keys() - _READ - _REFUSED.keys():
        provider.run.note(f"`{name}` in the `config` of `{provider.id}` is not used")
    templates: Templates = {}
    parts = (
        _raw(provider, templates) if provider.config.get("request") else _parts(provider, templates)
    )
    url, _ = templates.get(("url",), (parts["url"], "text"))
    basic = _authorized(provider, parts, templates)
    authorized = {**parts.get("headers", {}), **({} if basic is None else {"authorization": basic})}
    twice = authorized_twice(url, authorized)
    if twice is not None:
        raise SettingError(twice, "config", "url")
    config = validated(
        HttpConfig,
        {
            "name": provider.name,
            "provider": "http",
            **parts,
            "basic_auth": basic,
            "answer_path": _answer_path(provider),
            "statuses": _statuses(provider),
            **provider.limits(),
        },
    )
    config.templates.update(templates)
    for template, filling in templates.values():
        for text in parts_filled_in(template, filling):
            provider.note_variables(text)
    return config


def _parts(provider: ProviderSettings, templates: Templates) -> dict[str, Any]:
    """Return the parts of a request that has a key for each of them."""
    body = provider.value("body", rows=True)
    method = str(provider.value("method", rows=True) or "GET")
    if not body and method != "GET":
        raise SettingError(
            "an HTTP provider needs a `body`, a `request`, or the method GET", "config"
        )
    headers = _strings(provider, "headers")
    headers = {name.lower(): value for name, value in headers.items()}
    if method != "GET" and body is not None:
        kind = "x-www-form-urlencoded" if isinstance(body, str) else "json"
        headers = {"content-type": f"application/{kind}", **headers}
    is_json = any(
        "application/json" in it for name, it in headers.items() if name.startswith("content-type")
    )
    if is_json and isinstance(body, str):
        body = _parsed(body)
    elif not is_json and body is not None and not isinstance(body, str):
        raise SettingError(
            "a `body` that is not a string needs the header `Content-Type: application/json`",
            *("config", "body"),
        )
    parts = {
        "method": method,
        "url": str(provider.value("url", rows=True) or provider.id),
        "query": _strings(provider, "queryParams"),
        "headers": headers,
        "body": body,
    }
    for name in ("method", "url", "query", "headers"):
        parts[name] = _without_templates(parts[name], (name,), "text", templates)
    filling: Filling = "text"
    if is_json:
        filling = "json text" if isinstance(body, str) else "json value"
    parts["body"] = _without_templates(body, ("body",), filling, templates)
    if ("url",) not in templates:
        keys = ("config", "url") if provider.value("url", rows=True) else ("id",)
        _check_address(parts["url"], *keys)
    return parts


def _raw(provider: ProviderSettings, templates: Templates) -> dict[str, Any]:
    """Return the parts of a request that is written as one string."""
    written = provider.value("request", rows=True)
    if not isinstance(written, str):
        raise SettingError("`request` is not a string", "config", "request")
    head, *rest = _BLANK_LINE.split(written.strip(), maxsplit=1)
    first, *lines = head.splitlines()
    words = first.split()
    if len(words) < 3 or not words[-1].upper().startswith("HTTP/"):
        raise SettingError("`request` does not begin as `POST /path HTTP/1.1`", "config", "request")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise SettingError(
                f"`{line.strip()}` in `request` is not a header", "config", "request"
            )
        headers[name.strip().lower()] = value.strip()
    headers.pop("content-length", None)
    host = headers.get("host")
    if not host:
        raise SettingError("`request` has no header `Host`", "config", "request")
    is_safe = provider.config.get("useHttps") or str(
        provider.value("url", rows=True) or provider.id
    ).startswith("https")
    path = first.partition(" ")[2].rpartition(" ")[0].strip()
    parts: dict[str, Any] = {
        "method": words[0],
        "url": path if "://" in path else f"{'https' if is_safe else 'http'}://{host}{path}",
        "headers": headers,
        "body": rest[0].strip() if rest and rest[0].strip() else None,
    }
    return {
        name: _without_templates(it, (name,), "json escaped", templates)
        for name, it in parts.items()
    }


def _strings(provider: ProviderSettings, name: str) -> dict[str, str]:
    written = provider.value(name, rows=True)
    if written is None:
        return {}
    if not isinstance(written, Mapping):
        raise SettingError(f"`{name}` is not a mapping", "config", name)
    return strings_in(written)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _without_templates(
    value: Any, place: tuple[Step, ...], filling: Filling, templates: Templates
) -> Any:
    """Return a value without the strings that rows fill in, which are added to `templates`."""
    match value:
        case str() if is_template(value) and not _is_placeholder(value):
            templates[place] = (value, filling)
            return ""
        case dict():
            return {
                name: _without_templates(it, (*place, name), filling, templates)
                for name, it in value.items()
            }
        case list():
            return [
                _without_templates(it, (*place, at), filling, templates)
                for at, it in enumerate(value)
            ]
    return value


def _is_placeholder(text: str) -> bool:
    """Whether all templates in a string are placeholders for variables of the environment."""
    return not re.search(r"(?<!\$)\{\{|\{%|\{#", text)


def _authorized(
    provider: ProviderSettings, parts: dict[str, Any], templates: Templates
) -> tuple[str, str] | None:
    """Add the authentication of `auth`; return user and password if it is basic."""
    auth = provider.value("auth")
    if not auth:
        return None
    kind = auth.get("type") if isinstance(auth, Mapping) else None
    headers, query = dict(parts.get("headers", {})), dict(parts.get("query", {}))
    basic: tuple[str, str] | None = None
    if kind == "bearer":
        headers["authorization"] = f"Bearer {auth.get('token', '')}"
    elif kind == "basic":
        basic = (str(auth.get("username", "")), str(auth.get("password", "")))
    elif kind == "api_key":
        name = str(auth.get("keyName") or "X-API-Key")
        if auth.get("placement") == "query":
            query[name] = str(auth.get("value", ""))
        else:
            headers[name.lower()] = str(auth.get("value", ""))
    else:
        raise SettingError(
            f"`suitecase run` does not know the authentication `{kind}`", "config", "auth"
        )
    if kind != "api_key":
        templates.pop(("headers", "authorization"), None)
    parts["headers"], parts["query"] = headers, query
    return basic


def _answer_path(provider: ProviderSettings) -> tuple[Step, ...] | None:
    name = "transformResponse" if provider.config.get("transformResponse") else "responseParser"
    written = provider.config.get(name)
    if not written:
        return None
    found = answer_path(written) if isinstance(written, str) else None
    if found is None:
        raise SettingError(
            f"`suitecase run` takes only paths such as `json.choices[0].text` for `{name}`, and "
            "runs no code in it",
            *("config", name),
        )
    return found


def _statuses(provider: ProviderSettings) -> list[list[tuple[str, int]]] | None:
    written = provider.config.get("validateStatus")
    if not written:
        return None
    found = status_conditions(written) if isinstance(written, str) else None
    if found is None:
        raise SettingError(
            "`suitecase run` takes only comparisons such as `status >= 200 && status < 300` for "
            "`validateStatus`",
            *("config", "validateStatus"),
        )
    return found


def _check_address(url: str, *keys: str) -> None:
    if "${{" in url:
        return
    if not url.strip().startswith(("http://", "https://")):
        raise SettingError(
            "an HTTP provider needs an address that starts with `http://` or `https://`", *keys
        )
    if not can_be_asked(url):
        raise SettingError("no server can be read from this address", *keys)


_FUNCTION = re.compile(
    r"\(?+\s*+([\w$]++(?:\s*+,\s*+[\w$]++)*+)?\s*+(?:\)\s*+)?=>\s*+(.*)", re.DOTALL
)
_STEP = re.compile(
    r"""\s*(?:(?:\?\.|\.)\s*(?P<name>[A-Za-z_$][\w$]*)
    |(?:\?\.)?\[\s*(?:(?P<index>\d+)|(?P<quote>['"])(?P<key>[^'"\\]*)(?P=quote))\s*\])""",
    re.VERBOSE,
)
_COMPARISON = re.compile(
    r"\s*+(?:\(\s*+)?(?P<name>[\w$]++)\s*+(?P<how>===?|!==?|<=|>=|<|>)"
    r"\s*+(?P<number>\d++)\s*+(?:\)\s*+)?"
)


def answer_path(expression: str) -> tuple[str | int, ...] | None:
    """Return the path of the answer in a response: `json` or `text`, and the steps from there.

    None if the expression is not a path.
    """
    names, written = _body(expression, ("json", "text"))
    match = re.match(r"[\w$]+", written)
    if match is None or match[0] not in names[:2]:
        return None
    steps: list[str | int] = [("json", "text")[names.index(match[0])]]
    place = match.end()
    while place < len(written):
        step = _STEP.match(written, place)
        if step is None:
            return None
        index = step["index"]
        steps.append(int(index) if index is not None else step["name"] or step["key"] or "")
        place = step.end()
    return None if steps[0] == "text" and len(steps) > 1 else tuple(steps)


def status_conditions(expression: str) -> list[list[tuple[str, int]]] | None:
    """Return which statuses are valid: all comparisons of at least one of the lists have to hold.

    None for any other expression.
    """
    names, written = _body(expression, ("status",))
    if written == "true":
        return [[(">=", 0)]]
    found: list[list[tuple[str, int]]] = []
    for one in written.split("||"):
        matches = [_COMPARISON.fullmatch(condition) for condition in one.strip(" ()").split("&&")]
        comparisons = [
            (match["how"].replace("===", "==").replace("!==", "!="), int(match["number"]))
            for match in matches
            if match is not None and match["name"] == names[0]
        ]
        if len(comparisons) != len(matches):
            return None
        found.append(comparisons)
    return found


def _body(expression: str, names: tuple[str, ...]) -> tuple[list[str], str]:
    """Return the names of the arguments and the expression, which may be an arrow function."""
    written = expression.strip().rstrip(";").strip()
    arrow = _FUNCTION.fullmatch(written)
    if arrow is None:
        return list(names), written
    given = [parameter.strip() for parameter in (arrow[1] or "").split(",") if parameter.strip()]
    return given or list(names), arrow[2].strip()
