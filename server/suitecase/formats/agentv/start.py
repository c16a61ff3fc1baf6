"""The files of a first suite of AgentV, from version 5 on."""

from __future__ import annotations

from suitecase.format.starting.starter_file import StarterFile
from suitecase.format.starting.target import StarterTarget, UnknownTargetError

_SUITE = """\
description: Answers of the assistant of a shoe shop
prompts:
  - file://prompts/answer.txt
providers:
  - assistant # an entry of .agentv/targets.yaml
tests:
  - id: opening-hours
    vars:
      question: When do you open on Monday?
    assert:
      # A comparison of texts: no model grades it.
      - type: contains
        value: "9:00"

  - id: late-parcel
    vars:
      question: My parcel came two weeks late. I want my money back.
    assert:
      # A text is a rubric: a model grades the answer by it.
      - Says sorry that the parcel came late
      - Says that the full price is refunded within 5 working days
"""
#: The providers that AgentV has, too.
_PROVIDERS = ("openai", "anthropic", "gemini", "azure")
_TARGETS = """\
# Who answers, and who grades. Suites name these entries by their `name`.
targets:
  - name: assistant
"""
_MOCK = """\
    provider: mock # no model: it answers with this text
    response: We open at 9:00.
"""
_CLI = """\
    provider: cli # a program that answers
    command_template: echo "We open at 9:00."
"""
_MODEL = """\
    provider: {provider}
    model: {model}
    api_key: ${{{{ {variable} }}}} # read from this environment variable; no key in files
"""
_AZURE = """\
    endpoint: ${{ AZURE_API_BASE }}
"""
_PROMPT = """\
You answer the customers of a shoe shop. It is open from 9:00 to 18:00, Monday to Saturday.
If a parcel comes late, the full price is refunded within 5 working days.

Question: {{ question }}
"""


def start_files(target: StarterTarget, folder_name: str) -> tuple[StarterFile, ...]:
    """Return a suite, its prompt and its targets file."""
    return (
        StarterFile("support.eval.yaml", _SUITE),
        StarterFile("prompts/answer.txt", _PROMPT),
        StarterFile(".agentv/targets.yaml", _targets(target)),
    )


def _targets(target: StarterTarget) -> str:
    if target.kind != "model":
        return _TARGETS + (_MOCK if target.kind == "mock" else _CLI)
    if target.provider not in _PROVIDERS:
        raise UnknownTargetError(
            f"AgentV has no provider {target.provider}; choose one of {', '.join(_PROVIDERS)}"
        )
    model = target.model.partition("/")[2]
    entry = _MODEL.format(provider=target.provider, model=model, variable=target.key_variable)
    return _TARGETS + entry + (_AZURE if target.provider == "azure" else "")
