"""Folders of installed or generated files."""

#: Folders of package managers and of Python.
INSTALLED = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
#: In addition, build folders: they are not searched for suites, but suites may name files there.
INSTALLED_OR_BUILT = INSTALLED | {"dist", "build"}
