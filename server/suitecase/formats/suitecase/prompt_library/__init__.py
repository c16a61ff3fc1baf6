"""The export of a prompt library, to and from a suite."""
