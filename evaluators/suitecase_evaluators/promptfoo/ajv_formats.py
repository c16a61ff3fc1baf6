"""The keyword `format` as the package ajv-formats checks it, which is not always as specified."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from suitecase_evaluators.promptfoo.javascript_regex import InvalidRegexError, compiled
from suitecase_evaluators.schema.formats import FORMATS

if TYPE_CHECKING:
    from jsonschema import FormatChecker

_TIME: Final = re.compile(
    r"([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?)(z|([+-])([0-9]{2})(?::?([0-9]{2}))?)?",
    re.IGNORECASE,
)
_BETWEEN_DATE_AND_TIME: Final = re.compile(r"[tT\s]")
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ATOM: Final = r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
_NUMBER: Final = "(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})"
_PRIVATE: Final = (
    r"(?:10|127)(?:\.[0-9]{1,3}){3}|(?:169\.254|192\.168)(?:\.[0-9]{1,3}){2}"
    r"|172\.(?:1[6-9]|2[0-9]|3[01])(?:\.[0-9]{1,3}){2}"
)
_WORD: Final = "a-z0-9\u00a1-\uffff"
_HOST: Final = (
    rf"(?!{_PRIVATE})(?:[1-9][0-9]?|1[0-9]{{2}}|2[01][0-9]|22[0-3])(?:\.{_NUMBER}){{2}}"
    r"\.(?:[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-4])"
    rf"|(?:[{_WORD}]+-)*[{_WORD}]+(?:\.(?:[{_WORD}]+-)*[{_WORD}]+)*\.[a-z\u00a1-\uffff]{{2,}}"
)
_PATTERNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "duration": "P(?!$)(?:(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?"
        "(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+S)?)?|(?:[0-9]+W)?)",
        "email": rf"(?i:{_ATOM}(?:\.{_ATOM})*"
        r"@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)",
        "hostname": rf"(?i:(?=.{{1,253}}\.?$){_LABEL}(?:\.{_LABEL})*\.?)",
        "json-pointer-uri-fragment": r"(?i:#(?:/(?:[a-z0-9_.!$&'()*+,;:=@-]|%[0-9a-f]{2}|~[01])*)*)",
        "url": rf"(?i:(?:https?|ftp)://(?:\S+(?::\S*)?@)?(?:{_HOST})(?::[0-9]{{2,5}})?(?:/\S*)?)",
        "uuid": r"(?i:(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})",
    }
)
_BASE64_LINE: Final = re.compile(
    r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$", re.MULTILINE
)
_END_ANCHOR: Final = re.compile(r"[^\\]\\Z")
_ONLY_SCHEME: Final = re.compile("[^:/?#]*:")
_SECONDS: Final = 60
_MOST_INT32: Final = 2**31 - 1
#: Formats that are checked as specified.
_AS_SPECIFIED: Final = (
    "date", "ipv4", "ipv6", "json-pointer", "relative-json-pointer", "uri-reference",
    "uri-template",
)  # fmt: skip


@cache
def format_checker() -> FormatChecker:
    """Return a checker of all formats that Ajv knows; values of other types than a format's meet it."""
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    of_strings: dict[str, Callable[[str], bool]] = {
        **{name: FORMATS[name].is_met for name in _AS_SPECIFIED},
        **{name: _matches(pattern) for name, pattern in _PATTERNS.items()},
        "time": lambda text: _time(text, needs_offset=True),
        "iso-time": lambda text: _time(text, needs_offset=False),
        "date-time": lambda text: _date_time(text, needs_offset=True),
        "iso-date-time": lambda text: _date_time(text, needs_offset=False),
        "byte": lambda text: _BASE64_LINE.search(text) is not None,
        "regex": _is_regex,
        "uri": _uri,
    }
    for name, is_met in of_strings.items():
        checker.checks(name)(_strings_only(is_met))
    for name, most in (("int32", _MOST_INT32), ("int64", None)):
        checker.checks(name)(_integers_only(most))
    return checker


def _strings_only(is_met: Callable[[str], bool]) -> Callable[[Any], bool]:
    return lambda value: not isinstance(value, str) or is_met(value)


def _integers_only(most: int | None) -> Callable[[Any], bool]:
    def is_met(value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return True
        return float(value).is_integer() and (most is None or -most - 1 <= value <= most)

    return is_met


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


def _time(text: str, *, needs_offset: bool) -> bool:
    found = _TIME.fullmatch(text)
    if found is None or (needs_offset and not found[4]):
        return False
    hour, minute, second = int(found[1]), int(found[2]), float(found[3])
    off_hour, off_minute = int(found[6] or 0), int(found[7] or 0)
    if off_hour > 23 or off_minute > 59:
        return False
    if hour <= 23 and minute <= 59 and second < _SECONDS:
        return True
    # A leap second is the last one of a day, in UTC.
    sign = -1 if found[5] == "-" else 1
    minute -= off_minute * sign
    hour -= off_hour * sign + (minute < 0)
    return hour in (23, -1) and minute in (59, -1) and second < _SECONDS + 1


def _date_time(text: str, *, needs_offset: bool) -> bool:
    date, *times = _BETWEEN_DATE_AND_TIME.split(text)
    is_date = FORMATS["date"].is_met
    return len(times) == 1 and is_date(date) and _time(times[0], needs_offset=needs_offset)


def _is_regex(text: str) -> bool:
    if _END_ANCHOR.search(text):
        return False
    try:
        compiled(text)
    except InvalidRegexError:
        return False
    return True


def _uri(text: str) -> bool:
    return FORMATS["uri"].is_met(text) and not _ONLY_SCHEME.fullmatch(text)
