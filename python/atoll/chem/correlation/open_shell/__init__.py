"""Coupled cluster of open shells, alpha and beta electrons apart."""
