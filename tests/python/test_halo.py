"""Halos hold what `numpy.pad` puts around the whole array, cut to each rank's block."""

import itertools

import atoll
import numpy as np
import pytest

UNTOUCHED = -7


def filled(source, halo, cut=atoll.blocked):
    """Make an array with the halo that holds `source`; the halo holds UNTOUCHED."""
    a = atoll.zeros(source.shape, source.dtype, distribution=cut(halo=halo))
    a.local_with_halo()[...] = np.array(UNTOUCHED).astype(source.dtype)
    for key, block in a.blocks():
        block[...] = source[key]
    return a


def expected_around(a, source, periodic):
    """Give what my block and its halo should be, by `numpy.pad` of the whole array."""
    widths = a.halo
    for axis, (width, wraps) in enumerate(zip(widths, periodic, strict=True)):
        pad = [(width, width) if d == axis else (0, 0) for d in range(source.ndim)]
        if wraps:
            source = np.pad(source, pad, mode="wrap")
        else:
            source = np.pad(source, pad, constant_values=UNTOUCHED)
    keys = a.patches()
    if not keys:
        return np.empty((0,) * source.ndim)
    return source[
        tuple(slice(s.start, s.stop + 2 * w) for s, w in zip(keys[0], widths, strict=True))
    ]


def sides(shape, halo):
    """Tell in how many dimensions each element of a block with its halo lies in the halo."""
    count = np.zeros(shape, int)
    for axis, (n, w) in enumerate(zip(shape, halo, strict=True)):
        outside = (np.arange(n) < w) | (np.arange(n) >= n - w)
        count += np.expand_dims(outside, [d for d in range(len(shape)) if d != axis])
    return count


@pytest.mark.parametrize("shape", [(9,), (7, 8), (4, 5, 6), (3, 4, 2, 5)])
@pytest.mark.parametrize("width", [0, 1, 2, 3])
def test_updates_match_numpy_pad(shape, width):
    source = np.arange(np.prod(shape)).reshape(shape)
    a = filled(source, width)
    assert a.halo == (width,) * len(shape)
    kinds = list(itertools.product([False, True], repeat=len(shape)))
    for periodic in kinds if len(shape) < 3 else kinds[:: len(kinds) // 3]:
        for corners in (True, False):
            view = a.local_with_halo()
            inside = a.local().copy()
            view[...] = UNTOUCHED
            a.local()[...] = inside
            a.update_halo(periodic, corners=corners)
            expected = expected_around(a, source, periodic).copy()
            if not corners and view.size:
                expected[sides(view.shape, a.halo) > 1] = UNTOUCHED
            np.testing.assert_array_equal(view, expected)


@pytest.mark.parametrize("halo", [(0, 2), (3, 1), (2, 0)])
def test_widths_differ_by_dimension(halo, dtype, values):
    source = values((6, 9), dtype)
    a = filled(source, halo)
    a.update_halo((True, False))
    np.testing.assert_array_equal(
        a.local_with_halo(), expected_around(a, source, (True, False)).astype(dtype)
    )


def test_irregular_blocks_thinner_than_the_halo():
    source = np.arange(60.0).reshape(12, 5)
    starts = [list(range(atoll.size())), [0]]
    a = filled(source, 3, lambda halo: atoll.irregular(starts, halo=halo))
    a.update_halo(True)
    np.testing.assert_array_equal(a.local_with_halo(), expected_around(a, source, (True, True)))


def test_directions_choose_parts_of_the_halo():
    source = np.arange(64.0).reshape(8, 8)
    for directions in ([(-1, 0)], [(0, 1), (1, 1)], [(1, -1), (1, 0), (1, 1)]):
        a = filled(source, 1)
        a.update_halo(True, directions=directions)
        view = a.local_with_halo()
        expected = np.full_like(view, UNTOUCHED)
        around = expected_around(a, source, (True, True))
        part = {-1: slice(0, 1), 0: slice(1, -1), 1: slice(-1, None)}
        for i, j in [(0, 0), *directions]:
            expected[part[i], part[j]] = around[part[i], part[j]]
        np.testing.assert_array_equal(view, expected)


def test_an_update_begun_completes_with_its_request():
    source = np.arange(600.0).reshape(20, 30)
    a = filled(source, 2)
    for finish in (lambda r: r.wait(), lambda r: all(iter(r.test, True))):
        request = a.update_halo_begin(periodic=True)
        finish(request)
        assert request.wait() is None
        np.testing.assert_array_equal(a.local_with_halo(), expected_around(a, source, (True, True)))
        atoll.sync()


def test_a_view_keeps_the_memory():
    a = filled(np.ones((6, 6)), 1)
    a.update_halo(True)
    view = a.local_with_halo()
    a.destroy()
    atoll.full((6, 6), -1.0)
    assert (view == 1).all()


def test_other_operations_see_the_block_only(values):
    x, y = values((7, 9), float), values((7, 9), float, seed=1)
    a, b = filled(x, 2), filled(y, 2)
    plain = atoll.from_numpy(y)
    assert a.sum() == x.sum()
    assert a.max() == x.max()
    assert a.argmax() == x.argmax()
    assert a.norm() == pytest.approx(np.linalg.norm(x))
    np.testing.assert_array_equal((a + b)[...], x + y)
    np.testing.assert_array_equal((a * plain - 3)[...], x * y - 3)
    np.testing.assert_array_equal(np.hypot(plain, a)[...], np.hypot(y, x))
    np.testing.assert_array_equal(a.T[...], x.T)
    np.testing.assert_array_equal(a.astype(int)[...], x.astype(int))
    assert a.copy().halo == (2, 2)
    a += 1
    assert "halo (2, 2)" in str(a.distribution)
    np.testing.assert_array_equal(a[2:6, ::3], x[2:6, ::3] + 1)
    view = a.local_with_halo()
    if view.size:
        np.testing.assert_array_equal(view[2:-2, 2:-2], a.local())
        assert (view[sides(view.shape, a.halo) > 0] == UNTOUCHED).all()


def test_layouts_show_their_halo():
    assert repr(atoll.blocked((0, 4), halo=(1, 2))) == "atoll.blocked((0, 4), halo=(1, 2))"
    assert repr(atoll.irregular([[0]], halo=3)) == "atoll.irregular([[0]], halo=(3))"
    assert atoll.zeros((3, 3)).halo == (0, 0)


def test_bad_arguments_raise_on_all_ranks():
    with pytest.raises(ValueError, match="negative"):
        atoll.zeros((4, 4), distribution=atoll.blocked(halo=-1))
    with pytest.raises(ValueError, match="halo"):
        atoll.zeros((4, 4), distribution=atoll.blocked(halo=(1, 1, 1)))
    with pytest.raises(ValueError, match="blocked or irregular"):
        atoll.zeros((4, 4), distribution=atoll.tiled((2, 2)).with_halo((1, 1)))
    a = atoll.zeros((4, 4), distribution=atoll.blocked(halo=1))
    with pytest.raises(ValueError, match="periodic"):
        a.update_halo((True, False, True))
    with pytest.raises(ValueError, match="direction"):
        a.update_halo(directions=[(0, 0)])
    with pytest.raises(TypeError):
        a.update_halo(directions=[1])
    with pytest.raises(ValueError, match="tiled"):
        atoll.zeros((4, 4), distribution=atoll.tiled((2, 2))).local_with_halo()
    a.destroy()
    with pytest.raises(RuntimeError):
        a.update_halo()


def _dirty(dtype):
    """Leave memory behind whose every element, halo included, is not zero."""
    old = atoll.full((9, 8), 5, dtype, distribution=atoll.blocked(halo=2))
    old.update_halo(periodic=True)
    old.destroy()


MAKERS = {
    "zeros": lambda a, lay: atoll.zeros(a.shape, a.dtype, distribution=lay),
    "empty": lambda a, lay: atoll.empty(a.shape, a.dtype, distribution=lay),
    "ones": lambda a, lay: atoll.ones(a.shape, a.dtype, distribution=lay),
    "full": lambda a, lay: atoll.full(a.shape, 3, a.dtype, distribution=lay),
    "eye": lambda a, lay: atoll.eye(9, 8, dtype=a.dtype, distribution=lay),
    "from_numpy": lambda a, lay: atoll.from_numpy(a[...], distribution=lay),
    "from_numpy of a root": lambda a, lay: atoll.from_numpy(a[...], root=0, distribution=lay),
    "random": lambda a, lay: atoll.random(a.shape, dtype=a.dtype, distribution=lay),
    "mirrored": lambda a, lay: atoll.ones(a.shape, a.dtype, distribution=lay, mirrored=True),
    "operator": lambda a, _: a + 1,
    "two arrays": lambda a, _: a + a,
    "ufunc": lambda a, _: np.positive(a),
    "copy": lambda a, _: a.copy(),
    "duplicate": lambda a, _: a.duplicate(zero=False),
    "astype": lambda a, _: a.astype("complex128"),
    "mirror": lambda a, _: a.mirror(),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("dtype", ["float64", "uint8", "complex64"])
def test_the_halo_of_a_new_array_is_zero_whatever_was_in_memory_before(name, dtype):
    for widths in (2, (0, 1), (3, 0)):
        lay = atoll.blocked(halo=widths)
        a = atoll.from_numpy(np.ones((9, 8), dtype), distribution=lay)
        _dirty(dtype)
        b = MAKERS[name](a, lay)
        view = b.local_with_halo()
        around = sides(view.shape, b.halo) > 0
        assert (view[around] == 0).all()
        b.destroy()


def test_the_halo_of_a_restored_array_is_zero_also_where_its_width_is_another(folder):
    a = atoll.full((9, 8), 4.0, distribution=atoll.blocked(halo=1))
    a.update_halo(periodic=True)
    atoll.checkpoint.save(folder, {"a": a})
    for widths in (0, 1, 3):
        _dirty(float)
        b = atoll.empty((9, 8), distribution=atoll.blocked(halo=widths))
        atoll.checkpoint.load(folder, into={"a": b})
        view = b.local_with_halo()
        assert (view[sides(view.shape, b.halo) > 0] == 0).all()
        assert (b.local() == 4.0).all()
        b.destroy()
