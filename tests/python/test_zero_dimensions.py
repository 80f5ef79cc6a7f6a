"""Arrays without dimensions: made, read, stored to, added to, computed with."""

import atoll
import numpy as np
import pytest


def test_they_are_made_and_read_as_numpys():
    a = atoll.zeros(())
    assert (a.shape, a.ndim, a.size, a.nbytes) == ((), 0, 1, 8)
    assert a[()] == 0.0
    assert isinstance(a[()], np.float64)
    assert a[...].shape == ()
    assert a[None].shape == (1,)
    assert a[..., None, None].shape == (1, 1)
    assert np.asarray(a[True]).shape == (1,)
    for made in (atoll.asarray(3.0), atoll.full((), 3.0), atoll.from_numpy(np.array(3.0))):
        assert made.shape == ()
        assert (float(made), int(made), made.item(), bool(made)) == (3.0, 3, 3.0, True)
        assert complex(made) == 3
        assert made.tolist() == 3.0
    assert repr(a).startswith("<atoll.Array () float64")
    for wrong in (0, slice(None), (0, 0)):
        with pytest.raises(IndexError):
            a[wrong]
    for call in (len, iter):
        with pytest.raises(TypeError):
            call(a)


@pytest.mark.parametrize("dtype", ["float64", "int8", "bool", "float16", "complex64"])
def test_they_are_stored_to_and_added_to_by_any_rank(dtype):
    a = atoll.zeros((), dtype)
    if atoll.rank() == 0:
        a[()] = 1
    atoll.sync()
    assert a[()] == 1
    atoll.sync()
    if dtype != "bool":
        a.at[()] += 2
        a.at[...].add(1, alpha=2)
        atoll.sync()
        assert a[()] == 1 + 4 * atoll.size()
    atoll.sync()
    if atoll.rank() == 0:
        a[...] = np.array(0)
    atoll.sync()
    assert a[()] == 0
    atoll.sync()
    if np.dtype(dtype).kind == "i":
        a.fetch_add((), 1)
        atoll.sync()
        assert a[()] == atoll.size()
    atoll.sync()


def test_they_are_operands_like_others():
    a, x = atoll.asarray(3.0), np.arange(6.0).reshape(2, 3)
    b = atoll.from_numpy(x)
    for mine, theirs in (
        (a + b, 3.0 + x),
        (b * a, x * 3.0),
        (a + 1, 4.0),
        (a * a, 9.0),
        (-a, -3.0),
        (a == 3, True),
        (a < b, x > 3.0),
        (np.sqrt(a), np.sqrt(3.0)),
        (atoll.where(b > a, b, a), np.where(x > 3, x, 3.0)),
        (a.copy(), 3.0),
        (a.astype("int8"), 3),
        (a.T, 3.0),
        (atoll.zeros_like(a), 0.0),
        (a.reshape(1, 1), [[3.0]]),
        (atoll.reshape(atoll.ones(1), ()), 1.0),
    ):
        assert isinstance(mine, atoll.Array)
        assert mine.shape == np.shape(theirs)
        np.testing.assert_array_equal(mine[...], theirs)
    a += 1
    assert float(a) == 4.0
    assert (float(a.sum()), float(a.min()), float(a.prod()), float(a.mean())) == (4, 4, 4, 4)
    assert bool(a.any())
    assert a.argmax() == 0


def test_views_and_places_know_no_dimension():
    a = atoll.full((), 2.0)
    assert a.at[()].shape == ()
    assert a.locate(()) == [(a.owner_of(()), ())]
    assert sum(len(a.patches(rank)) for rank in range(atoll.size())) == 1
    blocks = a.blocks()
    assert all(key == () and block.shape == () for key, block in blocks)
    b = atoll.zeros(())
    b.copy_from(a)
    assert float(b) == 2.0
    mirrored = a.mirror()
    assert mirrored.shape == ()
    assert float(mirrored) == 2.0


def test_checkpoints_keep_them(folder):
    atoll.checkpoint.save(folder / "run", {"a": atoll.full((), 2.0), "b": atoll.ones(1), "n": 3})
    found = atoll.checkpoint.load(folder / "run")
    assert (found["a"].shape, found["b"].shape, found["n"]) == ((), (1,), 3)
    assert float(found["a"]) == 2.0
    with pytest.raises(ValueError, match="at least one dimension"):
        atoll.disk.create(folder / "none.zarr", ())
