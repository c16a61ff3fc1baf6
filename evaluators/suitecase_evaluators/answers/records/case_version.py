"""Whether a case has changed since it was graded."""

from __future__ import annotations

import hashlib
from typing import NamedTuple


class CaseVersion(NamedTuple):
    """The version of a graded case, to detect changes; None if unknown.

    Attributes:
        text: the hash of the case's text in its suite.
        effective: the hash of all that its answer and grade follow from.
    """

    text: str | None
    effective: str | None = None

    @classmethod
    def of_text(cls, text: str, effective: str | None = None) -> CaseVersion:
        """Return the version of a case by its text."""
        return cls(case_hash(text), effective)

    @property
    def text_only(self) -> CaseVersion:
        """The case by its text alone: of answers of several targets, all else differs anyway."""
        return CaseVersion(self.text)

    def changed_since(self, graded: CaseVersion) -> bool:
        """Whether the case has changed since that version of it was graded.

        All that the grade follows from decides where both know it, else the text does. Where
        nothing is known that can be compared, the case counts as changed.
        """
        if self.effective is not None and graded.effective is not None:
            return self.effective != graded.effective
        return self.text is None or self.text != graded.text


def case_hash(text: str) -> str:
    """Return the hash of a case's text, as records have it."""
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()
