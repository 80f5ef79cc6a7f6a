"""Elements for other libraries, and of them."""

import atoll
import numpy as np
import pytest


def test_what_another_library_holds_becomes_an_array():
    x = np.arange(6.0).reshape(2, 3)
    a = atoll.from_dlpack(x)
    assert (a[...] == x).all()
    for given, error in ((([1, 2],), TypeError), ((x, "gpu"), ValueError)):
        with pytest.raises(error):
            atoll.from_dlpack(given[0], device=given[1] if len(given) > 1 else None)
    with pytest.raises(ValueError, match="copy is False"):
        atoll.from_dlpack(x, copy=False)


def test_the_elements_are_handed_out_where_one_rank_has_all_of_them():
    a = atoll.ones((2, 3))
    assert a.__dlpack_device__() == np.ones(1).__dlpack_device__()
    if atoll.size() > 1:
        with pytest.raises(BufferError, match=r"a\.local\(\)"):
            np.from_dlpack(a)
    else:
        shared = np.from_dlpack(a)
        assert np.shares_memory(shared, a.local())
    mine = np.from_dlpack(a.local())
    assert np.shares_memory(mine, a.local()) or mine.size == 0
