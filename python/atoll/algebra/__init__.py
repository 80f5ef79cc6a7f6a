"""Element-wise operations into what is given, steps along a direction, bins.

What operators do for whole arrays, these functions do into an array given as `out`. Each operand
is an array or a view, `a.at[key]`; those of one call have one shape and type, their arrays any
shapes and distributions. `out` may be one of the inputs when it is the same part of it or apart
from it. Every function is collective.

>>> import atoll
>>> a = atoll.arange(6.0)
>>> atoll.algebra.multiply(a.at[:3], a.at[3:], a.at[:3])
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
from atoll.algebra.reductions import sum_of_products
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
    "sum_of_products",
]
