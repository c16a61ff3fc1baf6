"""What `suitecase run` does with its suites: the worker's events, their order, progress, and exit codes."""
