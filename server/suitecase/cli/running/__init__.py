"""The implementation of `suitecase run`: the worker's events, progress, output and exit codes."""
