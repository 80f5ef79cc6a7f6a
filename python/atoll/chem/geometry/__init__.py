"""What moves atoms: scanners, optimisation, and vibrations."""
