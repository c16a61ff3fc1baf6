"""Suites of AgentV from version 5 on as runs need them; most is that of promptfoo's configurations."""
