"""From a name to what it names, to its other uses, and to another name."""
