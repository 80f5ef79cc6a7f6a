"""The self-consistent field: one loop for Hartree-Fock and Kohn-Sham, restricted or not."""
