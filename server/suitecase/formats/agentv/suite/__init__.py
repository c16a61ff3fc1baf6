"""Suites of AgentV from version 5 on."""
