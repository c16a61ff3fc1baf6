"""What a run came to, and what changed between two: pages that need no server, and plain numbers."""
