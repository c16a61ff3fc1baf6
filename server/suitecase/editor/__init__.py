"""Editor features for suites: plain data in, plain data out, as spans and text."""
