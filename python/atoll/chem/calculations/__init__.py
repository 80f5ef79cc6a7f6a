"""How each method is computed, for the command line, restarts and the report."""
