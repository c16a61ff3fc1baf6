"""The formats of results."""
