"""Texts of all ranks, by Atoll's own messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from atoll._core import Group


def texts_of_all(group: Group, text: str) -> list[str]:
    """Give each member's text, by its rank, on all members. Collective."""
    mine = np.frombuffer(text.encode(), np.uint8)
    lengths = np.zeros(group.size, np.int64)
    lengths[group.rank] = mine.size
    lengths = np.asarray(group.reduce(lengths))
    letters = np.zeros((group.size, int(lengths.max())), np.int32)
    letters[group.rank, : mine.size] = mine
    all_letters = np.asarray(group.reduce(letters.ravel())).reshape(letters.shape)
    return [
        row[:length].astype(np.uint8).tobytes().decode()
        for row, length in zip(all_letters, lengths, strict=True)
    ]
