"""Elements handed to other libraries of the process, by DLPack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atoll._signatures import shortly

if TYPE_CHECKING:
    from atoll._core import ArrayBase

_CPU = (1, 0)  # DLPack's number of this kind of device, and which


def dlpack(a: ArrayBase, **options: Any) -> Any:
    """Give all elements to another library, without a copy. Not collective.

    Raises:
        BufferError: several ranks share the array, or it lies in several blocks.

    """
    blocks = a.blocks()
    if a.group.size > 1 or len(blocks) != 1:
        raise BufferError(
            f"{shortly(a)} does not lie in one piece in this rank's memory: a.local() is a NumPy "
            "array of the part that is here, which other libraries take, and a[...] a copy of all"
        )
    return blocks[0][1].__dlpack__(**options)


def dlpack_device(_: ArrayBase) -> tuple[int, int]:
    """Give the device of the elements, as DLPack numbers them."""
    return _CPU
