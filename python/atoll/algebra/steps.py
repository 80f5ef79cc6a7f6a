"""How far a vector may go along a direction before an element meets its bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from atoll import _core
from atoll._agreement import collective

if TYPE_CHECKING:
    from atoll.algebra.elementwise import Operand


@collective
def step_max(x: Operand, v: Operand) -> float:
    """Give the largest step with `x + step * v >= 0` everywhere, infinity if there is no limit.

    Raises:
        ValueError: A number in `x` is negative.

    >>> import atoll
    >>> step_max(atoll.full(3, 2.0), atoll.full(3, -4.0))
    0.5

    """
    return _core.step_max(x, v)


class StepBounds(NamedTuple):
    """Steps at which the elements of `x + step * v` meet their bounds.

    Element `i` meets `upper[i]` if `v[i] > 0`, `lower[i]` if `v[i] < 0`, and nothing otherwise.
    """

    bound_min: float
    """The least of them; infinity without any."""
    wolfe_min: float
    """The least above zero; infinity without any."""
    bound_max: float
    """The largest, at least zero: from there on no element is inside."""


@collective
def step_bound_info(x: Operand, v: Operand, lower: Operand, upper: Operand) -> StepBounds:
    """Tell how far `x` may go along `v` between its bounds; see `StepBounds`."""
    return StepBounds(*_core.step_bound_info(x, v, lower, upper))
