"""Configurations as runs need them: a case for each row, a target for each provider."""
