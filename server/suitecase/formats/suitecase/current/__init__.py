"""The current format, as YAML or as a data set in lines of JSON, to and from values."""
