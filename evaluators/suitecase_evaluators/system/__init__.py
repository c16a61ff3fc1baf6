"""Files, folders and processes of the machine."""
