"""Configurations as suites of ours, where these mean the same."""
