"""What holds the programs that are started: limits, and isolation where there is bubblewrap."""
