"""Editor features in suites of promptfoo, and of AgentV from version 5 on."""
