"""Tensor contractions: sums of products of arrays of any dimensions, named by index letters.

`einsum` is NumPy's, on distributed arrays. It is what the chemistry is written in: transformations
of integrals, amplitudes, densities.
"""

from atoll.tensor.contraction import einsum

__all__ = ["einsum"]
