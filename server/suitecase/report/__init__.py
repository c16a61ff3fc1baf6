"""Reports of a run and comparisons of two runs, as HTML pages without a server, text and JSON."""
