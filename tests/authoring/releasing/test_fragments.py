"""Fragments of restricted texts are found whatever was done to their white space and type."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase.authoring.releasing.fragments import LENGTH, Fragments, Hit, plain_form

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


@pytest.mark.parametrize(
    "written",
    [
        "ward_7_bed_3_pat_042",
        "| 4 | 7 | 9 | 1 | 3 | 5 | 8 |",
        "a * b * c * d * e * f",
        "नमस्ते दुनिया कैसे हो",
        "قُلْ هُوَ اللَّهُ أَحَدٌ",
    ],
)
def test_a_text_of_20_characters_is_found_whatever_folding_leaves(written: str) -> None:
    longer = f"At first there is a text that says nothing. {written}"
    for known in (written, longer):
        (stretch,) = found(f"He said: {written}; that", known)
        assert stretch.strip() == written
        assert found(f"He said: {written.replace(' ', '  ')}; that", known)
        encoded = base64.b64encode(written.encode()).decode()
        assert found(f"He said: {encoded}; that", known) == [encoded]


def test_a_line_of_marks_is_no_fragment() -> None:
    line = "*" * 30 + " | " + "_" * 30
    assert found(f"a\n{line}\nb", line) == []


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


PLAIN = "You can swap them for a larger size, if the label is kept."
BASE64 = base64.b64encode(PLAIN.encode()).decode()


@pytest.mark.parametrize(
    "written",
    [
        " ".join(f"`{word}`" for word in PLAIN.split()),
        PLAIN.replace(" ", "\\ "),
        PLAIN.replace(" ", "_"),
        PLAIN.replace(" ", "~"),
        PLAIN.replace("larger", "lar-\nger"),
        f"=?utf-8?Q?{PLAIN.replace(' ', '_').replace(',', '=2C')}?=",
        "".join(f"\x1b[1m{word}\x1b[0m " for word in PLAIN.split()),
        "".join(f"\\u001b[1m{word}\\u001b[0m " for word in PLAIN.split()),
        "\n".join(BASE64[at : at + 24] for at in range(0, len(BASE64), 24)),
        "".join(f"\n> {BASE64[at : at + 12]}" for at in range(0, len(BASE64), 12)),
        base64.b64encode(PLAIN.encode("utf-16-le")).decode(),
        PLAIN.encode().hex(" "),
        PLAIN.encode().hex(":"),
        "\n".join(f"{byte:02x}" for byte in PLAIN.encode()),
        PLAIN.encode("utf-16-le").decode("latin-1").replace("\0", "\\x00"),
    ],
)
def test_a_text_is_found_in_other_notations(written: str) -> None:
    text = f"She said: {written}"
    (stretch,) = found(text, PLAIN)
    rest = text.replace(stretch, "")
    assert len(rest) < 30
    assert found(rest, PLAIN) == []
