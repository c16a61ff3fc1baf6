"""Other forms of a text that count as the text itself, as a suite lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Final

from pydantic import Discriminator, Tag

from suitecase_evaluators.evaluator import Reading
from suitecase_evaluators.expected_text import NonEmpty, NonEmptyTexts, listed
from suitecase_evaluators.field_role import FieldRole
from suitecase_evaluators.message import kind_of

#: The other forms of each canonical form.
SynonymMap = dict[str, NonEmptyTexts]
#: What `synonyms` may be: the map, or the path of a file that has it.
Synonyms = Annotated[
    Annotated[NonEmpty, Tag("<text>")] | Annotated[SynonymMap, Tag("<mapping>")],
    Discriminator(kind_of),
]
SynonymsKey = Annotated[Synonyms | None, FieldRole.SYNONYMS]

#: The description of the key; what of a text is replaced, each evaluator adds.
SYNONYMS_IN_WORDS: Final = (
    "Texts that count as the same: a mapping of each canonical form to its other forms, or the path "
    "of a YAML or JSON file with such a mapping. They are normalized as the answer is."
)


class SynonymTable:
    """Synonyms after normalization, ready to be looked up.

    Args:
        synonyms: the map; a path has to be read before.
        prepare: normalizes a text.
    """

    def __init__(self, synonyms: Synonyms | None, prepare: Callable[[str], str]) -> None:
        #: The canonical form of each form, both normalized. Of two, the first counts.
        self.canonical: dict[str, str] = {}
        for _, form, name in prepared_forms(_mapping(synonyms), prepare):
            self.canonical.setdefault(form, name)

    def of(self, text: str) -> str:
        """Return the canonical form of a normalized text; the text itself if it has none."""
        return self.canonical.get(text, text)

    def forms_of(self, text: str) -> list[str]:
        """Return all forms of a normalized text, itself among them."""
        name = self.of(text)
        forms = (form for form, canonical in self.canonical.items() if canonical == name)
        return list(dict.fromkeys((text, name, *forms)))


def prepared_forms(
    synonyms: Mapping[str, str | list[str]], prepare: Callable[[str], str]
) -> Iterator[tuple[tuple[str, int | None], str, str]]:
    """Yield each form of a map: its canonical form as written with its number, and both normalized.

    The number is that in the list of forms; None for the canonical form, which is a form of itself.
    """
    for name, forms in synonyms.items():
        canonical = prepare(name)
        yield (name, None), canonical, canonical
        for number, form in enumerate(listed(forms)):
            yield (name, number), prepare(form), canonical


def read_synonyms(synonyms: Synonyms | None, reading: Reading) -> Synonyms | None:
    """Return synonyms with those of a file in place of its path."""
    return reading.synonyms(synonyms) if isinstance(synonyms, str) else synonyms


def _mapping(synonyms: Synonyms | None) -> SynonymMap:
    if isinstance(synonyms, str):
        raise TypeError(f"the synonyms in {synonyms} were not read")
    return synonyms or {}
