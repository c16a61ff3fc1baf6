"""What `gate` and `metrics` share: reading a run as tables, and finding its suite."""
