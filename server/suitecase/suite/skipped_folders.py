"""Folders whose files nobody here wrote by hand."""

#: What package managers and Python fill.
INSTALLED = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
#: And what builds fill: suites are not looked for there, though a suite may name a file of it.
INSTALLED_OR_BUILT = INSTALLED | {"dist", "build"}
