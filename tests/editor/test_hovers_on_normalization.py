"""Hovers on `normalize` show the expected text after each step."""

from __future__ import annotations

import pytest

from suitecase.editor.hover import hover_at
from suitecase.editor.results import DocumentResults
from suitecase.formats.suitecase.parsed import parse_suite
from support.ide.marked_suite import NOW

SUITE = """\
execution:
  evaluators:
    - {name: common, type: token_f1, normalize: [spaces, digits]}
evalcases:
  - id: one
    input: Which city?
    expected_outcome: Names the city
    expected_output: "The Ville of Paris!"
    evaluators:
      - name: exact
        type: equals
        normalize: [casefold, punctuation, articles, spaces]
      - name: own
        type: equals
        value: [Lyon, Nice]
        normalize: squad
      - {name: same, type: equals, normalize: none}
  - id: two
    input: How many?
    expected_outcome: Names the number
    expected_output: "1,000  pairs"
  - id: three
    input: Extract.
    expected_outcome: Has the fields
    expected_output: {country: {name: Côte d'Ivoire}, n: 3}
    evaluators:
      - name: fields
        type: field_accuracy
        fields:
          - path: country.name
            normalize: [accents, casefold]
          - path: n
            normalize: [casefold, spaces]
  - id: four
    input: Which city?
    expected_outcome: Names the city
    expected_output: Paris
    evaluators:
      - {name: wrong, type: equals, normalize: [casefolds]}
"""


def at(place: str) -> str:
    """Return the hover at the `|` in a part of the suite; empty if there is none."""
    offset = SUITE.index(place.replace("|", "")) + place.index("|")
    found = hover_at(parse_suite(SUITE), offset, DocumentResults(), NOW, None)
    return found.markdown if found else ""


@pytest.mark.parametrize(
    "place", ["normal|ize: [casefold, punct", "[case|fold, punct", "[casefold, punctu|ation"]
)
def test_the_expected_output_is_shown_after_each_step(place: str) -> None:
    said = at(place)
    assert "**Expected output** of `one`, step by step:" in said
    assert (
        'as it is     "The Ville of Paris!"\n'
        'casefold     "the ville of paris!"\n'
        'punctuation  "the ville of paris"\n'
        'articles     "  ville of paris"\n'
        'spaces       "ville of paris"\n'
    ) in said
    if "normal" in place:
        assert "**`normalize`**" in said  # what the key means, too


def test_the_evaluators_own_text_is_shown_instead() -> None:
    said = at("normalize: squ|ad")
    assert "**`value`**, step by step" in said
    assert 'as it is         "Lyon"\ncasefold         "lyon"' in said


def test_of_the_suites_evaluator_a_case_that_inherits_it_is_shown() -> None:
    said = at("normalize: [spa|ces, digits]")
    assert "of `two`" in said
    assert 'as it is  "1,000  pairs"\nspaces    "1,000 pairs"\ndigits    "1000 pairs"' in said


def test_of_a_field_the_expected_field_is_shown() -> None:
    assert 'as it is  "Côte d\'Ivoire"\naccents   "Cote d\'Ivoire"' in at("normalize: [acc|ents")
    assert "step by step" not in at("normalize: [casefold, spa|ces]\n")


@pytest.mark.parametrize("place", ["normalize: no|ne", "normalize: [casefo|lds]}", "type: eq|uals"])
def test_nothing_is_shown_where_there_are_no_steps(place: str) -> None:
    assert "step by step" not in at(place)
