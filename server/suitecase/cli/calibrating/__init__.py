"""What `calibrate` does, and what it prints."""
