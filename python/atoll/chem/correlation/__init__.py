"""Electron correlation on distributed arrays."""
