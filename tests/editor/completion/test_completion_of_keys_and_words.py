"""Completion of keys, words, whole items, score ranges, variables and comments."""

from __future__ import annotations

from textwrap import dedent

import pytest

from suitecase.editor.completion import CompletionContext
from support.ide.completions import Offer

CASE = "evalcases:\n  - id: a\n"


@pytest.mark.parametrize(
    ("text", "first", "never"),
    [
        ("▮", ["evalcases", "description"], ["id"]),
        ("desc▮\nevalcases: []\n", ["description"], ["evalcases"]),
        (f"{CASE}    ▮\n", ["expected_outcome", "input"], ["id", "role"]),
        (f"{CASE}    in▮\n    tags: []\n", ["expected_outcome", "input"], ["id", "tags"]),
        (f"{CASE}    input: Hi\n    ▮\n", ["expected_outcome"], ["input", "input_messages"]),
        (f"{CASE}    outcome: x\n    ▮\n", ["input"], ["expected_outcome"]),
        (f"{CASE}    input_messages:\n      - role: user\n        ▮\n", ["content"], ["role"]),
        (f"{CASE}    rubrics:\n      - id: x\n        ▮\n", ["expected_outcome"], ["id"]),
        ("execution:\n  ▮\nevalcases: []\n", ["target", "evaluators"], ["description"]),
        ("execution:\n  tar▮\n  evaluators: []\n", ["target"], ["evaluators"]),
        ("{evalcases: [{id: a, ▮}]}", ["expected_outcome", "input"], ["id"]),
        (
            "tests:\n  - id: a\n    assert:\n      - type: contains\n        ▮\n",
            ["value"],
            ["type"],
        ),
        (f"{CASE}    evaluators:\n      - type: regex\n        ▮\n", ["name", "value"], ["type"]),
        # Broken above, below, and on the line itself.
        (
            f"{CASE}    note: [x\n    rubrics:\n      - id: x\n        ▮\n",
            ["expected_outcome"],
            ["id"],
        ),
        (f"{CASE}    ▮\n    input: Hi\n    note: [x\n", ["expected_outcome"], ["id", "input"]),
        (f"{CASE}    metadata: 'x\n    ▮\n    input: Hi\n", ["expected_outcome"], ["id", "input"]),
        (
            f"{CASE}    evaluators:\n      - {{type: regex, ▮\n    input: Hi\n",
            ["name", "value"],
            ["type"],
        ),
        # Not deeper than the text above goes on, and never in a text or a comment.
        (f"{CASE}    input: |\n      Hi\n      ▮\n", [], ["tags"]),
        (f"{CASE}    input: Hi\n      ▮\n", [], ["tags"]),
        (f"{CASE}    note: Well, ▮\n", [], ["tags"]),
        (f"{CASE}    metadata:\n      ▮\n", [], ["tags"]),
        (f"{CASE}  ▮  input: Hi\n", [], ["input"]),
    ],
)
def test_keys_that_are_missing_come_first(text: str, first: list[str], never: list[str]) -> None:
    labels = Offer(text).labels

    assert labels[: len(first)] == first
    assert not set(never) & set(labels)
    if not first:
        assert labels == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("evaluation_mode: ▮\n", ["llm", "schema"]),
        ("evaluation_mode:▮\n", ["llm", "schema"]),
        ("evaluation_mode: 's▮\nevalcases: []\n", ["llm", "schema"]),
        (f"{CASE}    input:\n      - {{role: ▮}}\n", ["system", "user", "assistant", "tool"]),
        (f"{CASE}    evaluators:\n      - type: contains\n        negate: ▮\n", ["true", "false"]),
        (f"{CASE}    rubrics:\n      - id: x\n        required: ▮\n", ["true", "false"]),
        (
            f"{CASE}    evaluators:\n      - type: composite\n        aggregator: {{type: ▮}}\n",
            ["weighted_average", "code_judge", "llm_judge"],
        ),
        (f"{CASE}    tags: [x, ▮]\n  - id: b\n    tags: [x, y, z]\n  - tags: [z]\n", ["z", "y"]),
        (f"{CASE}    conversation_id: ▮\n  - id: b\n    conversation_id: talk\n", ["talk"]),
    ],
)
def test_values_are_chosen_from_what_there_is(text: str, words: list[str]) -> None:
    assert Offer(text).labels == words


@pytest.mark.parametrize(
    ("text", "label", "after"),
    [
        (
            f"{CASE}    exp▮\n    tags: []\n",
            "expected_outcome",
            f"{CASE}    expected_outcome: \n    tags: []\n",
        ),
        (f"{CASE}    exp▮ected: Hi\n", "expected_outcome", f"{CASE}    expected_outcome: Hi\n"),
        (f'{CASE}    "exp▮ec": Hi\n', "expected_outcome", f'{CASE}    "expected_outcome": Hi\n'),
        (
            f"{CASE}    rub▮\n      - Is short\n",
            "rubrics",
            f"{CASE}    rubrics:\n      - Is short\n",
        ),
        ("evaluation_mode:▮\n", "llm", "evaluation_mode: llm\n"),
        ('evaluation_mode: "▮"\n', "llm", 'evaluation_mode: "llm"\n'),
        ("evaluation_mode: sch▮ma # mode\n", "schema", "evaluation_mode: schema # mode\n"),
        ("execution: ▮\n", "target", "execution:\n  target: \n"),
        (
            "execution:\n    evaluators: []\n    ▮\n",
            "target",
            "execution:\n    evaluators: []\n    target: \n",
        ),
        # A list as the file writes lists, in its own line ends.
        ("evalcases:\n- id: a\n  rub▮\n", "rubrics", "evalcases:\n- id: a\n  rubrics:\n  - \n"),
        (
            "evalcases:\r\n  - id: a\r\n    input_m▮\r\n",
            "input_messages",
            "evalcases:\r\n  - id: a\r\n    input_messages:\r\n      - role: system\r\n        content: \r\n",
        ),
        # The keys of what a word selects come along, those alone that are not there.
        (
            f"{CASE}    evaluators:\n      - name: x\n        type: co▮\n        weight: 2\n",
            "contains",
            f"{CASE}    evaluators:\n      - name: x\n        type: contains\n        value: \n        weight: 2\n",
        ),
        (
            f"{CASE}    evaluators: [{{name: x, type: ▮}}]\n",
            "latency",
            f"{CASE}    evaluators: [{{name: x, type: latency, threshold: }}]\n",
        ),
        (
            f"{CASE}    evaluators:\n      - name: contains\n      -▮\n",
            "contains",
            f"{CASE}    evaluators:\n      - name: contains\n"
            + "      - name: contains-2\n        type: contains\n        value: \n",
        ),
        # Emoji and a byte order mark before it.
        ("\ufeffdescription: 😀\n▮\n", "dataset", "\ufeffdescription: 😀\ndataset: \n"),
    ],
)
def test_accepting_an_item_writes_it_as_the_file_does(text: str, label: str, after: str) -> None:
    assert Offer(text).accepted(label) == dedent(after)


@pytest.mark.parametrize("cursor", ["  - ▮", "  -▮", "  ▮", "▮"])
def test_a_new_case_begins_wherever_the_list_goes_on(cursor: str) -> None:
    for behind in ("", "\n  - id: greet-09\n    input: Hi\n", "\ndescription: Greetings\n"):
        offer = Offer(f"evalcases:\n  - id: greet-08\n    input: Hi\n{cursor}{behind}")

        written = "greet-10" if "09" in behind else "greet-09"
        assert offer.accepted("case") == (
            "evalcases:\n  - id: greet-08\n    input: Hi\n"
            f"  - id: {written}\n    input: \n    expected_outcome: {behind}"
        )
        assert offer.snippet("case").endswith("input: $2\n    expected_outcome: $3")


def test_a_value_that_ends_a_line_is_no_stop_of_a_snippet() -> None:
    """An editor would stay in it, and TAB would not indent."""
    offer = Offer("evalcases:\n  - id: a\n    ▮\n")
    assert offer.snippet("input") == "input: "
    assert offer.snippet("input_messages").count("$") > 1


def test_a_case_begins_in_an_empty_list_and_in_brackets() -> None:
    assert Offer("evalcases:\n  ▮\n").accepted("case").startswith("evalcases:\n  - id: case-1\n")
    assert Offer("evalcases: [▮]\n").accepted("case") == (
        "evalcases: [{id: case-1, input: , expected_outcome: }]\n"
    )


def test_a_new_cases_id_is_free() -> None:
    ids = "evalcases:\n  - id: ask-2\n  - id: ask-1\n  - ▮\n"

    assert "- id: ask-3\n" in Offer(ids).accepted("case")
    assert "- id: case-3\n" in Offer(ids.replace("ask-1", "bye")).accepted("case")


RANGES = """\
evalcases:
  - rubrics:
      - id: x
        score_ranges:
"""


@pytest.mark.parametrize(
    ("ranges", "label", "after"),
    [
        ("          0: Bad\n          3: Fair\n          ▮\n", "6", "          6: \n"),
        (
            "          ▮\n",
            "ranges by their lowest score",
            "          0: \n          4: \n          7: \n",
        ),
        ("          5: Fair\n          ▮\n", "0", "          0: \n"),
        (
            "          - score_range: [0, 3]\n            expected_outcome: Bad\n          - ▮\n",
            "range 4 to 10",
            "          - score_range: [4, 10]\n            expected_outcome: \n",
        ),
        (
            "          - score_range: [0, 3]\n          - score_range: [7, 10]\n          - sc▮\n",
            "score_range",
            "          - score_range: [4, 6]\n",
        ),
        (
            "          - score_range: [0, 3]\n          - score_range: ▮\n",
            "[4, 10]",
            "          - score_range: [4, 10]\n",
        ),
        (
            "          - score_range: [0, 3]\n          - score_range: [▮]\n",
            "4",
            "          - score_range: [4]\n",
        ),
    ],
)
def test_score_ranges_go_on_behind_the_last_one(ranges: str, label: str, after: str) -> None:
    assert Offer(RANGES + ranges).accepted(label).endswith(after)


def test_the_likeliest_score_range_comes_first() -> None:
    by_low = Offer(RANGES + "          0: Bad\n          3: Fair\n          ▮\n")
    listed = Offer(RANGES + "          - {score_range: [0, 3]}\n          - ▮\n")

    assert by_low.labels == ["6", "4", "5", "7", "8", "9", "10", "1", "2"]
    assert by_low.item("6").detail == "what 6 to 10 means"
    assert listed.labels[0] == "range 4 to 10"


@pytest.mark.parametrize(
    "ranges",
    [
        "          0: Bad\n          3: Fair\n          8: Good\n",
        (
            "          - {score_range: [8, 10], expected_outcome: Good}\n"
            "          - {score_range: [0, 2], expected_outcome: Bad}\n"
            "          - {score_range: [3, 7], expected_outcome: Fair}\n"
        ),
    ],
)
def test_a_gate_is_most_likely_the_start_of_a_range(ranges: str) -> None:
    offer = Offer(f"{RANGES}{ranges}        required_min_score: ▮\n")

    assert offer.labels == ["3", "8"]
    assert offer.item("8").detail == "Good"
    assert offer.accepted("8").endswith("        required_min_score: 8\n")


def test_nothing_is_left_to_offer_where_ranges_cover_all_scores() -> None:
    covered = "          - {score_range: [0, 10], expected_outcome: All}\n          - ▮\n"
    labels = Offer(RANGES + covered).labels

    assert labels == ["score_range", "expected_outcome"]


@pytest.mark.parametrize(
    ("prompt", "after"),
    [
        ('prompt: "Judge {{▮"', 'prompt: "Judge {{ candidate_answer }}"'),
        ('prompt: "Judge {{ can▮ }}"', 'prompt: "Judge {{ candidate_answer }}"'),
        ('prompt: "Judge {{▮}}"', 'prompt: "Judge {{ candidate_answer }}"'),
        ('prompt: "Judge {{ ▮', 'prompt: "Judge {{ candidate_answer }}'),
        (
            "prompt: |\n          Judge\n          {{ ▮",
            "prompt: |\n          Judge\n          {{ candidate_answer }}",
        ),
    ],
)
def test_prompts_name_their_variables(prompt: str, after: str) -> None:
    head = "evalcases:\n  - evaluators:\n      - name: x\n        type: llm_judge\n"
    rubrics = "        rubrics: [Is short]\n"
    offer = Offer(f"{head}{rubrics}        {prompt}\n")

    assert offer.labels[:2] == ["rubrics", "question"]
    assert offer.accepted("candidate_answer") == f"{head}{rubrics}        {after}\n"
    assert "rubrics" not in Offer(f"{head}        {prompt}\n").labels


def test_an_aggregators_prompt_names_the_results() -> None:
    offer = Offer(
        "execution:\n  evaluators:\n    - type: composite\n      aggregator:\n"
        "        type: llm_judge\n        prompt: '{{ ▮'\n"
    )

    assert offer.labels[0] == "EVALUATOR_RESULTS_JSON"


def test_a_composite_names_its_members() -> None:
    for weights in (
        "weights:\n            ▮\n",
        "weights: {b: 2, ▮}\n",
        "weights:\n            b: 2\n            ▮\n",
    ):
        offer = Offer(
            "execution:\n  evaluators:\n    - type: composite\n"
            "      evaluators:\n        - name: a\n        - name: 'b: c'\n        - name: b\n"
            f"      aggregator:\n          type: weighted_average\n          {weights}"
        )

        assert offer.labels == ["a", "b: c", *([] if "2" in weights else ["b"])]
        assert "'b: c': " in offer.accepted("b: c")


def test_comments_silence_what_is_found_on_their_line() -> None:
    offer = Offer(f"{CASE}    outcome: x  # suitecase: ignore[SC602, SC2▮]\n")
    begun = Offer(f"{CASE}    input: x  # sui▮\n")

    assert {"SC214", "SC602"} <= set(offer.labels)
    assert "SC101" not in offer.labels, "what cannot be graded cannot be silenced"
    assert offer.accepted("SC214").endswith("# suitecase: ignore[SC602, SC214]\n")
    assert begun.accepted("suitecase: ignore[…]").endswith("x  # suitecase: ignore[]\n")
    assert Offer(f"{CASE}    input: x  # a remark ▮\n").labels == []
    assert Offer(f"{CASE}    input: |\n      # sui▮\n").labels == []


@pytest.mark.parametrize(
    ("line", "label", "after"),
    [
        ('{"id": "a", ▮}', "input", '{"id": "a", "input": ""}'),
        ('{"id": "a", "in▮"}', "input", '{"id": "a", "input": ""}'),
        ('{"id": "a", "in▮": "Hi"}', "input", '{"id": "a", "input": "Hi"}'),
        ('{"rubrics": [▮]}', "rubric", '{"rubrics": [{"id": "rubric-1", "expected_outcome": ""}]}'),
        (
            '{"evaluators": [{"type": ▮}]}',
            "cost",
            '{"evaluators": [{"type": "cost", "name": "", "budget": }]}',
        ),
        ('{"evaluators": [{"type": "▮"}]}', "cost", '{"evaluators": [{"type": "cost"}]}'),
        ('{"x-suitecase": "ignore[▮]"}', "SC214", '{"x-suitecase": "ignore[SC214]"}'),
    ],
)
def test_lines_of_a_data_set_are_json(line: str, label: str, after: str) -> None:
    before = '{"id": "one"}\n'

    assert Offer(before + line, name="cases.jsonl").accepted(label) == before + after


@pytest.mark.parametrize(
    ("text", "trigger", "offers"),
    [
        ("evaluation_mode: ▮\n", " ", True),
        (f"{CASE}    rubrics:\n      - ▮\n", " ", True),
        (f"{CASE}    ▮\n", " ", False),
        (f"{CASE}    expected_outcome: Says ▮\n", " ", False),
        ('evaluation_mode: "▮\n', '"', True),
        ('evaluation_mode: "llm"▮\n', '"', False),
    ],
)
def test_a_typed_character_asks_only_where_something_begins(
    text: str, trigger: str, offers: bool
) -> None:
    assert bool(Offer(text, CompletionContext(trigger=trigger)).labels) is offers


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("slices:\n  critical:\n    ▮\n", "tags"),
        ("slices: {critical: {▮}}\n", "safety"),
        ("slices:\n  critical:\n    safety: ▮\n", "true"),
        ("slices:\n  critical:\n    mitigations:\n      - ▮\n", "evidence"),
    ],
)
def test_keys_below_a_name_that_is_free(text: str, offered: str) -> None:
    cases = "evalcases:\n  - id: a\n    input: x\n    expected_outcome: y\n"

    assert offered in Offer(text + cases).labels
