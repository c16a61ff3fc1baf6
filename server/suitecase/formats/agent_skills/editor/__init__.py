"""Features of editors in the evals of a skill."""
