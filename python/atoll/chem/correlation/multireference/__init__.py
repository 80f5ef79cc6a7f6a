"""Configuration interaction of single and double excitations from a complete active space."""
