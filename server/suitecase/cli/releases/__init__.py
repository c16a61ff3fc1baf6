"""What the commands about releases do."""
