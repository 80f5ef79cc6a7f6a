"""The functions of `atoll.fft` that take arrays; collective.

The result of a transform of several axes, or of one, is cut where the last ones that were
transformed are whole on every rank; that of a long vector is blocked. Elements of single precision
give results of single precision. Mirrored arrays are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atoll._agreement import collective_over_copies
from atoll._core import ArrayBase
from atoll._signatures import shortly
from atoll.api.arguments import agree, integer, one_axis, some_axes, whole_array
from atoll.api.permuting import roll
from atoll.api.transforms import KINDS, transform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atoll.algebra.elementwise import Operand

_NORMS = ("backward", "ortho", "forward")


def _checked(x: Any, name: str, norm: Any) -> tuple[Any, str]:
    a = whole_array(x, "x")
    if a.mirrored:
        raise ValueError(f"{name}: x is mirrored; copy it to an array that is not (copy_from)")
    norm = "backward" if norm is None else norm
    if norm not in _NORMS:
        raise ValueError(f"norm is {shortly(norm)}, expected one of {', '.join(_NORMS)}")
    if KINDS[name.rstrip("n")].halves and a.dtype.kind == "c":
        raise TypeError(f"{name} is of real numbers; x is of {a.dtype}")
    return a, norm


def _length(n: Any, extent: int, name: str, what: str = "n") -> int:
    """Give how long the lines of a transform are, of which a half may be there."""
    usual = 2 * (extent - 1) if KINDS[name].real else extent
    length = usual if n is None else integer(n, what)
    if length < 1:
        given = f"an axis of {extent}" if n is None else f"{what}={shortly(n)}"
        raise ValueError(f"{name}: {given} gives lines of {length} elements, expected 1 or more")
    return length


def _of_one_axis(x: Operand, name: str, n: Any, axis: Any, norm: Any) -> Any:
    a, norm = _checked(x, name, norm)
    along = one_axis(axis, a.ndim)
    length = _length(n, a.shape[along], name)
    agree(a, name, along, length, norm)
    return transform(a, KINDS[name], [along], [length], norm)


def _of_axes(x: Operand, name: str, s: Any, axes: Any, norm: Any) -> Any:
    a, norm = _checked(x, name, norm)
    if s is not None and not isinstance(s, (tuple, list)):
        raise TypeError(f"s is {shortly(s)}, expected a length for each axis")
    if axes is None:
        along = list(range(0 if s is None else max(0, a.ndim - len(s)), a.ndim))
    elif isinstance(axes, (tuple, list)):
        some_axes(axes, a.ndim, "axes")
        along = [one_axis(axis, a.ndim, "axes") for axis in axes]
    else:
        raise TypeError(f"axes is {shortly(axes)}, expected several integers")
    if s is not None and len(s) != len(along):
        raise ValueError(f"s is {shortly(s)}, expected {len(along)} lengths, one for each axis")
    if not along:
        raise ValueError(f"{name}: no axis is given")
    last = name.rstrip("n")
    kinds = ["fft"] * (len(along) - 1) + [last]
    given = [None] * len(along) if s is None else s
    lengths = [
        _length(n, a.shape[d], kind, "s") for n, d, kind in zip(given, along, kinds, strict=True)
    ]
    agree(a, name, along, lengths, norm)
    return transform(a, KINDS[last], along, lengths, norm)


@collective_over_copies
def fft(x: Operand, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Any:
    """Transform along an axis, as `numpy.fft.fft`. Collective.

    Args:
        x: Array or view.
        n: How long the lines are that are transformed: cut off, or zeros behind.
        axis: The axis.
        norm: "backward" (the inverse is divided by n), "ortho" (both by its root) or "forward".

    >>> import atoll
    >>> atoll.fft.fft(atoll.ones(4))[...].real
    array([4., 0., 0., 0.])

    """
    return _of_one_axis(x, "fft", n, axis, norm)


@collective_over_copies
def ifft(x: Operand, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Any:
    """Transform back along an axis; arguments are those of `fft`. Collective.

    >>> import atoll
    >>> atoll.fft.ifft(atoll.fft.fft(atoll.arange(3.0)))[...].real
    array([0., 1., 2.])
    """
    return _of_one_axis(x, "ifft", n, axis, norm)


@collective_over_copies
def rfft(x: Operand, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Any:
    """Transform real numbers along an axis, to the n // 2 + 1 elements that count. Collective.

    >>> import atoll
    >>> atoll.fft.rfft(atoll.ones(4))[...].real
    array([4., 0., 0.])
    """
    return _of_one_axis(x, "rfft", n, axis, norm)


@collective_over_copies
def irfft(
    x: Operand, /, n: int | None = None, axis: int = -1, norm: str | None = "backward"
) -> Any:
    """Transform back to real numbers, `n` of them: 2 (m - 1) where `x` has m. Collective.

    >>> import atoll
    >>> atoll.fft.irfft(atoll.fft.rfft(atoll.ones(4)))[...]
    array([1., 1., 1., 1.])
    """
    return _of_one_axis(x, "irfft", n, axis, norm)


@collective_over_copies
def hfft(x: Operand, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Any:
    """Transform half of a symmetric signal to a real spectrum of `n` numbers. Collective.

    >>> import atoll
    >>> atoll.fft.hfft(atoll.ones(3))[...]
    array([4., 0., 0., 0.])
    """
    return _of_one_axis(x, "hfft", n, axis, norm)


@collective_over_copies
def ihfft(
    x: Operand, /, n: int | None = None, axis: int = -1, norm: str | None = "backward"
) -> Any:
    """Transform a real spectrum back to half of a symmetric signal. Collective.

    >>> import atoll
    >>> atoll.fft.ihfft(atoll.ones(4))[...].real
    array([1., 0., 0.])
    """
    return _of_one_axis(x, "ihfft", n, axis, norm)


@collective_over_copies
def fftn(
    x: Operand,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = "backward",
) -> Any:
    """Transform along several axes, all by default. Collective.

    Args:
        x: Array or view.
        s: How long the lines are along each axis; without `axes` they are the last ones.
        axes: The axes, each once.
        norm: As for `fft`.

    >>> import atoll
    >>> atoll.fft.fftn(atoll.ones((2, 2)))[...].real
    array([[4., 0.],
           [0., 0.]])

    """
    return _of_axes(x, "fftn", s, axes, norm)


@collective_over_copies
def ifftn(
    x: Operand,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = "backward",
) -> Any:
    """Transform back along several axes; arguments are those of `fftn`. Collective."""
    return _of_axes(x, "ifftn", s, axes, norm)


@collective_over_copies
def rfftn(
    x: Operand,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = "backward",
) -> Any:
    """Transform real numbers along several axes, half of the last one is left. Collective."""
    return _of_axes(x, "rfftn", s, axes, norm)


@collective_over_copies
def irfftn(
    x: Operand,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = "backward",
) -> Any:
    """Transform back to real numbers along several axes, by half of the last one. Collective.

    >>> import atoll
    >>> atoll.fft.irfftn(atoll.fft.rfftn(atoll.ones((2, 4)))).shape
    (2, 4)
    """
    return _of_axes(x, "irfftn", s, axes, norm)


@collective_over_copies
def fftshift(x: Operand, /, *, axes: int | Sequence[int] | None = None) -> Any:
    """Move the zero frequency to the middle, along axes, all by default. Collective.

    >>> import atoll
    >>> atoll.fft.fftshift(atoll.arange(5))[...]
    array([3, 4, 0, 1, 2])
    """
    return _shifted(x, axes, lambda n: n // 2)


@collective_over_copies
def ifftshift(x: Operand, /, *, axes: int | Sequence[int] | None = None) -> Any:
    """Move the zero frequency back to the front; undoes `fftshift`. Collective."""
    return _shifted(x, axes, lambda n: -(n // 2))


def _shifted(x: Any, axes: Any, by: Any) -> Any:
    a = x if isinstance(x, ArrayBase) else whole_array(x, "x")
    along = some_axes(axes, a.ndim, "axes")
    return roll(a, tuple(by(a.shape[d]) for d in along), along)
