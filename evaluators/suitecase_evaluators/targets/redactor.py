"""Keeps secrets out of everything that is written, sent and shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from suitecase_evaluators.targets.secret_forms import forms_of, is_distinctive
from suitecase_evaluators.targets.secret_search import SecretSearch, Span
from suitecase_evaluators.targets.secret_variables import secrets_of, secrets_within
from suitecase_evaluators.targets.secrets import SECRET_LENGTH, is_dummy_key, word_forms
from suitecase_evaluators.text.escaped_text import unescaped_readings

REDACTED = "[redacted]"
#: Keys are taken for secrets from this length on.
KEY_LENGTH = 3
#: Texts whose result is kept, since many come again: a judge's prompts, a case in its record. No more
#: than so many, and none that is longer.
KNOWN_TEXTS, LONGEST_KNOWN = 512, 8_192
#: A number of so many characters may be a secret.
LONG_NUMBER = 8
#: Characters of a program's output in a message.
TAIL = 2_000

#: A form that counts where its pattern matches; anywhere without one.
_Word = tuple[str, re.Pattern[str] | None]


class Redactor:
    """Replaces registered secrets in any text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: set[str] = set()
        #: Values that only the names of their variables make secrets, unless a target says that
        #: they are none.
        self._suspected: set[str] = set()
        self._dummies: set[str] = set()
        #: Created on first use after a secret was registered.
        self._made: tuple[SecretSearch, list[_Word]] | None = None
        #: Whether numbers may be secrets.
        self._has_digits = False
        #: Texts with their results, since a secret was last registered.
        self._known: dict[str, str] = {}
        for secret in secrets:
            self.remember(secret)

    def remember(self, secret: str) -> None:
        """Keep a value out of all texts from now on, unless it is too short to be a secret."""
        for form in (secret, *secrets_within(secret)):
            if len(form.strip()) >= SECRET_LENGTH and not is_dummy_key(form):
                self._secrets.add(form)
                self._forget()

    def remember_key(self, key: str, address: str | None = None) -> None:
        """Keep an API key out of all texts from now on, even a short one, unless it is a dummy.

        Args:
            address: of the server that is given the key; None for the provider's own.
        """
        if is_dummy_key(key, address):
            self._dummies.add(key)
        elif len(key.strip()) >= KEY_LENGTH:
            self._secrets.add(key)
        self._forget()

    def remember_environment(self, environ: Mapping[str, str]) -> None:
        """Keep out what is secret of an environment, by the names of variables or their values."""
        self._suspected.update(secrets_of(environ))
        self._forget()

    def _forget(self) -> None:
        self._made = None
        # A new one: a thread that is looking for the secrets so far may still put its result.
        self._known = {}

    def __call__(self, text: str) -> str:
        """Return the text without secrets."""
        known = self._known
        result = known.get(text)
        if result is None:
            result = self._without_secrets(text)
            if len(text) <= LONGEST_KNOWN:
                if len(known) >= KNOWN_TEXTS:
                    known.clear()
                known[text] = result
        return result

    def _without_secrets(self, text: str) -> str:
        found = self.spans(text)
        return _replaced(text, found) if found else text

    def masked(self, text: str) -> str:
        """Return the text with an asterisk for each character of secrets, so that places in it hold."""
        for start, end in self.spans(text):
            text = text[:start] + re.sub(r"\S", "*", text[start:end]) + text[end:]
        return text

    def name(self, name: str) -> str:
        """Return a name without secrets, but for secrets that are short or plain words.

        A password `postgres` must not redact the name of a target `postgres`.
        """
        search, _ = self._search
        found = _spans(name, search)
        return _replaced(name, found) if found else name

    def number(self, value: float) -> float | str:
        """Return a number, or its redacted text if it has a secret in it."""
        search, _ = self._search
        digits = digits_of(value) if self._has_digits else None
        if digits is None:
            return value
        # Not by a call, since numbers would push out of what is known the texts that come again.
        found = search.spans(digits)
        return _replaced(digits, found) if found else value

    def distinctive(self) -> list[str]:
        """Return the secrets that are looked for within words, too."""
        return sorted(filter(is_distinctive, self._secrets | (self._suspected - self._dummies)))

    def spans(self, text: str) -> list[Span]:
        """Return where secrets are in a text, in no order; spans may overlap."""
        return _spans(text, *self._search)

    @property
    def _search(self) -> tuple[SecretSearch, list[_Word]]:
        """What finds distinctive secrets, and the others as words."""
        made = self._made
        if made is None:
            made = self._made = self._compiled()
        return made

    def _compiled(self) -> tuple[SecretSearch, list[_Word]]:
        secrets = self._secrets | (self._suspected - self._dummies)
        distinctive = self.distinctive()
        words = sorted(secrets.difference(distinctive))
        self._has_digits = any(secret.strip().isdecimal() for secret in distinctive)
        search = SecretSearch(form for it in distinctive for form in forms_of(it))
        return search, [form for word in words for form in word_forms(word)]

    def head(self, text: str, limit: int) -> str:
        """Return the beginning of a text without secrets, which are replaced before it is cut."""
        return self(text)[:limit]

    def tail(self, text: str, limit: int = TAIL) -> str:
        """Return the end of a text without secrets, which is where programs say why they stopped.

        Secrets are replaced before the text is cut: half a secret would not be recognised.
        """
        clean = self(text).strip()
        return clean if len(clean) <= limit else f"... {clean[-limit:]}"


def digits_of(value: float) -> str | None:
    """Return a number as JSON writes it if it is long enough to be a secret; None for others."""
    try:
        digits = str(value)
    except ValueError:  # thousands of digits, which are written as null
        return None
    return digits if len(digits) >= LONG_NUMBER else None


def without_own_secrets(text: str) -> str:
    """Return a text, such as an address, without the passwords and keys that its parts are."""
    secrets = set(secrets_within(text))
    return Redactor(secrets)(text) if secrets else text


def _spans(text: str, search: SecretSearch, words: Iterable[_Word] = ()) -> list[Span]:
    """Return where secrets are in a text, whichever of its characters are escaped."""
    places: list[Span] = []
    for read in unescaped_readings(text):
        found = search.spans(read.text)
        for form, pattern in words:
            found += _words(read.text, form, pattern)
        places += (read.stretch(*span) for span in found)
    return places


def _words(text: str, form: str, pattern: re.Pattern[str] | None) -> Iterator[Span]:
    at = text.find(form)
    while at >= 0:
        if pattern is None or pattern.match(text, at):
            yield at, at + len(form)
        at = text.find(form, at + 1)


def _replaced(text: str, spans: list[Span]) -> str:
    """Return a text with spans replaced; those that overlap count as one."""
    parts: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if start < done:
            done = max(done, end)
            continue
        parts += (text[done:start], REDACTED)
        done = end
    return "".join([*parts, text[done:]])
