"""Fragments of restricted texts are found whatever was done to their white space and type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase.releasing.fragments import LENGTH, Fragments, Hit, plain_form

SECRET = "Die Größe der \u201eSchuhe\u201c - Umtausch nach 30 Tagen ist ausgeschlossen"


def found(text: str, *secrets: str) -> list[str]:
    hits = Fragments((it, "a") for it in secrets or (SECRET,)).hits(text)
    return [text[it.start : it.end] for it in hits]


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        SECRET.upper(),
        SECRET.replace(" ", "\n  "),
        SECRET.replace(" ", "\\n"),
        SECRET.replace(" ", "\u00a0"),
        SECRET.replace("\u201e", '"').replace("\u201c", '"'),
        SECRET.replace("\u201e", '\\"').replace("\u201c", '\\"'),
        SECRET.replace("\u201e", "\\u201e").replace("\u00f6", "\\u00f6"),
        SECRET.replace(" - ", " \u2013 "),
        SECRET.replace("\u00f6", "o\u0308"),
        SECRET.replace("Schuhe", "Schu\u00adhe"),
    ],
)
def test_a_text_is_found_as_it_may_be_quoted(written: str) -> None:
    assert found(f"He said: {written} <- that") == [written]


def test_a_part_is_found_from_20_characters_on() -> None:
    text = "Umtausch nach 30 Tagen"
    assert found(f"({text[:LENGTH]})") == [text[:LENGTH]]
    assert found(f"({text[: LENGTH - 1]})") == []


def test_parts_that_do_not_touch_are_two() -> None:
    text = "Umtausch nach 30 Tagen, but not: der Schuhe - Umtausch nach 30 Tagen"
    assert found(text)[0] == "Umtausch nach 30 Tagen"
    assert len(found(text)) == 2


def test_of_two_texts_the_name_of_the_first_counts() -> None:
    hits = Fragments([("a text that both sources have", "one"), ("a text that both have", "two")])
    assert hits.hits("a text that both sources have") == [Hit(0, 29, "one")]


def test_a_short_text_is_not_a_fragment() -> None:
    assert found("exchange", "exchange") == []


@given(st.text(max_size=60), st.text(max_size=60), st.text(min_size=1, max_size=120))
def test_whatever_surrounds_a_text_nothing_of_it_is_left(
    before: str, after: str, secret: str
) -> None:
    fragments = Fragments([(secret, "a")])
    text = f"{before} {secret} {after}"
    rest = text
    for hit in reversed(fragments.hits(text)):
        rest = f"{rest[: hit.start]}\x00{rest[hit.end :]}"
    plain = plain_form(secret)
    left = plain_form(rest)
    for start in range(len(plain) - LENGTH + 1):
        assert plain[start : start + LENGTH] not in left
