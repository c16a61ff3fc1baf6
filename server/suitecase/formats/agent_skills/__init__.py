"""The evals of an Agent Skill."""
