"""Exchange and correlation of the electron density on grids."""
