"""Releases of a suite: the digests of its cases, and the lock file that holds a version to them."""
