"""A local page over all runs of a workspace, for its user's browser only."""
