"""Rules on the evals of a skill."""
