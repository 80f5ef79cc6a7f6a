"""Coupled cluster on distributed arrays."""
