"""Rules on what AgentV from version 5 on has beside promptfoo."""
