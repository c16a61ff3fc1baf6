"""An answer becomes a score."""
