"""What one rank does with patches of two operands: one matrix product a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Kernel:
    """A contraction of patches, by letters, as matrix products (of one operand: a sum)."""

    def __init__(self, operands: tuple[str, ...], result: str) -> None:
        self.operands, self.result = operands, result
        a, b = operands if len(operands) == 2 else (operands[0], "")
        self._batch = "".join(x for x in result if x in a and x in b)
        self._inner = "".join(x for x in a if x in b and x not in result)
        self._left = "".join(x for x in result if x in a and x not in b)
        self._right = "".join(x for x in result if x in b and x not in a)
        self._made = self._batch + self._left + self._right

    def __call__(self, *patches: NDArray[Any]) -> NDArray[Any]:
        """Give the patch of the result, its dimensions in the result's order."""
        if len(patches) == 1:
            return np.array(self._arranged(patches[0], self.operands[0], self.result))
        batch, left, inner, right = self._batch, self._left, self._inner, self._right
        a = self._arranged(patches[0], self.operands[0], batch + left + inner)
        b = self._arranged(patches[1], self.operands[1], batch + inner + right)
        n, m = len(batch), len(batch) + len(left)
        front, rows, between = a.shape[:n], a.shape[n:m], a.shape[m:]
        columns = b.shape[n + len(inner) :]
        size = int(np.prod(between))
        lead = (int(np.prod(front)),) if front else ()  # a plain product else: quicker
        product = np.matmul(
            a.reshape(*lead, int(np.prod(rows)), size),
            b.reshape(*lead, size, int(np.prod(columns))),
        )
        made: NDArray[Any] = product.reshape((*front, *rows, *columns))
        return np.transpose(made, [self._made.index(x) for x in self.result])

    @staticmethod
    def _arranged(patch: NDArray[Any], letters: str, wanted: str) -> NDArray[Any]:
        """Sum over the letters that nobody wants, and put the others in order."""
        if extra := tuple(d for d, x in enumerate(letters) if x not in wanted):
            patch = patch.sum(axis=extra, dtype=patch.dtype)
            letters = "".join(x for x in letters if x in wanted)
        return np.transpose(patch, [letters.index(x) for x in wanted])
