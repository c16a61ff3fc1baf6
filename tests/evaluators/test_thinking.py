"""What of a text is thinking, by the marks of all vendors, and what only talks about such marks."""

from __future__ import annotations

import time

import pytest

from suitecase_evaluators.answers.thinking import Thought, without_thinking

THOUGHT, ANSWER = "Lyon? No.", "Paris"
FINAL = "<|start|>assistant<|channel|>final<|message|>"


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{THOUGHT}</think>{ANSWER}",
        f"\n <THINK>\n{THOUGHT}\n</THINK>\n\n{ANSWER}",
        f"<thinking>{THOUGHT}</thinking>\n{ANSWER}",
        f"<thought>{THOUGHT}</thought>{ANSWER}",
        f"<reasoning>{THOUGHT}</reasoning>{ANSWER}",
        f"<seed:think>{THOUGHT}</seed:think>{ANSWER}",
        f"<longcat_think>{THOUGHT}</longcat_think>{ANSWER}",
        f'<think time="2 s">{THOUGHT}</think>{ANSWER}',
        f"[THINK]{THOUGHT}[/THINK]{ANSWER}",
        f"\u25c1think\u25b7{THOUGHT}\u25c1/think\u25b7{ANSWER}",
        f"<|channel>thought\n{THOUGHT}<channel|>{ANSWER}",
        f"<unused94>thought\n{THOUGHT}<unused95>{ANSWER}",
        f"<|START_THINKING|>{THOUGHT}<|END_THINKING|><|START_RESPONSE|>{ANSWER}<|END_RESPONSE|>",
        f"<|begin_of_thought|>{THOUGHT}<|end_of_thought|><|begin_of_solution|>{ANSWER}<|end_of_solution|>",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|>{FINAL}{ANSWER}",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|>{FINAL}{ANSWER}<|return|>",
        # The prompt, or the server, left out the first mark.
        f"{THOUGHT}<|end|>{FINAL}{ANSWER}",
        f"{THOUGHT}\n</think>\n\n{ANSWER}",
        f"{THOUGHT}</think>{ANSWER}",
        f"{THOUGHT}\u25c1/think\u25b7{ANSWER}",
        f"{THOUGHT}<channel|>{ANSWER}",
        # The marks themselves are left out.
        f"analysis{THOUGHT}assistantfinal{ANSWER}",
    ],
)
@pytest.mark.parametrize("of_judge", [False, True])
def test_thinking_is_taken_out(text: str, of_judge: bool) -> None:
    assert without_thinking(text, of_judge=of_judge) == (THOUGHT, ANSWER)


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{THOUGHT}",
        f"<think>{THOUGHT}</think>",
        f"{THOUGHT}</think>",
        f"<|channel|>analysis<|message|>{THOUGHT}",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|>",
        f"[THINK]{THOUGHT}",
        f"\u25c1think\u25b7{THOUGHT}",
    ],
)
def test_what_only_thinks_has_no_answer(text: str) -> None:
    assert without_thinking(text) == (THOUGHT, "")


def test_several_thoughts_before_an_answer() -> None:
    assert without_thinking("<think>a</think>\n<think>b</think>Paris") == ("a\n\nb", "Paris")


def test_a_mark_that_thinking_quotes_does_not_end_it() -> None:
    assert without_thinking("<think>the tag `</think>` is</think>Paris").answer == "Paris"


@pytest.mark.parametrize(
    "text",
    [
        "Paris",
        "Use `<think>` and `</think>` for that.",
        "The tag </think> ends it.",
        'The tag "</think>" ends it.',
        "It ends with </think>.",
        "Here:\n```\n<think>\nLyon\n</think>\nParis\n```\nThat is all.",
        "Here:\n```\nLyon\n</think>\nParis\n```\nThat is all.",
        "DeepSeek writes\n<think>\nLyon\n</think>\nand then its answer.",
        '{"example": "<think>Lyon</think>Paris"}',
        '{"example": "Lyon.</think>Paris"}',
        "gpt-oss writes `<|channel|>analysis<|message|>Lyon<|end|>` first.",
        "Its answer follows <|channel|>final<|message|> in the text.",
        "analysis of the question: Paris",
        "<thinker>Rodin</thinker>",
        "<scratchpad>Lyon</scratchpad>Paris",
        "a < b, and [THE] end",
    ],
)
def test_an_answer_about_thinking_stays(text: str) -> None:
    assert without_thinking(text) == ("", text)


@pytest.mark.parametrize("name", ["scratchpad", "reflection", "analysis"])
def test_drafts_that_prompts_of_judges_ask_for(name: str) -> None:
    assert without_thinking(f"<{name}>0.1?</{name}>0.9", of_judge=True) == Thought("0.1?", "0.9")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "<think></think>" * 30_000,
            "</think>" * 30_000,
            "`</think>`" * 30_000,
            "<think " * 30_000,
            "<" * 100_000,
        ),
        *(
            '{"a":' * 20_000 + "</think>",
            "<|channel|>final<|message|>" * 20_000,
            "analysis " + "assistantfina" * 30_000,
        ),
    ],
)
def test_no_text_takes_long(text: str) -> None:
    started = time.process_time()
    without_thinking(text, of_judge=True)
    assert time.process_time() - started < 2
