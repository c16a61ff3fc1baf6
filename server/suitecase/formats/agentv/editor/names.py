"""The names in suites of AgentV from version 5 on: the same kinds as in promptfoo's."""

from __future__ import annotations

from suitecase.formats.promptfoo.editor.names import PromptfooNames

NAMES = PromptfooNames()
