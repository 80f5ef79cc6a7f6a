"""Lazy mirrors and read-only arrays against NumPy."""

import atoll
import numpy as np
import pytest

SEVERAL = atoll.size() > 1


def test_reads_are_numpys(dtype, cut, values):
    x = values((70, 90), dtype)
    a = atoll.from_numpy(x, distribution=cut((70, 90)), name="a")
    m = a.mirror(lazy=True, budget=20000)
    assert isinstance(m, atoll.LazyMirror)
    assert (m.shape, m.dtype, m.ndim, len(m)) == ((70, 90), dtype, 2, 70)
    assert (m.name, m.budget) == ("a", 20000)
    for key in (
        np.s_[...],
        np.s_[3],
        np.s_[3, 4],
        np.s_[-1, ::-2],
        np.s_[5:60:3, 80:10:-7],
        np.s_[5:5],
        np.s_[None, 2:4, ..., None],
        np.s_[[5, 1, 1], [0, 89, 3]],
        np.s_[[6, -1, 2]],
        x.real > 900,
    ):
        np.testing.assert_array_equal(m[key], x[key])
    assert type(m[3, 4]) is type(x[3, 4])
    np.testing.assert_array_equal(m.get(), x)
    np.testing.assert_array_equal(m.get(np.s_[4:6]), x[4:6])
    out = np.zeros((4, 90), dtype=dtype)
    m.get_into(np.s_[10:14], out[:, ::-1])
    np.testing.assert_array_equal(out[:, ::-1], x[10:14])
    np.testing.assert_array_equal([row[0] for row in m], x[:, 0])


def test_random_reads_in_little_memory():
    shape = (40, 30, 50)
    x = np.random.default_rng(1).random(shape)
    a = atoll.from_numpy(x)
    m = a.mirror(lazy=True, budget=3 * 8192)
    rng = np.random.default_rng(atoll.rank())
    for _ in range(100):
        low = rng.integers(0, shape)
        key = tuple(slice(i, rng.integers(i, n) + 1) for i, n in zip(low, shape, strict=True))
        np.testing.assert_array_equal(m[key], x[key])
    assert m.statistics.tiles_held <= 3


def test_refresh_shows_what_was_written():
    a = atoll.zeros((60, 60))
    m = a.mirror(lazy=True)
    for number in range(1, 4):
        assert (m[...] == number - 1).all()
        atoll.barrier()
        if atoll.rank() == atoll.size() - 1:
            a[...] = number
        m.refresh()


def test_statistics_count_tiles():
    tiles = 48  # of 1024 elements; 1 to 4 ranks have equal numbers of them
    a = atoll.arange(tiles * 1024.0)
    m = a.mirror(lazy=True)
    if atoll.rank() == 0:
        whole = [m[...] for _ in range(2)]
        np.testing.assert_array_equal(whole[0], whole[1])
        mine = m.statistics.rank
        held = m.statistics.tiles_held
        if atoll.nodes() == 1:
            assert (mine.hits, mine.misses, mine.direct, held) == (0, 0, 2, 0)
        else:
            owners = [a.owner(i) for i in range(0, tiles * 1024, 1024)]
            there = sum(a.group.node_of(owner) != atoll.node() for owner in owners)
            assert (mine.misses, mine.hits, held) == (there, there, there)
            assert mine.fetched_bytes == there * 8192
            assert mine.direct == 2 * (tiles - there)
        assert f"hits={mine.hits}, misses={mine.misses}" in repr(m.statistics)
        assert f"{held} of {m.statistics.tile_capacity} tiles held" in repr(m)
    atoll.sync()
    assert m.statistics.node.misses == (m.statistics.tiles_held if atoll.node() == 0 else 0)


def test_a_lazy_mirror_is_not_written():
    m = atoll.zeros((4, 4)).mirror(lazy=True)
    with pytest.raises(TypeError, match="write the array, then refresh"):
        m[0, 0] = 1.0
    with pytest.raises(TypeError, match="write the array"):
        m[...] += 1.0
    with pytest.raises(TypeError, match="read what you need"):
        np.asarray(m)


def test_errors_say_what_was_expected():
    a = atoll.zeros((100, 100), name="table")
    with pytest.raises(ValueError, match=r"budget = 100 bytes hold no tile.*least.* 8192.*'table'"):
        a.mirror(lazy=True, budget=100)
    with pytest.raises(ValueError, match="mirrored"):
        a.mirror().mirror(lazy=True)
    with pytest.raises(TypeError, match="lazy=True"):
        a.mirror(budget=10000)
    with pytest.raises(TypeError, match="leave name out"):
        a.mirror("other", lazy=True)
    if SEVERAL:
        with pytest.raises(RuntimeError, match="lazy mirror"):
            a.mirror(lazy=True, budget=8192 * (atoll.rank() + 1))
    m = a.mirror(lazy=True)
    with pytest.raises(IndexError, match="out of bounds"):
        m[100]
    with pytest.raises(IndexError, match="too many indices"):
        m[1, 2, 3]
    with m:
        assert m[3, 3] == 0.0
    assert repr(m) == "<atoll.LazyMirror: closed>"
    assert not m.alive
    for use in (lambda: m[0, 0], m.refresh, m.close, lambda: m.statistics):
        with pytest.raises(RuntimeError, match="closed"):
            use()
    other = a.mirror(lazy=True)
    a.close()
    with pytest.raises(RuntimeError, match="destroyed"):
        other[0, 0]


def test_read_only_arrays_refuse_writes_and_read_as_before():
    x = np.arange(600.0).reshape(20, 30)
    a = atoll.from_numpy(x, name="table")
    b = atoll.ones((20, 30))
    assert not a.read_only
    a.read_only = True
    assert a.read_only

    def store():
        a[3] = 1.0

    def store_elements():
        a[[1, 2], [3, 4]] = 1.0

    def add():
        a.at[3] += 1.0

    def add_in_place():
        nonlocal a
        a += 1.0

    writes = (
        store,
        store_elements,
        add,
        add_in_place,
        lambda: a.put_async(3, 1.0),
        lambda: a.fill(1.0),
        lambda: a.copy_from(b),
        lambda: np.sqrt(b, out=a),
        lambda: a.periodic.__setitem__(3, 1.0),
    )
    for write in writes:
        with pytest.raises(RuntimeError, match="read-only"):
            write()
    np.testing.assert_array_equal(a[...], x)
    np.testing.assert_array_equal(a[::3, [4, 2]], x[::3, [4, 2]])
    np.testing.assert_array_equal((a + b)[...], x + 1)
    np.testing.assert_array_equal(np.sqrt(a)[...], np.sqrt(x))
    np.testing.assert_array_equal(a.astype(int)[...], x.astype(int))
    np.testing.assert_array_equal(a.T[...], x.T)
    assert float(a.sum()) == x.sum()
    for key, block in a.blocks():
        np.testing.assert_array_equal(block, x[key])
        assert not block.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            block[0] = 1.0
    assert a.local().size == 0 or not a.local().flags.writeable
    atoll.sync()
    a.read_only = False
    a.fill(2.0)
    assert (a[...] == 2.0).all()
    with pytest.raises(ValueError, match="mirrored"):
        b.mirror().read_only = True
