"""What an editor shows of a suite: plain data in, plain data out, in spans and text."""
