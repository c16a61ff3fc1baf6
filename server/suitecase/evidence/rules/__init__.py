"""Rules on judges, labels, sources and releases, loaded for suites that have any."""
