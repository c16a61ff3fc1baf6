"""A suite in another format: YAML, a data set in lines of JSON, the export of a prompt library.

What a format has no place for is noted, each thing at the line it stands on. Where a suite would
mean something else in another format, it is not converted.
"""
