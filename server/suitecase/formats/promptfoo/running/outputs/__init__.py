"""What `promptfoo eval -o` has written, as records of ours."""
