"""Integrals over basis functions; the only place that knows the wheel they come from."""
