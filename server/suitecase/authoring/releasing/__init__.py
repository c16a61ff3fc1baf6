"""Releases of a suite: locking it, and publishing the results of a run."""
