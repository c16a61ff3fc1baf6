"""Functions of scripts: one process for each script calls them as often as a run asks for it."""
