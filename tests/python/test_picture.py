"""What a notebook shows of an array."""

import re

import atoll
import numpy as np
import pytest


def rectangles(text):
    """Give rank, node and bounds of each part that is drawn."""
    told = re.findall(r"rank (\d+), node (\d+): \[(\d+):(\d+), (\d+):(\d+)\]", text)
    return [tuple(map(int, numbers)) for numbers in told]


@pytest.mark.parametrize(
    "layout", [atoll.blocked(), atoll.tiled((3, 2)), atoll.block_cyclic((2, 2))]
)
def test_the_drawing_shows_each_element_once_at_its_owner(layout):
    a = atoll.zeros((7, 5), distribution=layout)
    text = ""
    if atoll.rank() == atoll.size() - 1:  # by one rank alone: it needs nobody
        text = a._repr_html_()
        owners = np.full(a.shape, -1)
        for rank, node, top, bottom, left, right in rectangles(text):
            assert (owners[top:bottom, left:right] == -1).all()
            owners[top:bottom, left:right] = rank
            assert node == a.group.node_of(rank)
        assert all(owners[place] == a.owner(*place) for place in np.ndindex(a.shape))
    atoll.sync()


def test_names_are_no_markup_and_odd_arrays_have_no_drawing():
    assert "&lt;b&gt;" in atoll.zeros(3, name="<b>")._repr_html_()
    assert "<svg" not in atoll.zeros((0, 3))._repr_html_()
    many = atoll.zeros((2000, 3), distribution=atoll.tiled((1, 3)))
    assert "<svg" not in many._repr_html_()
    assert len(rectangles(atoll.zeros((4, 3, 2))._repr_html_())) <= atoll.size()
    gone = atoll.zeros(3)
    gone.destroy()
    assert "<svg" not in gone._repr_html_()
