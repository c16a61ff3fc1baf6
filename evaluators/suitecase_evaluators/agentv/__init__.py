"""The assertions of AgentV from version 5 on, which evaluators of ours and of promptfoo grade."""
