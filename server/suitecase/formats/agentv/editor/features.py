"""What the editor offers in suites of AgentV from version 5 on: the same as in promptfoo's."""

from __future__ import annotations

from suitecase.formats.promptfoo.editor.features import PromptfooFeatures

#: Suites name their providers by the labels in this file.
FEATURES = PromptfooFeatures(".agentv/providers.yaml")
