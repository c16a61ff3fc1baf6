"""Models of what AgentV reads from version 5 on; their descriptions are what hovers and completions show."""
