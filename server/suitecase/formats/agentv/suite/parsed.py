"""A suite of AgentV from version 5 on, with its places: one of promptfoo with other keys."""

from __future__ import annotations

from suitecase.formats.promptfoo.suite.parsed import PromptfooFile, Reading

AGENTV = Reading(spelled=(("defaultTest", "default_test"), ("evaluateOptions", "evaluate_options")))


class AgentvFile(PromptfooFile):
    """A suite, or a list of tests that suites name."""
