"""A suite: its models, how it is parsed and resolved, and the files around it."""
