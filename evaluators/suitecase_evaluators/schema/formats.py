"""The values of `format` in JSON Schemas, and what a text has to be to meet each.

The formats are those of draft 2020-12, section 7.3 of its validation vocabulary, with the RFCs it
names. They hold in every draft.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from typing import NamedTuple

from suitecase_evaluators.schema.patterns import pattern_problem


class Format(NamedTuple):
    """A format: what it is for people, and whether a text meets it."""

    meaning: str
    is_met: Callable[[str], bool]


# Patterns are compiled on first use: most schemas have one or two formats, or none.
_DATE = r"(?a)(\d{4})-(\d{2})-(\d{2})"
_TIME = r"(?a)(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[zZ]|([+-])(\d{2}):(\d{2}))"
_CLOCK = r"T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)"
_DURATION = rf"(?a)P(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)(?:{_CLOCK})?|{_CLOCK})"
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_QUOTED = r'"(?:[ !#-\[\]-~]|\\[ -~])*"'
_LOCAL = rf"(?:{_ATOM}(?:\.{_ATOM})*|{_QUOTED})"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_UUID = r"(?ai)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_POINTER = r"(?:/(?:[^~/]|~[01])*)*"
_RELATIVE_POINTER = r"(?a)(?:0|[1-9]\d*)(?:#|(?:/(?:[^~/]|~[01])*)*)"
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*"
_PERCENT = r"%[0-9A-Fa-f]{2}"
_SIGNS = r"A-Za-z0-9\-._~!$&'()*+,;="
_PORT = r"(?::[0-9]*)?"
_EXPRESSION = (
    r"\{[+#./;?&=,!@|]?"
    rf"(?:(?:\w|{_PERCENT})(?:\.?(?:\w|{_PERCENT}))*(?::[1-9]\d{{0,3}}|\*)?)"
    rf"(?:,(?:\w|{_PERCENT})(?:\.?(?:\w|{_PERCENT}))*(?::[1-9]\d{{0,3}}|\*)?)*\}}"
)
_TEMPLATE = rf"(?a)(?:[!#$&(-;=?-\[\]_a-z~\u00a0-\U0010ffff]|{_PERCENT}|{_EXPRESSION})*"


def _date(text: str) -> bool:
    found = re.fullmatch(_DATE, text)
    if found is None:
        return False
    year, month, day = (int(group) for group in found.groups())
    # The year 0 of RFC 3339 is a leap year, and none of Python's.
    return 1 <= month <= 12 and 1 <= day <= monthrange(year or 4, month)[1]


def _time(text: str) -> bool:
    found = re.fullmatch(_TIME, text)
    if found is None:
        return False
    hour, minute, second = (int(group) for group in found.groups()[:3])
    off_hour, off_minute = int(found[5] or 0), int(found[6] or 0)
    if hour > 23 or minute > 59 or second > 60 or off_hour > 23 or off_minute > 59:
        return False
    offset = (off_hour * 60 + off_minute) * (-1 if found[4] == "-" else 1)
    # A leap second is the last one of a day, in UTC.
    return second < 60 or (hour * 60 + minute - offset) % 1440 == 1439


def _date_time(text: str) -> bool:
    return text[10:11] in ("T", "t") and _date(text[:10]) and _time(text[11:])


def _hostname(text: str) -> bool:
    return len(text) <= 253 and all(
        re.fullmatch(_LABEL, part) and (part[2:4] != "--" or _is_punycode(part))
        for part in text.split(".")
    )


def _is_punycode(label: str) -> bool:
    if not label.lower().startswith("xn--"):
        return False
    import idna

    try:
        idna.ulabel(label)
    except (idna.IDNAError, UnicodeError):
        return False
    return True


def _idn_hostname(text: str) -> bool:
    import idna

    if not text or len(text) > 253:
        return False
    try:
        idna.encode(text)
    except (idna.IDNAError, UnicodeError):
        return False
    return True


def _mailbox(text: str, host: Callable[[str], bool]) -> bool:
    local, at, domain = text.rpartition("@")
    if not at or not local or len(local.encode(errors="replace")) > 64:
        return False
    # Beside its own signs RFC 6531 allows all characters that are not ASCII.
    spelt = local if host is _hostname else re.sub(r"[^\x00-\x7f]", "x", local)
    if not re.fullmatch(_LOCAL, spelt):
        return False
    if domain.startswith("[") and domain.endswith("]"):
        inner = domain[1:-1]
        if inner[:5].lower() == "ipv6:":
            return _ipv6(inner[5:])
        return _ipv4(inner)
    return host(domain)


def _ipv4(text: str) -> bool:
    from ipaddress import AddressValueError, IPv4Address

    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return text.isascii()


def _ipv6(text: str) -> bool:
    from ipaddress import AddressValueError, IPv6Address

    try:
        return "%" not in text and text.isascii() and bool(IPv6Address(text).packed)
    except AddressValueError:
        return False


def _reference(text: str, more: str, *, absolute: bool) -> bool:
    """Say whether a text is a URI or a reference (RFC 3986); `more` is what IRIs allow beside."""
    char = rf"(?:[{_SIGNS}:@{more}]|{_PERCENT})"
    user = rf"(?:(?:[{_SIGNS}:{more}]|{_PERCENT})*@)?"
    host = rf"(?:\[(?P<literal>[^\]]*)\]|(?:[{_SIGNS}{more}]|{_PERCENT})*)"
    tail = rf"(?:\?(?:{char}|[/?])*)?(?:#(?:{char}|[/?])*)?"
    there = rf"//{user}{host}{_PORT}(?:/{char}*)*"
    scheme = rf"{_SCHEME}:(?:{there}|/(?:{char}+(?:/{char}*)*)?|{char}+(?:/{char}*)*|){tail}"
    found = re.fullmatch(scheme, text)
    if found is None and not absolute:
        # The first part of a relative path holds no colon: it would be a scheme.
        first = rf"(?:[{_SIGNS}@{more}]|{_PERCENT})+"
        relative = rf"(?:{there}|/(?:{char}+(?:/{char}*)*)?|{first}(?:/{char}*)*|){tail}"
        found = re.fullmatch(relative, text)
    if found is None:
        return False
    literal = found["literal"]
    return literal is None or _ipv6(literal) or bool(re.fullmatch(_FUTURE_ADDRESS, literal))


_FUTURE_ADDRESS = rf"[vV][0-9A-Fa-f]+\.[{_SIGNS}:]+"
_BEYOND_ASCII = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U00010000-\U000efffd"

#: The formats that are checked, by their names.
FORMATS: Mapping[str, Format] = {
    "date-time": Format("a date and time with its offset: `2026-01-31T12:00:00Z`", _date_time),
    "date": Format("a date: `2026-01-31`", _date),
    "time": Format("a time with its offset: `12:00:00Z`", _time),
    "duration": Format("a duration: `P3DT12H`", lambda text: bool(re.fullmatch(_DURATION, text))),
    "email": Format("an email address", lambda text: _mailbox(text, _hostname)),
    "idn-email": Format(
        "an email address, in any script", lambda text: _mailbox(text, _idn_hostname)
    ),
    "hostname": Format("a host name", _hostname),
    "idn-hostname": Format("a host name, in any script", _idn_hostname),
    "ipv4": Format("an IPv4 address: `192.0.2.1`", _ipv4),
    "ipv6": Format("an IPv6 address: `2001:db8::1`", _ipv6),
    "uri": Format(
        "a URI with its scheme: `https://example.org/a`",
        lambda text: _reference(text, "", absolute=True),
    ),
    "uri-reference": Format(
        "a URI, or one relative to another: `../a`",
        lambda text: _reference(text, "", absolute=False),
    ),
    "iri": Format(
        "a URI in any script", lambda text: _reference(text, _BEYOND_ASCII, absolute=True)
    ),
    "iri-reference": Format(
        "a URI in any script, or one relative to another",
        lambda text: _reference(text, _BEYOND_ASCII, absolute=False),
    ),
    "uuid": Format(
        "a UUID: `123e4567-e89b-12d3-a456-426614174000`",
        lambda text: bool(re.fullmatch(_UUID, text)),
    ),
    "uri-template": Format(
        "a URI template: `/users/{id}`",
        lambda text: bool(re.fullmatch(_TEMPLATE, text)),
    ),
    "json-pointer": Format(
        "a JSON pointer: `/items/0`", lambda text: bool(re.fullmatch(_POINTER, text))
    ),
    "relative-json-pointer": Format(
        "a relative JSON pointer: `1/name`",
        lambda text: bool(re.fullmatch(_RELATIVE_POINTER, text)),
    ),
    "regex": Format("an ECMA-262 regular expression", lambda text: pattern_problem(text) is None),
}
