"""Judges that say what a test tells them to, and packages that bring evaluators of their own."""
