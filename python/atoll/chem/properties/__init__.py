"""What a density says of a molecule."""
