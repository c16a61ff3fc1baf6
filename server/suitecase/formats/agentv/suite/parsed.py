"""A suite of AgentV from version 5 on, with its places: one of promptfoo with other keys."""

from __future__ import annotations

from suitecase.formats.agentv.suite.assertion_types import AGENTV_TYPES
from suitecase.formats.agentv.suite.models.suite import SuiteHead
from suitecase.formats.agentv.suite.models.test import ListedTest
from suitecase.formats.agentv.suite.spelling import SPELLINGS
from suitecase.formats.promptfoo.suite.parsed import (
    PromptfooFile,
    PromptfooHead,
    PromptfooTest,
    Reading,
)
from suitecase.formats.promptfoo.suite.vocabulary import Vocabulary
from suitecase.suite.workspace import Folder


class AgentvHead(PromptfooHead):
    """Everything of a suite but its tests."""


class AgentvTest(PromptfooTest):
    """A test."""


class AgentvFile(PromptfooFile):
    """A suite, or a list of tests that suites name."""

    def linked(self, folder: Folder) -> object | None:
        from suitecase.formats.agentv.suite.linked import LinkedSuite

        return LinkedSuite(self, folder) if self.kind == "configuration" else None


AGENTV = Reading(
    Vocabulary(SPELLINGS, "AgentV"),
    SuiteHead,
    ListedTest,
    types=AGENTV_TYPES,
    has_text_assertions=True,
    head_part=AgentvHead,
    test_part=AgentvTest,
)
