"""What tests are made of, by subject; tests/README.md says where to look for what."""
