"""What `suitecase init` asks, writes and prints."""
