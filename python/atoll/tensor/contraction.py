"""`einsum`: contractions of distributed arrays, each rank its share of the largest one.

A product of two matrices is `matmul`'s. Else the array with the most elements rests: every rank
takes the letters' ranges of the blocks that it owns of it, and fetches the patches of the others
while it multiplies (SRUMMA's pipeline, paper 002 section 3, for any number of dimensions). If that
is the result, each rank writes its own blocks; else the ranks add their contributions to it.
"""

from __future__ import annotations

import itertools
import math
import numbers
import zlib
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from atoll import _core
from atoll._agreement import collective, leave
from atoll._signatures import shortly
from atoll.array.copies import like
from atoll.tensor.kernel import Kernel
from atoll.tensor.letters import Subscripts, parse
from atoll.tensor.tasks import MOST_ELEMENTS, tasks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from atoll._core import ArrayBase as Array
    from atoll.tensor.tasks import Ranges


@collective
def einsum(
    subscripts: str, *operands: Array, out: Array | None = None, alpha: Any = 1, beta: Any = 0
) -> Any:
    """Give `alpha` times the sum of products that NumPy's `einsum` gives. Collective.

    Any dimensions, distributions and number of operands; more than two are taken in pairs, the
    cheapest first. No rank holds more than patches of 8 MiB beside its part of the arrays.

    Args:
        subscripts: Letters of each operand's dimensions, and of the result's behind "->", as in
            NumPy; each at most once in an operand, and no "...".
        operands: Arrays of one type on one group.
        out: Array for the result, of their type, which is given back; none of the operands.
        alpha: Factor of the sum.
        beta: Factor of what is in `out`, whose old contents do not count where it is zero.

    Returns:
        A new array, `out`, or a number where the result has no letters. Where the result is
        smaller than an operand the order of a sum may change its last digits from run to run.

    Raises:
        ValueError: Letters or extents that do not fit, arrays of several groups, or `out` is an
            operand, or one of them is mirrored.
        TypeError: Operands that are no arrays, or types that differ.

    >>> import atoll
    >>> import atoll.tensor
    >>> a, b = atoll.full((2, 3, 4), 2.0), atoll.ones((4, 3))
    >>> atoll.tensor.einsum("iab,bc->iac", a, b).shape
    (2, 3, 3)
    >>> float(atoll.tensor.einsum("iab,ba->", a, b))
    48.0

    """
    letters, group, dtype = _checked(subscripts, operands, out, beta)
    alpha, beta = _factor("alpha", alpha, dtype), _factor("beta", beta, dtype)
    _core.enter(group, "einsum", _statement(letters, out, dtype, alpha, beta))
    if len(operands) <= 2:
        return _contract(letters, operands, out, alpha, beta)
    return _in_pairs(letters, list(operands), out, alpha, beta)


def _checked(
    subscripts: str, operands: tuple[Any, ...], out: Any, beta: Any
) -> tuple[Subscripts, _core.Group, np.dtype[Any]]:
    if not operands:
        raise ValueError("einsum takes one operand at least")
    given = [(f"operand {i}", x) for i, x in enumerate(operands)]
    for name, x in given + ([] if out is None else [("out", out)]):
        if not isinstance(x, _core.ArrayBase):
            raise TypeError(f"{name} is {shortly(x)}, expected an Atoll array")
        if x.mirrored:
            raise ValueError(f"{name} is mirrored; expected a distributed array")
        if x.group != operands[0].group:
            raise ValueError(f"{name} is on another group than operand 0; expected one group")
        if x.dtype != operands[0].dtype:
            raise TypeError(f"{name} is of {x.dtype}, operand 0 of {operands[0].dtype}")
        if name != "out" and x is out:
            raise ValueError(f"out is {name}, too; expected another array")
    letters = parse(subscripts, [x.shape for x in operands])
    if out is None:
        if beta != 0:
            raise ValueError(f"beta is {beta}, which is for a result given as out")
    elif out.shape != letters.shape(letters.result):
        raise ValueError(
            f"out has shape {out.shape}, the result '{letters.result}' of '{subscripts}' "
            f"{letters.shape(letters.result)}"
        )
    return letters, operands[0].group, np.dtype(operands[0].dtype)


def _factor(name: str, value: Any, dtype: np.dtype[Any]) -> Any:
    """Give a factor as a number of the arrays' type."""
    if not isinstance(value, (numbers.Number, np.number)):
        raise TypeError(f"{name} is {shortly(value)}, expected a number")
    if isinstance(value, (complex, np.complexfloating)) and dtype.kind != "c":
        raise TypeError(f"{name} is {value}, but the arrays are of {dtype}")
    if dtype.kind in "iu" and not float(cast("Any", value)).is_integer():
        raise TypeError(f"{name} is {value}, but the arrays are of {dtype}")
    return dtype.type(value)


def _statement(
    letters: Subscripts, out: Array | None, dtype: np.dtype[Any], alpha: Any, beta: Any
) -> bytes:
    """Say what ranks must agree on."""
    said = (letters.operands, letters.result, sorted(letters.extents.items()), out is None)
    text = repr((said, dtype.str, complex(alpha), complex(beta)))
    return zlib.crc32(text.encode()).to_bytes(8, "little")


def _in_pairs(
    letters: Subscripts, operands: list[Array], out: Array | None, alpha: Any, beta: Any
) -> Any:
    """Contract two at a time, the cheapest first."""
    shapes = [np.broadcast_to(0.0, letters.shape(x)) for x in letters.operands]
    text = ",".join(letters.operands) + "->" + letters.result
    left = list(zip(letters.operands, operands, strict=True))
    for step in np.einsum_path(text, *shapes, optimize="greedy")[0][1:]:
        taken = [left.pop(i) for i in sorted(cast("tuple[int, ...]", step), reverse=True)]
        while len(taken) > 2 or (left and taken):
            pair, taken = taken[:2], taken[2:]
            needed = letters.result + "".join(x for x, _ in taken + left)
            present = "".join(dict.fromkeys("".join(x for x, _ in pair)))
            made = "".join(x for x in present if x in needed)
            part = Subscripts(tuple(x for x, _ in pair), made, letters.extents)
            between = (made, _contract(part, tuple(a for _, a in pair), None, 1, 0))
            if not taken:
                left.append(between)
                break
            taken.insert(0, between)
        else:
            part = Subscripts(tuple(x for x, _ in taken), letters.result, letters.extents)
            return _contract(part, tuple(a for _, a in taken), out, alpha, beta)
    raise AssertionError("a path ends with the result")


def _contract(
    letters: Subscripts, operands: tuple[Array, ...], out: Array | None, alpha: Any, beta: Any
) -> Any:
    """Contract one or two operands whose contents are there on all ranks."""
    group = operands[0].group
    largest = max(range(len(operands)), key=lambda i: operands[i].size)
    if not letters.result:
        total = np.zeros((), operands[0].dtype)
        for _, patch in _parts(letters, operands, operands[largest], letters.operands[largest]):
            total += patch
        return group.reduce((alpha * total)[()])
    result = out
    if result is None:
        result = like(operands[0], letters.shape(letters.result), operands[0].dtype)
    if factors := _as_matrices(letters, operands):
        _core.matmul(*factors, result, alpha, beta)
        return result
    if 0 in letters.extents.values() or operands[largest].size > result.size:
        if beta == 0:
            _core.fill(result, 0)
        else:
            _core.scale(result, beta)
        for key, patch in _parts(letters, operands, operands[largest], letters.operands[largest]):
            result.accumulate(key, patch, alpha)
    else:
        for key, patch in _parts(letters, operands, result, letters.result):
            value = patch if alpha == 1 else alpha * patch
            result[key] = value if beta == 0 else value + beta * result.get(key)
    leave(group)
    return result


def _as_matrices(
    letters: Subscripts, operands: tuple[Array, ...]
) -> tuple[_core.ViewBase, _core.ViewBase] | None:
    """Give the factors of a plain product of two matrices, which the library has; else None."""
    if len(operands) != 2 or operands[0].dtype.kind not in "fc" or len(letters.result) != 2:
        return None
    # The one that has the result's first letter is the left one.
    order = (0, 1) if letters.result[0] in letters.operands[0] else (1, 0)
    left, right = (letters.operands[i] for i in order)
    shared = set(left) & set(right)
    if len(left) != 2 or len(right) != 2 or len(shared) != 1:
        return None
    inner = shared.pop()
    if sorted(left) != sorted(letters.result[0] + inner):
        return None
    if sorted(right) != sorted(letters.result[1] + inner):
        return None
    transposed = (int(left[0] == inner), int(right[1] == inner))
    first, second = (
        _core.ViewBase(operands[i], ..., form) for i, form in zip(order, transposed, strict=True)
    )
    return first, second


def _parts(
    letters: Subscripts, operands: tuple[Array, ...], resting: Array, resting_letters: str
) -> Iterator[tuple[tuple[slice, ...], NDArray[Any]]]:
    """Give what comes of this rank's blocks of the array that rests: where it belongs, and it."""
    kernel = Kernel(letters.operands, letters.result)
    fetches = [_Fetch(operands, letters.operands) for _ in range(2)]
    total: NDArray[Any] | None = None
    under_way: tuple[_Fetch, Ranges, bool] | None = None
    whole = {letter: (0, extent) for letter, extent in letters.extents.items()}
    for block in resting.patches():
        own = {x: (s.start, s.stop) for x, s in zip(resting_letters, block, strict=True)}
        turn = resting.group.rank
        work = tasks(whole | own, letters.operands, letters.result, turn, MOST_ELEMENTS)
        for task in itertools.chain(work, [None]):
            begun = None
            if task is not None:
                fetches.reverse()
                fetches[0].begin(task[0])
                begun = (fetches[0], *task)
            if under_way is not None:
                fetch, ranges, done = under_way
                product = kernel(*fetch.wait())
                total = product if total is None else np.add(total, product, out=total)
                if done:
                    yield tuple(slice(*ranges[x]) for x in letters.result), total
                    total = None
            under_way = begun


class _Fetch:
    """The operands' patches of one task, on their way, in memory that is used again."""

    def __init__(self, operands: tuple[Array, ...], letters: tuple[str, ...]) -> None:
        self._operands, self._letters = operands, letters
        self._rooms = [np.empty(0, a.dtype) for a in operands]
        self._requests: list[_core.Request] = []
        self._patches: list[NDArray[Any]] = []

    def begin(self, ranges: Ranges) -> None:
        self._patches = []
        for i, (array, letters) in enumerate(zip(self._operands, self._letters, strict=True)):
            key = tuple(slice(*ranges[x]) for x in letters)
            shape = tuple(s.stop - s.start for s in key)
            size = math.prod(shape)
            if self._rooms[i].size < size:
                self._rooms[i] = np.empty(size, array.dtype)
            patch = self._rooms[i][:size].reshape(shape)
            self._requests.append(array.get_async(key, out=patch))
            self._patches.append(patch)

    def wait(self) -> list[NDArray[Any]]:
        while self._requests:
            self._requests.pop().wait()
        return self._patches
