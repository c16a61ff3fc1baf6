"""The types of assertions of promptfoo, each in one file."""
