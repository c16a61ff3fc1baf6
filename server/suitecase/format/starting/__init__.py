"""What a first suite of each format starts with."""
