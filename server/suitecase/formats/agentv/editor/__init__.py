"""Features of editors in suites of AgentV from version 5 on."""
