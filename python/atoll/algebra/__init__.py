"""Element-wise operations between patches, steps along a direction, bins.

What operators do for whole arrays, these functions do into an array given as `out`, and for
patches of arrays of any shapes: `a_patch`, `b_patch` and `patch` (of `out`) are slices with steps
above zero, all of one shape. Without one, all of the array takes part. `out` may be one of the
inputs when its patches are the same or have nothing in common. Every function is collective; arrays
have one type and any distributions.

>>> import numpy as np
>>> import atoll
>>> a = atoll.arange(6.0)
>>> atoll.algebra.multiply(a, a, a, a_patch=np.s_[:3], b_patch=np.s_[3:], patch=np.s_[:3])
>>> a[...]
array([ 0.,  4., 10.,  3.,  4.,  5.])
"""

from atoll.algebra.bins import bin_index, bin_sort
from atoll.algebra.elementwise import (
    absolute,
    divide,
    maximum,
    median,
    minimum,
    multiply,
    reciprocal,
)
from atoll.algebra.steps import StepBounds, step_bound_info, step_max

__all__ = [
    "StepBounds",
    "absolute",
    "bin_index",
    "bin_sort",
    "divide",
    "maximum",
    "median",
    "minimum",
    "multiply",
    "reciprocal",
    "step_bound_info",
    "step_max",
]
