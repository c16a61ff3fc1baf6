"""Suites of promptfoo, and of AgentV from version 5 on, which has the same format."""
