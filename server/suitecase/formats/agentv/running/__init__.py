"""Prepares suites of AgentV 5 and later for runs, mostly with the code for promptfoo configurations."""
