"""Rules on the evals of a skill."""

#: What the rules are about, by the start of their codes.
FAMILIES = {"AS0": "Agent Skills"}
