"""A suite with the files that it names: what rules on the whole of a suite of AgentV look at."""

from __future__ import annotations

from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration


class LinkedSuite(LinkedConfiguration):
    """A suite in its folder."""
