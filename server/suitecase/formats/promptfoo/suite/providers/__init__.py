"""The providers of a configuration, and the table of their prefixes."""
