"""What `suitecase check` does: the files it checks, how each is checked, and fixed."""
