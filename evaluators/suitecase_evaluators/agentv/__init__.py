"""AgentV's assertions from version 5 on, graded by our own evaluators and those for promptfoo."""
