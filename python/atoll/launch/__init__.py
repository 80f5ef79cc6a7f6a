"""Starting programs on ranks: what `atoll run` does."""
