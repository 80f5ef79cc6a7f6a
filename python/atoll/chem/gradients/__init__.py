"""Forces on the nuclei."""
