"""The evals of a skill as runs need them."""
