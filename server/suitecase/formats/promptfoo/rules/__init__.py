"""Rules on suites of promptfoo, and of AgentV from version 5 on."""
