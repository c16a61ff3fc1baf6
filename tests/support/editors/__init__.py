"""Real editors, and stories that are played in them."""
