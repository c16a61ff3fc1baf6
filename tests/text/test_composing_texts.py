"""Any text gives a tree and problems, with places in the text, and never an exception."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.text.compose import MAX_ALIASED_NODES, compose
from suitecase.text.composed import Composed
from suitecase.text.lines import Lines
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span, plain
from suitecase.text.parsing import parse

YAMLISH = st.lists(
    st.one_of(
        st.sampled_from(
            (*"-:#&*!|>'\"%@`{}[],? \n\t~=\\ab0", "- ", ": ", "\n  ", "\n- ", "<<: ", "*a", "&a ")
        )
        | st.sampled_from(
            ("\r\n", "\r", "\ufeff", "\x85", "\u2028", "---\n", "...\n", "evalcases:\n", "|\n")
        ),
        st.characters(),
        st.text(max_size=3),
    ),
    max_size=40,
).map("".join)


@settings(max_examples=250, deadline=None)
@given(YAMLISH)
@example("")
@example("\ufeff")
@example("\r")
@example("\ud800")
@example("a: \udfff")
@example("\x00\x01\x02\xff")
@example("? ? ? a")
@example("- &a [*a]")
@example("&a *a")
@example('"\\')
@example("%YAML 1.2\n---\na")
@example("%TAG ! tag:x,2000:\n---\n!a b")
@example("<<: [<<: [<<]]")
@example("evalcases:\n-\n")
def test_any_text_is_read(text: str) -> None:
    composed = compose(text)
    assert all(_lies_in(it.span, text) for it in composed.problems)
    assert all(_lies_in(it.other, text) for it in composed.problems if it.other)
    assert all(_lies_in(it.span, text) for it in _nodes(composed.root))
    assert composed.problems or not composed.broken
    for segmented in (True, False):
        document = parse(text, CASE_LIST_KEYS, segmented=segmented)
        for piece in document.pieces:
            for node in _nodes(piece.node):
                assert _lies_in(piece.absolute(node.span), text)


def _lies_in(span: Span, text: str) -> bool:
    return 0 <= span.start <= span.end <= len(text)


def _nodes(node: Node | None) -> Iterator[Node]:
    stack = [node] if node is not None else []
    while stack:
        it = stack.pop()
        yield it
        if isinstance(it, Mapping):
            for _, entry in it:
                stack += [entry.key, entry.value]
        elif isinstance(it, Sequence):
            stack += it.items


def _kinds(composed: Composed) -> list[str]:
    return [it.kind for it in composed.problems]


def _value(text: str) -> object:
    composed = compose(text)
    assert composed.problems == []
    assert composed.root is not None
    return plain(composed.root)


@pytest.mark.parametrize("text", ["", "\n", "  \n", "# a comment\n", "\ufeff", "---\n...\n"])
def test_a_text_that_says_nothing_is_empty(text: str) -> None:
    composed = compose(text)
    assert composed.problems == []
    assert composed.root is None or plain(composed.root) is None


@pytest.mark.parametrize(
    "piece", ["[", "- ", '{"a":', "{a: [", "? ", "- - [", "[\n", "&a [", "!!map {a: "]
)
def test_deep_nesting_ends_quickly_and_is_reported(piece: str) -> None:
    started = time.process_time()
    composed = compose(piece * 100_000)
    assert time.process_time() - started < 5
    assert composed.broken
    assert _kinds(composed)[-1] in ("limit", "syntax")
    assert len(composed.problems) < 5


def test_deep_indentation_is_reported() -> None:
    text = "".join(f"{' ' * depth}a:\n" for depth in range(300))
    assert _kinds(compose(text)) == ["limit"]


def test_a_hundred_levels_are_fine() -> None:
    assert compose("[" * 100 + "]" * 100).problems == []
    assert _kinds(compose("[" * 101 + "]" * 101)) == ["limit"]


def test_aliases_that_stand_for_billions_end_quickly() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    started = time.process_time()
    composed = compose("\n".join(lines))
    assert time.process_time() - started < 5
    assert _kinds(composed) == ["limit"]
    assert sum(1 for _ in _nodes(composed.root)) < 4 * MAX_ALIASED_NODES


def test_merge_keys_that_stand_for_billions_end_quickly() -> None:
    lines = ["a0: &a0 {" + ", ".join(f"k{n}: [1, 2, 3, 4]" for n in range(20)) + "}"]
    lines += [f"a{n}: &a{n} {{x: *a{n - 1}, y: *a{n - 1}, <<: *a{n - 1}}}" for n in range(1, 30)]
    assert _kinds(compose("\n".join(lines))) == ["limit"]


def test_an_alias_inside_what_it_stands_for_is_reported() -> None:
    composed = compose("a: &a [1, *a]")
    assert _kinds(composed) == ["alias"]
    assert composed.problems[0].span == Span(10, 12)


def test_keys_given_twice_are_reported_and_the_last_counts() -> None:
    composed = compose("a: 1\nb: {c: 1, c: 2}\n'a': 2\n0: x\n'0': y\n")
    assert [(it.kind, it.span.start, it.other and it.other.start) for it in composed.problems] == [
        ("duplicate_key", 15, 9),
        ("duplicate_key", 21, 0),
        ("duplicate_key", 33, 28),
    ]
    assert composed.root is not None
    assert plain(composed.root) == {"b": {"c": 2}, "a": 2, "0": "y"}


def test_what_an_alias_stands_for_is_at_the_alias() -> None:
    text = "a: &a {b: [1, two]}\nc: *a\n"
    root = compose(text).root
    assert isinstance(root, Mapping)
    copied = root.get("c")
    assert copied is not None
    assert plain(copied) == {"b": [1, "two"]}
    assert {text[it.start : it.end] for it in _nodes(copied)} == {"*a"}


def test_the_last_anchor_of_a_name_counts() -> None:
    assert _value("[&a 1, *a, &a 2, *a]") == [1, 1, 2, 2]


def test_merge_keys_fill_in_what_is_not_there() -> None:
    assert _value("a: &a {x: 1, y: 2}\nb: {<<: *a, x: 3}\n") == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 3, "y": 2},
    }
    # The first of several sources wins, and what is merged in may itself be merged.
    text = "a: &a {x: 1}\nb: &b {x: 2, y: 2, <<: *a}\nc: {<<: [*a, *b]}\nd: {<<: *b}\n"
    value = _value(text)
    assert isinstance(value, dict)
    assert value["c"] == {"x": 1, "y": 2}
    assert value["d"] == {"x": 2, "y": 2}


def test_a_quoted_merge_key_is_a_key() -> None:
    assert _value("'<<': {a: 1}") == {"<<": {"a": 1}}


@pytest.mark.parametrize("wrong", ["<<: text", "<<: [a]", "<<: ~", "<<: [[{a: 1}]]"])
def test_what_cannot_be_merged_is_reported(wrong: str) -> None:
    assert _kinds(compose(wrong)) == ["merge"]


@pytest.mark.parametrize("text", ["? [a]\n: 1", "{[a]: 1}", "? {a: 1}\n: 2", "{{a: 1}: 2}"])
def test_a_key_that_is_no_name_is_reported(text: str) -> None:
    assert _kinds(compose(text)) == ["key"]


@pytest.mark.parametrize("second", ["a: 1\n---\nb: 2\n", "--- a\n--- b\n", "a\n...\n---\nb"])
def test_a_second_document_is_reported(second: str) -> None:
    assert _kinds(compose(second)) == ["document"]


def test_an_unknown_tag_is_reported_and_ignored() -> None:
    composed = compose("a: !mine 1\nb: !!set {x}\nc: !!python/object:os.system []\n")
    assert _kinds(composed) == ["tag", "tag", "tag"]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_line_breaks_and_byte_order_marks_do_not_change_the_value(
    mark: str, line_break: str
) -> None:
    text = "a: one\n  two\nb: |\n  x\n  y\nc:\n- d\n- 'e\n  f'\n"
    written = mark + text.replace("\n", line_break)
    composed = compose(written)
    assert composed.problems == []
    assert composed.root is not None
    assert plain(composed.root) == _value(text)
    places = [written[it.start : it.end] for it in _nodes(composed.root) if isinstance(it, Scalar)]
    assert "d" in places
    assert "a" in places
    lines = Lines(written)
    assert len(lines) == 10
    assert [lines.text(n) for n in range(1, 10)] == text.split("\n")[1:]


@pytest.mark.parametrize("odd", ["\x85", "\u2028", "\u2029"])
def test_odd_line_breaks_are_characters_like_any_other(odd: str) -> None:
    text = f"a: x{odd}y\nb: 'x{odd}y'\nc: \"x{odd}y\"\nd: |\n  x{odd}y\n  z\ne{odd}f: g\n# {odd} -\nh: 1"
    composed = compose(text)
    assert composed.problems == []
    assert composed.root is not None
    joined = f"x{odd}y"
    assert plain(composed.root) == {
        "a": joined,
        "b": joined,
        "c": joined,
        "d": f"{joined}\nz\n",
        f"e{odd}f": "g",
        "h": 1,
    }
    assert isinstance(composed.root, Mapping)
    node = composed.root.get("h")
    assert node is not None
    assert Lines(text).position(node.start) == (8, 3)


def test_a_private_character_stays_itself_beside_an_odd_line_break() -> None:
    assert _value("a: \ue000\u2028\ue001\U0010fffd") == {"a": "\ue000\u2028\ue001\U0010fffd"}


@pytest.mark.parametrize("bad", ["\x00", "\x07", "\x1b", "\x7f", "\ud800", "\ufffe"])
def test_a_character_that_may_not_stand_in_yaml_is_named(bad: str) -> None:
    composed = compose(f"a: 1\nb: x{bad}y\nc: 2\n")
    assert composed.broken
    assert composed.problems[0].span == Span(9, 10)
    assert f"U+{ord(bad):04X}" in composed.problems[0].message
    assert isinstance(composed.root, Mapping)
    assert list(composed.root.entries) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("a: b: c", 4, "quote the text"),
        ("a:\n\tb: 1", 3, "tab"),
        ("a: @b", 3, "`@`"),
        ("a: [1, 2\nb: 1", 3, "`[`"),
        ("a: {b: 1\nc: 1", 3, "`{`"),
        ('a: "b\nc: 1', 3, "quote"),
        ('a: "\\q"', 4, "escape"),
        ("a: 1\n b: 2", 7, "`:`"),
        ("- a\nb: 1", 4, "`- `"),
        ("a: 1\n- b", 5, "key"),
        ("a: *", 3, "`*`"),
    ],
)
def test_an_error_is_said_in_words_at_its_place(text: str, place: int, said: str) -> None:
    composed = compose(text)
    assert composed.broken
    (problem,) = composed.problems
    assert said in problem.message
    assert problem.span.start == place, (problem, text[problem.span.start :])


def test_what_stood_before_an_error_is_kept() -> None:
    root = compose("a: 1\nb:\n  c: [1, {d: 2}, @").root
    assert root is not None
    assert plain(root) == {"a": 1, "b": {"c": [1, {"d": 2}]}}


def test_a_key_without_a_value_is_kept() -> None:
    text = "a:\n  ? b\n  # behind\nc: 1\n"
    root = compose(text).root
    assert isinstance(root, Mapping)
    inner = root.get("a")
    assert isinstance(inner, Mapping)
    value = inner.get("b")
    assert value is not None
    assert value.span == Span(text.index("b") + 1, text.index("b") + 1)


@pytest.mark.parametrize(
    ("text", "says"),
    [("a: {{ name }}\n", "quote a text"), ("a: { {b: c}: d }\n", "plain name")],
)
def test_a_template_without_quotes_is_called_a_text_to_quote(text: str, says: str) -> None:
    (problem,) = compose(text).problems
    assert problem.kind == ("key" if says == "plain name" else "template")
    assert says in problem.message
