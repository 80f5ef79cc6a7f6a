"""Index letters: what a string such as "ij,jk->ik" says about operands and result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Subscripts:
    """The letters of the operands and of the result, and how far each letter runs."""

    operands: tuple[str, ...]
    result: str
    extents: dict[str, int]

    def shape(self, letters: str) -> tuple[int, ...]:
        """Give the shape of an array with these letters."""
        return tuple(self.extents[letter] for letter in letters)


def parse(subscripts: str, shapes: Sequence[tuple[int, ...]]) -> Subscripts:
    """Read the letters as NumPy does: without "->", the result has those that stand once, sorted.

    Raises:
        TypeError: Not a string.
        ValueError: Letters that do not fit the shapes, or that stand twice in one operand.

    """
    if not isinstance(subscripts, str):
        raise TypeError(f"subscripts is {subscripts!r}, expected a string such as 'ij,jk->ik'")
    text = subscripts.replace(" ", "")
    given, arrow, result = text.partition("->")
    operands = tuple(given.split(","))
    if not arrow:
        result = "".join(sorted({x for x in given if x != "," and given.count(x) == 1}))
    if len(operands) != len(shapes):
        raise ValueError(
            f"subscripts '{subscripts}' name {len(operands)} operands, but {len(shapes)} are given"
        )
    for letters in (*operands, result):
        _check_letters(subscripts, letters)
    extents: dict[str, int] = {}
    for position, (letters, shape) in enumerate(zip(operands, shapes, strict=True)):
        if len(letters) != len(shape):
            raise ValueError(
                f"subscripts '{subscripts}': operand {position} has {len(letters)} letters, "
                f"'{letters}', and shape {shape}"
            )
        for letter, extent in zip(letters, shape, strict=True):
            if extents.setdefault(letter, extent) != extent:
                raise ValueError(
                    f"subscripts '{subscripts}': letter '{letter}' runs to {extents[letter]} and, "
                    f"in operand {position} of shape {shape}, to {extent}"
                )
    for letter in result:
        if letter not in extents:
            raise ValueError(
                f"subscripts '{subscripts}': letter '{letter}' of the result is in no operand"
            )
    return Subscripts(operands, result, extents)


def _check_letters(subscripts: str, letters: str) -> None:
    for letter in letters:
        if not (letter.isascii() and letter.isalpha()):
            raise ValueError(f"subscripts '{subscripts}': '{letter}' is no letter from a to z")
        if letters.count(letter) > 1:
            raise ValueError(
                f"subscripts '{subscripts}': letter '{letter}' stands twice in '{letters}'; "
                "diagonals are not taken"
            )
