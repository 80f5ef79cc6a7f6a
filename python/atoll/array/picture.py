"""How a notebook shows an array: what it is, and a drawing of who holds which part."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atoll import _core

_SIDE = 180  # pixels of the longer side
_LEAST = 24  # of the shorter one, however thin the array
_MOST_PARTS = 1000  # beyond them a drawing is a grey area, and long in the page
_HUES = 47  # degrees between nodes: neighbours differ, and none comes again soon


class _Part(NamedTuple):
    """A rectangle of the drawing, in elements, and the rank that holds it."""

    owner: int
    top: int
    left: int
    bottom: int
    right: int


def as_html(a: _core.ArrayBase) -> str:
    """Give a table and a drawing, without communication. Not collective.

    Parts of one node have one hue, and its ranks shades of it. Of more than two dimensions the
    first two are drawn, at the first index of the others.

    >>> import atoll
    >>> a = atoll.zeros((40, 30), name="density")
    >>> text = a._repr_html_()
    >>> "density" in text and "(40, 30)" in text and "<svg" in text
    True
    """
    if not a.alive:
        return f"<code>{html.escape(repr(a))}</code>"
    rows = "".join(
        f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>"
        f"{html.escape(str(value))}</td></tr>"
        for name, value in _facts(a)
    )
    style = "display:flex;gap:2em;align-items:flex-start"
    return f"<div style='{style}'><table>{rows}</table>{_drawing(a)}</div>"


def _facts(a: _core.ArrayBase) -> Iterator[tuple[str, object]]:
    if a.name:
        yield "name", a.name
    yield "shape", tuple(a.shape)
    yield "dtype", a.dtype
    yield "bytes", f"{int(np.prod(a.shape, dtype=np.int64)) * a.dtype.itemsize:,}"
    yield "distribution", a.distribution
    group = a.whole_group
    copies = ", a copy on each node" if a.mirrored else ""
    yield "ranks, nodes", f"{group.size}, {group.nodes}{copies}"


def _parts(a: _core.ArrayBase) -> list[_Part]:
    """Give who holds what of the first two dimensions."""
    if a.ndim == 0 or 0 in a.shape or len(a.patches(0)) * a.group.size > _MOST_PARTS:
        return []
    key = [slice(0, extent) for extent in a.shape[:2]] + [slice(0, 1)] * (a.ndim - 2)
    parts = []
    for owner, held in a.locate(tuple(key)):
        rows, columns = held[0], held[1] if a.ndim > 1 else slice(0, 1)
        parts.append(_Part(owner, rows.start, columns.start, rows.stop, columns.stop))
    # A vector lies, as one writes it.
    return parts if a.ndim > 1 else [_Part(p.owner, 0, p.top, 1, p.bottom) for p in parts]


def _colour(group: _core.Group, owner: int) -> str:
    node = group.node_of(owner)
    shade = 55 + 9 * (owner % 4)
    return f"hsl({_HUES * node + 190}, 55%, {shade}%)"


def _drawing(a: _core.ArrayBase) -> str:
    parts = _parts(a)
    if not parts:
        return ""
    height, width = max(p.bottom for p in parts), max(p.right for p in parts)
    longest = max(height, width)
    high, wide = (max(_LEAST, round(_SIDE * extent / longest)) for extent in (height, width))
    lines = [f"<svg width='{wide + 2}' height='{high + 2}' viewBox='-1 -1 {wide + 2} {high + 2}'>"]
    for part in parts:
        x, y = wide * part.left / width, high * part.top / height
        w, h = (
            wide * (part.right - part.left) / width,
            high * (part.bottom - part.top) / height,
        )
        told = f"rank {part.owner}, node {a.group.node_of(part.owner)}"
        lines.append(
            f"<rect x='{x:.2f}' y='{y:.2f}' width='{w:.2f}' height='{h:.2f}' stroke='white' "
            f"stroke-width='1' fill='{_colour(a.group, part.owner)}'><title>{told}: "
            f"[{part.top}:{part.bottom}, {part.left}:{part.right}]</title></rect>"
        )
        if w > 40 and h > 18:
            lines.append(
                f"<text x='{x + w / 2:.1f}' y='{y + h / 2 + 4:.1f}' text-anchor='middle' "
                f"font-size='11'>{part.owner}</text>"
            )
    return "".join([*lines, "</svg>"])
