"""Rules on gates, slices and metrics, which are loaded for suites that have any."""
