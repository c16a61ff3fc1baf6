"""A suite of AgentV from version 5 on, with its places: one of promptfoo with other keys."""

from __future__ import annotations

from suitecase.formats.promptfoo.suite.parsed import READING, PromptfooFile, Reading
from suitecase.formats.promptfoo.suite.vocabulary import Vocabulary
from suitecase.suite.workspace import Folder

_SPELLED = {"defaultTest": "default_test", "evaluateOptions": "evaluate_options"}
AGENTV = Reading(Vocabulary(_SPELLED, "AgentV"), READING.head, READING.test)


class AgentvFile(PromptfooFile):
    """A suite, or a list of tests that suites name."""

    def linked(self, folder: Folder) -> object | None:
        from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration

        return LinkedConfiguration(self, folder) if self.kind == "configuration" else None
