"""A molecule's basis functions in blocks, and matrices over them spread over the ranks of a group.

All square matrices of a calculation are distributed alike, along block boundaries: arithmetic of
two of them moves nothing, and a task gets whole blocks.
"""

from __future__ import annotations

from typing import Any

import atoll
from atoll.chem.integrals.blocks import Blocks, make_blocks, matrix_starts


class BlockedBasis:
    """PySCF's tables of a molecule, its shells cut into blocks, and how matrices are distributed.

    Attributes:
        mole: PySCF's `Mole`, equal on every rank.
        group: The ranks that compute.
        blocks: How shells and functions are cut.

    """

    def __init__(self, mole: Any, group: atoll.Group) -> None:
        self.mole = mole
        self.group = group
        self.blocks: Blocks = make_blocks(mole, group.size)
        self._rows, self._columns = matrix_starts(self.blocks.functions, group.size)

    @property
    def functions(self) -> int:
        """Number of basis functions."""
        return int(self.blocks.functions[-1])

    def matrix(self, name: str) -> atoll.Array:
        """Make a matrix of zeros, functions x functions. Collective."""
        shape = (self.functions, self.functions)
        layout = atoll.irregular([self._rows, self._columns])
        return atoll.zeros(shape, distribution=layout, group=self.group, name=name)
