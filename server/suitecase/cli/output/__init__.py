"""What `check` and `run` print: a module for each format, of findings in `check/`, of results in `run/`."""
