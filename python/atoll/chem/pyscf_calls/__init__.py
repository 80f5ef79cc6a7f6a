"""PySCF's shapes of calls: what its users write beside `kernel`, and its modules' paths."""
