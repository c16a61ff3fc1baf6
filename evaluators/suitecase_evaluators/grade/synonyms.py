"""Other forms of a text that count as the text itself, as a suite lists them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Annotated, Final, Generic, TypeVar

from pydantic import Discriminator, Tag

from suitecase_evaluators.answers.message import kind_of
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Reading
from suitecase_evaluators.grade.expected_text import NonEmpty, NonEmptyTexts, listed
from suitecase_evaluators.schema.field_role import FieldRole

#: A text after normalization: a text again, or its tokens.
P = TypeVar("P", bound=Hashable)
C = TypeVar("C", bound=EvaluatorConfig)

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


class SynonymTable(Generic[P]):
    """Synonyms after normalization, ready to be looked up.

    Args:
        synonyms: the map; a path has to be read before.
        prepare: normalizes a text.
    """

    def __init__(self, synonyms: Synonyms | None, prepare: Callable[[str], P]) -> None:
        #: The canonical form of each form, both normalized. Of two, the first counts.
        self.canonical: dict[P, P] = {}
        for name, forms in _mapping(synonyms).items():
            canonical = prepare(name)
            # A canonical form is a form of itself.
            for form in (name, *listed(forms)):
                self.canonical.setdefault(prepare(form), canonical)
        self._forms: dict[P, list[P]] = {}
        for prepared, canonical in self.canonical.items():
            self._forms.setdefault(canonical, []).append(prepared)

    def of(self, text: P) -> P:
        """Return the canonical form of a normalized text; the text itself if it has none."""
        return self.canonical.get(text, text)

    def forms_of(self, text: P) -> list[P]:
        """Return all forms of a normalized text, itself among them."""
        name = self.of(text)
        return list(dict.fromkeys((text, name, *self._forms.get(name, ()))))


def with_synonyms(config: C, reading: Reading) -> C:
    """Return an entry with the synonyms of a file in place of its path."""
    if not isinstance(getattr(config, "synonyms", None), str):
        return config
    return config.model_copy(
        update={"synonyms": read_synonyms(getattr(config, "synonyms", None), reading)}
    )


def read_synonyms(synonyms: Synonyms | None, reading: Reading) -> Synonyms | None:
    """Return synonyms with those of a file in place of its path."""
    return reading.synonyms(synonyms) if isinstance(synonyms, str) else synonyms


def _mapping(synonyms: Synonyms | None) -> SynonymMap:
    if isinstance(synonyms, str):
        raise TypeError(f"the synonyms in {synonyms} were not read")
    return synonyms or {}
