"""AgentV from version 5 on, whose suites are those of promptfoo in snake case."""
