"""Runs of programs with a simulated MPI, which a seed replays: what `atoll simulate` does."""
