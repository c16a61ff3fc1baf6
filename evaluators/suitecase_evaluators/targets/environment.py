"""Fills `${{ NAME }}` in from the environment, and keeps what was filled in out of messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from suitecase_evaluators.targets.config.placeholder import PLACEHOLDER
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.secrets import is_dummy_key, secret_patterns
from suitecase_evaluators.targets.target import TargetError
from suitecase_evaluators.validation_words import in_words

C = TypeVar("C", bound=TargetConfig)

REDACTED = "[redacted]"
#: A value shorter than this is not taken for a secret: it would black out half of every message.
SECRET_LENGTH = 6
#: Keys are taken for secrets from this length on.
KEY_LENGTH = 3
#: Characters of a program's output in a message.
TAIL = 2_000
#: Fields that name things: their values help in a message, and are not secrets wherever they stand.
NAMING_FIELDS = frozenset(
    {"name", "provider", "judge_target", "model", "deployment", "version", "cwd", "results"}
)
#: Fields that hold the address of a server.
ADDRESSES = ("api_base", "endpoint")
#: Variables with such names hold secrets, whether a targets file names them or not.
SECRET_NAMES = ("_KEY", "_TOKEN", "_SECRET", "PASSWORD", "_CREDENTIALS")


class Redactor:
    """Replaces secrets it was told of in any text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: set[str] = set()
        #: Values that only the names of their variables make secrets, unless a target says that
        #: they are none.
        self._suspected: set[str] = set()
        self._dummies: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        for secret in secrets:
            self.remember(secret)

    def remember(self, secret: str) -> None:
        """Keep a value out of all texts from now on, unless it is too short to be a secret."""
        if len(secret.strip()) >= SECRET_LENGTH and not is_dummy_key(secret):
            self._secrets.add(secret)
            self._pattern = None

    def remember_key(self, key: str, address: str | None = None) -> None:
        """Keep an API key out of all texts from now on, even a short one, unless it is a dummy.

        Args:
            address: of the server that is given the key; None for the provider's own.
        """
        if is_dummy_key(key, address):
            self._dummies.add(key)
        elif len(key.strip()) >= KEY_LENGTH:
            self._secrets.add(key)
        self._pattern = None

    def remember_environment(self, environ: Mapping[str, str]) -> None:
        """Keep the values of all variables out whose names say that they are secret."""
        self._suspected |= {
            value
            for name, value in environ.items()
            if name.upper().endswith(SECRET_NAMES)
            and len(value.strip()) >= SECRET_LENGTH
            and not is_dummy_key(value)
        }
        self._pattern = None

    def __call__(self, text: str) -> str:
        """Return the text without secrets."""
        if self._pattern is None:
            self._pattern = self._compiled()
        return self._pattern.sub(REDACTED, text)

    def _compiled(self) -> re.Pattern[str]:
        secrets = self._secrets | (self._suspected - self._dummies)
        patterns = {it for secret in secrets for it in secret_patterns(secret)}
        # The longest first: a secret that holds another one is replaced as a whole.
        ordered = [pattern for _, pattern in sorted(patterns, reverse=True)]
        return re.compile("|".join(ordered) or r"(?!)")

    def tail(self, text: str, limit: int = TAIL) -> str:
        """Return the end of a text without secrets, which is where programs say why they stopped.

        Secrets are replaced before the text is cut: half a secret would not be recognised.
        """
        clean = self(text).strip()
        return clean if len(clean) <= limit else f"... {clean[-limit:]}"


def placeholders(config: TargetConfig) -> tuple[str, ...]:
    """Return the variables a configuration names, each once, in the order of its fields."""
    values = config.model_dump(exclude_unset=True)
    found = [name for _, text in _texts(values, "") for name in PLACEHOLDER.findall(text)]
    return tuple(dict.fromkeys(found))


def resolve(config: C, environ: Mapping[str, str], redactor: Redactor | None = None) -> C:
    """Return a configuration with every placeholder filled in.

    A variable that is set but empty counts as missing: an empty key only fails later.

    Args:
        redactor: is told of everything that was filled in, but for names of things, and of keys
            that stand in the file itself.

    Raises:
        TargetError: variables are missing, or hold something that does not fit their place.
    """
    missing = [name for name in placeholders(config) if not environ.get(name)]
    if missing:
        variables = ", ".join(missing)
        raise TargetError(
            f"target `{config.name}`: the environment has no {variables}, which "
            f"{'its entry names' if len(missing) == 1 else 'are named in its entry'}; "
            f"set {'it' if len(missing) == 1 else 'them'} and run again",
            kind="configuration",
        )
    values = config.model_dump(exclude_unset=True)
    filled = _filled(values, lambda text: PLACEHOLDER.sub(lambda it: environ[it[1]], text))
    if redactor is not None:
        address = next((it for name in ADDRESSES if isinstance(it := filled.get(name), str)), None)
        for field, text in _texts(values, ""):
            if field not in NAMING_FIELDS:
                for name in PLACEHOLDER.findall(text):
                    if field == "api_key":
                        redactor.remember_key(environ[name], address)
                    else:
                        redactor.remember(environ[name])
        key = filled.get("api_key")
        if isinstance(key, str):
            redactor.remember_key(key, address)
    try:
        # Not strict: where a number is wanted, the environment has it as text.
        return type(config).model_validate(filled, strict=False)
    except ValidationError as error:
        raise TargetError(
            f"target `{config.name}`: what the environment has does not fit: "
            + "; ".join(_misfit(values, it) for it in error.errors(include_input=False)),
            kind="configuration",
        ) from None  # the cause would show the value


def _misfit(values: Mapping[str, Any], error: Any) -> str:
    """Name the field of an error and the variables it is filled from, but not their values."""
    names = [str(it) for it in error["loc"] if not str(it).startswith("<")]
    place = values.get(names[0]) if names else None
    variables = [it for _, text in _texts(place, "") for it in PLACEHOLDER.findall(text)]
    origin = f" (from {', '.join(variables)})" if variables else ""
    return f"`{'.'.join(names) or 'the entry'}`{origin} {in_words(error['type'], error['msg'], error.get('ctx', {}))}"


def _texts(value: Any, field: str) -> Iterator[tuple[str, str]]:
    """Yield every text in a value with the name of the outermost field it stands in."""
    match value:
        case str():
            yield field, value
        case dict():
            for name, it in value.items():
                yield from _texts(it, field or str(name))
        case list() | tuple():
            for it in value:
                yield from _texts(it, field)


def _filled(value: Any, fill: Callable[[str], str]) -> Any:
    match value:
        case str():
            return fill(value)
        case dict():
            return {name: _filled(it, fill) for name, it in value.items()}
        case list() | tuple():
            return [_filled(it, fill) for it in value]
        case _:
            return value
