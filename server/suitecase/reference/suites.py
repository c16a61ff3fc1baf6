"""The keys of a suite and of a case."""

from __future__ import annotations

from suitecase.formats.suitecase.model import Case, Execution, SuiteExecution, SuiteFile
from suitecase.reference.models import Wording, sections_of
from suitecase.reference.older_names import IN_SUITES
from suitecase.reference.topic import Section, Topic
from suitecase_evaluators.answers.message import ContentPart, Message, ToolCall
from suitecase_evaluators.answers.rubric import Rubric, ScoreRange

#: The parts of a case, which `explain case` shows alone.
_IN_CASES = (Case, Message, ContentPart, ToolCall, Rubric, ScoreRange, Execution)

_WORDING = Wording(
    titles={
        SuiteFile: "The suite",
        SuiteExecution: "`execution` of the suite",
        Case: "Cases",
        Execution: "`execution` of a case",
        Message: "Messages",
        ContentPart: "Parts of a message",
        ToolCall: "Tool calls",
        Rubric: "Rubrics",
        ScoreRange: "Score ranges",
    },
    texts={SuiteFile: "What is at the top of the file."},
    older=IN_SUITES,
)

_TITLES_OF_CASES = {_WORDING.titles[in_case] for in_case in _IN_CASES}
_FIRST = (_WORDING.titles[SuiteFile], _WORDING.titles[SuiteExecution])

_SUITE = """\
A suite is a YAML file with a list of cases. `suitecase check` finds it by its name (`*.eval.yaml`, `*.eval.yml`) or by its
content. Keys that start with `x-` are yours; any other key that is not listed here is an error.

```yaml
description: Replies of the support desk
execution:
  target: support-bot
evalcases:
  - id: refund-late
    input: My parcel is a week late. Can I have my money back?
    expected_outcome: Apologises, and says how the refund works
    rubrics:
      - Says sorry
      - Names the time that a refund takes
```

The keys of evaluators are on a page of their own: `suitecase explain evaluators` lists them."""

_CASE = """\
A case is an input for the target, and what a good answer is. It is an entry of `evalcases` of a suite, or a line of a data
set."""


def suite_topic() -> Topic:
    """Return the page of all keys of a suite."""
    return Topic(
        name="suite",
        title="Keys of a suite",
        summary="the keys of a suite, of its cases and rubrics, and of what is under them",
        text=_SUITE,
        sections=(*_head(), *case_topic().sections, *_rest()),
    )


def case_topic() -> Topic:
    """Return the part of that page that is about cases."""
    sections = tuple(section for section in _sections() if section.title in _TITLES_OF_CASES)
    return Topic(
        name="case",
        title="Keys of a case",
        summary="the keys of a case, of its messages and rubrics",
        text=_CASE,
        sections=sections,
    )


def _head() -> tuple[Section, ...]:
    return tuple(section for section in _sections() if section.title in _FIRST)


def _rest() -> tuple[Section, ...]:
    taken = {*_FIRST, *_TITLES_OF_CASES}
    return tuple(section for section in _sections() if section.title not in taken)


def _sections() -> tuple[Section, ...]:
    return tuple(sections_of(SuiteFile, _WORDING))
