"""Templates filled in as promptfoo does, and refused where that is not possible."""
