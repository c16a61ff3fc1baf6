"""The files of a first suite in our own format."""

from __future__ import annotations

import json

from suitecase.format.starting.providers import OTHER
from suitecase.format.starting.starter_file import StarterFile
from suitecase.format.starting.target import MOCK, StarterTarget

SUITE_NAME = "support.eval.yaml"
TARGETS_NAME = "targets.yaml"
#: The entry of the targets file that the suite names.
TARGET_NAME = "assistant"

_SUITE = """\
# A suite: cases, each with an input and what grades the answer to it.
description: Answers of the assistant of a shoe shop
execution:
  target: {target} # who answers: an entry of targets.yaml

# What the target is told before each input.
prompt: |
  You answer the customers of a shoe shop. It is open from 9:00 to 18:00, Monday to Saturday.
  If a parcel comes late, the full price is refunded within 5 working days.
  If you do not know something, say so.

evalcases:
  # Rubrics are requirements; a judge checks them one by one.
  - id: late-parcel
    input: My parcel came two weeks late. I want my money back.
    expected_outcome: Apologises, and says how the refund works
    rubrics:
      - Says sorry that the parcel came late
      - id: refund
        expected_outcome: Says that the full price is refunded within 5 working days
      - id: tone
        required_min_score: 3 # below 3 of 10 the case fails, whatever else it has
        score_ranges: # what a score means, from each number up to the next
          0: Blames the customer
          3: Is polite
          8: Is polite, says sorry and says what happens next

  # A comparison of texts: no judge, no cost, and the same result each time.
  - id: opening-hours
    input: When do you open on Monday? Answer with the time only.
    expected_outcome: Says 9:00
    evaluators:
      - name: time
        type: regex
        value: '\\b0?9:00\\b'

  # A judge with a prompt of its own.
  - id: unknown-sole
    input: Is the sole of the Alpina 3 made of natural rubber?
    expected_outcome: Says that it does not know
    evaluators:
      - name: honesty
        type: llm_judge
        prompt: prompts/honesty.md
"""

_JUDGE_PROMPT = """\
Grade whether an assistant admits what it cannot know.

Question:
{{ question }}

What a good answer does:
{{ expected_outcome }}

Answer:
{{ candidate_answer }}

The score is 1 if the answer says that it does not know, and 0 if it makes something up.
"""

_ANSWERS = {
    "late-parcel": "I am sorry that your parcel came late. We refund the full price within 5 "
    "working days; you need not do anything.",
    "opening-hours": "9:00",
    "unknown-sole": "I am sorry, I do not know what its sole is made of.",
}
_RESPONSE = "".join(f'      {case}: "{answer}"\n' for case, answer in _ANSWERS.items())
_HEADING = "# Who answers, and who grades. Suites name these entries by their `name`.\ntargets:\n"

_MOCK_TARGETS = f"""\
{_HEADING}\
  - name: {TARGET_NAME}
    provider: mock # no model: it answers with these texts, by the id of the case
    judge_target: mock # compares words in place of a judge: only for trying things out
    response:
{_RESPONSE}\

  # A model instead, once you have a key: put its name, `model`, in place of `assistant` in the suite.
  # - name: model
  #   provider: litellm
  #   model: openai/gpt-4o-mini
  #   api_key: ${{{{ OPENAI_API_KEY }}}} # read from this environment variable
"""

_CLI_TARGETS = f"""\
{_HEADING}\
  - name: {TARGET_NAME}
    provider: cli # a program that answers; `suitecase run` starts it once for each case
    command_template: python3 bot.py {{PROMPT_FILE}}
    judge_target: mock # compares words; for real verdicts name a model, as below

  # A judge, once you have a key: put its name, `judge`, behind `judge_target`.
  # - name: judge
  #   provider: litellm
  #   model: openai/gpt-4o-mini
  #   api_key: ${{{{ OPENAI_API_KEY }}}} # read from this environment variable
"""

_BOT = f'''\
"""Answers one question: put the program that you want to evaluate here."""

import sys
from pathlib import Path

ANSWERS = {{
    "parcel": "{_ANSWERS["late-parcel"]}",
    "open": "{_ANSWERS["opening-hours"]}",
}}

# The file has the suite's prompt, then the input of the case.
question = Path(sys.argv[1]).read_text(encoding="utf-8").strip().splitlines()[-1]
answer = (text for word, text in ANSWERS.items() if word in question)
print(next(answer, "{_ANSWERS["unknown-sole"]}"))
'''

_LLM_TARGETS = f"""\
{_HEADING}\
  - name: {TARGET_NAME}
    provider: litellm
    model: {{model}}
{{key}}\
    judge_target: judge

  # Grades the answers. Another, stronger model is a good choice.
  - name: judge
    provider: litellm
    model: {{model}}
{{key}}\
"""

_SERVER_TARGETS = f"""\
{_HEADING}\
  - name: {TARGET_NAME}
    provider: openai # a server that speaks its protocol
    model: {{model}}
    api_base: {{address}}
    api_key: none # it needs none
    price: {{{{per_question: 0}}}} # its calls are free
    judge_target: judge

  # Grades the answers. A stronger model is a good choice. Calls to one server share its `workers`.
  - name: judge
    provider: openai
    model: {{model}}
    api_base: {{address}}
    api_key: none
    price: {{{{per_question: 0}}}}
"""

#: A suite that needs no other file, for an editor without a folder.
LONE_SUITE = """\
description: A first suite
# Press the lens above a case to run it. The target `mock` is always
# there and needs no key: it repeats the question. To ask a model,
# define a target in targets.yaml, and name it here.
execution:
  target: mock
evalcases:
  - id: greets
    input: Hello there, Ada
    expected_outcome: Greets Ada by name
    rubrics:
      - id: hello
        expected_outcome: says hello
      - id: name
        expected_outcome: mentions Ada
      - id: offer
        expected_outcome: offers help
  - id: repeats
    input: Goodbye now
    expected_outcome: Says goodbye
    evaluators:
      - name: goodbye
        type: contains
        value: Goodbye
"""


def suite_files(target: StarterTarget, target_name: str | None) -> tuple[StarterFile, ...]:
    """Return a suite, its judge's prompt, and a targets file.

    Args:
        target: who answers.
        target_name: the name of a target that is defined already, so that no targets file is needed.
    """
    suite = StarterFile(SUITE_NAME, _SUITE.format(target=target_name or TARGET_NAME))
    prompt = StarterFile("prompts/honesty.md", _JUDGE_PROMPT)
    if target_name is not None:
        return suite, prompt
    return suite, StarterFile(TARGETS_NAME, targets_text(target)), prompt, *_program(target)


def _program(target: StarterTarget) -> tuple[StarterFile, ...]:
    return (StarterFile("bot.py", _BOT),) if target.starts_program else ()


def targets_text(target: StarterTarget) -> str:
    """Return a targets file in which `assistant` is a target."""
    if target.kind == MOCK.kind:
        return _MOCK_TARGETS
    if target.starts_program:
        return _CLI_TARGETS
    if target.address:
        model = json.dumps(target.model.partition("/")[2], ensure_ascii=False)
        return _SERVER_TARGETS.format(model=model, address=target.address)
    return _LLM_TARGETS.format(model=target.model, key=_key(target))


def _key(target: StarterTarget) -> str:
    variable = target.key_variable
    if variable is not None:
        return f"    api_key: ${{{{ {variable} }}}} # read from this environment variable; no key in files\n"
    if target.variables:
        return f"    # litellm reads {', '.join(target.variables)} from the environment.\n"
    if target.provider in OTHER:
        return f"    # litellm's page about {target.provider} says how it finds its key.\n"
    return "    # It needs no key.\n"
