"""Reading files: the watched folder, the parsers, passages."""
