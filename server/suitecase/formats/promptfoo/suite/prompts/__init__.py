"""The prompts of a configuration, in it and in files."""
