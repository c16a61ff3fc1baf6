"""The tests of a configuration, in it and in lists of any form."""
