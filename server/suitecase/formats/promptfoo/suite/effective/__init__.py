"""A configuration as promptfoo runs it: its tests with what they inherit, and its rows."""
