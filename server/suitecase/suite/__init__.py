"""A suite: its models, its older spellings, and the places everything was written at."""
