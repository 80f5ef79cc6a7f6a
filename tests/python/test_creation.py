"""Every way to make an array gives what NumPy's function of that name gives."""

import atoll
import numpy as np
import pytest


def check(array, expected):
    assert array.dtype == expected.dtype
    assert array.shape == expected.shape
    np.testing.assert_array_equal(array[...], expected)


def test_zeros_ones_and_full_of_every_dtype_and_distribution(dtype, cut):
    shape = (7, 5)
    layout = cut(shape)
    check(atoll.zeros(shape, dtype, distribution=layout), np.zeros(shape, dtype))
    check(atoll.ones(shape, dtype, distribution=layout), np.ones(shape, dtype))
    check(atoll.full(shape, 3, dtype, distribution=layout), np.full(shape, 3, dtype))


def test_full_takes_its_dtype_from_the_value():
    check(atoll.full(4, 2), np.full(4, 2))
    check(atoll.full(4, 2.5), np.full(4, 2.5))
    check(atoll.full(4, 1j), np.full(4, 1j))


@pytest.mark.parametrize(
    "arguments", [(10,), (4.0,), (3, 11), (3, 11, 3), (5, -5, -2), (0, 1, 0.1), (4, 4)]
)
@pytest.mark.parametrize("kind", [None, "int32", "float32", "complex128"])
def test_arange(arguments, kind):
    if kind == "int32" and any(isinstance(x, float) for x in arguments):
        pytest.skip("NumPy's own arange truncates the step here")
    check(atoll.arange(*arguments, dtype=kind), np.arange(*arguments, dtype=kind))


@pytest.mark.parametrize("arguments", [(4,), (4, 6), (6, 4, 1), (5, 5, -2), (3, 3, 7)])
def test_eye(arguments, cut):
    rows, columns = arguments[0], arguments[1] if len(arguments) > 1 else arguments[0]
    check(atoll.eye(*arguments, distribution=cut((rows, columns))), np.eye(*arguments))


@pytest.mark.parametrize("dimensions", range(1, 9))
def test_from_numpy_in_one_to_eight_dimensions(dimensions, cut, values):
    shape = tuple(range(2, 2 + dimensions))[::-1] if dimensions < 6 else (2,) * dimensions
    source = values(shape, "float64")
    check(atoll.from_numpy(source, distribution=cut(shape)), source)


@pytest.mark.parametrize("order", ["C", "F"])
def test_from_numpy_takes_any_memory_order(order, dtype, values):
    source = np.asarray(values((6, 8), dtype), order=order)
    check(atoll.from_numpy(source[::-1, ::2]), source[::-1, ::2])


def test_from_numpy_converts_to_a_wanted_dtype():
    check(atoll.from_numpy(np.array([1.0, 2.0]), "int32"), np.array([1, 2], "int32"))
    check(atoll.from_numpy([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]))


def test_from_numpy_of_one_rank_only(values):
    root = atoll.size() - 1
    source = values((5, 6), "complex64")
    mine = source if atoll.rank() == root else None
    check(atoll.from_numpy(mine, root=root), source)


def test_random_depends_on_the_seed_and_not_on_the_distribution(dtype, cut):
    shape = (9, 4)
    first = atoll.random(shape, seed=7, dtype=dtype)[...]
    second = atoll.random(shape, seed=7, dtype=dtype, distribution=cut(shape))[...]
    np.testing.assert_array_equal(first, second)
    assert (first != atoll.random(shape, seed=8, dtype=dtype)[...]).any()
    if dtype.kind in "iu":
        assert first.min() >= 0
    else:
        for part in (first.real, first.imag):
            assert part.min() >= 0
            assert part.max() < 1


def test_random_is_uniform():
    x = atoll.random((100, 100), seed=3)[...]
    assert abs(x.mean() - 0.5) < 0.02
    assert abs(x.var() - 1 / 12) < 0.005


def test_random_without_a_seed_differs_from_call_to_call_and_all_ranks_see_the_same(dtype):
    first, second = (atoll.random((30, 4), dtype=dtype) for _ in range(2))
    assert (first[...] != second[...]).any()
    told = atoll.world().broadcast(first[...], 0)
    np.testing.assert_array_equal(first[...], told)
    mirrored = atoll.random((30, 4), dtype=dtype, mirrored=True)
    np.testing.assert_array_equal(mirrored[...], atoll.world().broadcast(mirrored[...], 0))


def test_random_with_a_seed_is_splitmix64_on_any_number_of_ranks():
    # The first outputs of SplitMix64, seeded with its own first output for the seed 42.
    def outputs(state):
        while True:
            state = (state + 0x9E3779B97F4A7C15) % 2**64
            z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
            yield z ^ (z >> 31)

    numbers = outputs(next(outputs(42)))
    expected = [(next(numbers) >> 11) * 2.0**-53 for _ in range(12)]
    assert atoll.random((4, 3), seed=42)[...].ravel().tolist() == expected


def test_ranks_that_disagree_about_the_seed_are_told():
    mine = None if atoll.rank() == 0 else 5
    if atoll.size() > 1:
        with pytest.raises(RuntimeError, match=r"disagree|different"):
            atoll.random(3, mine)
    with pytest.raises(ValueError, match="seed is -1"):
        atoll.random(3, -1)


def test_attributes(dtype):
    a = atoll.zeros((3, 4, 5), dtype, name="tensor")
    assert (a.ndim, a.size, a.itemsize) == (3, 60, dtype.itemsize)
    assert a.nbytes == 60 * dtype.itemsize
    assert len(a) == 3
    assert a.name == "tensor"
    assert a.group == atoll.world()
    assert a.layout.kind == a.distribution.kind == "blocked"


def test_empty_arrays_of_no_element():
    a = atoll.zeros((0, 4))
    assert a.size == 0
    assert a[...].shape == (0, 4)
    assert a.sum() == 0
    check(a + 1, np.zeros((0, 4)))


def test_duplicate_copy_and_astype_keep_the_distribution(cut, values):
    source = values((6, 7), "float64")
    a = atoll.from_numpy(source, distribution=cut((6, 7)))
    twin = a.duplicate("twin")
    assert twin.name == "twin"
    check(twin, np.zeros((6, 7)))
    copy = a.copy()
    a.fill(0)
    check(copy, source)
    assert twin.distribution == copy.distribution == a.distribution
    for kind in ("int32", "float32", "complex64"):
        other = copy.astype(kind)
        assert other.distribution == a.distribution
        check(other, source.astype(kind))


def test_repr_says_what_this_rank_owns_and_does_not_communicate():
    a = atoll.zeros((8, 3), distribution=atoll.blocked((0, 3)), name="A")
    if atoll.rank() == 0:  # on one rank alone: would hang if it communicated
        text = repr(a)
        assert "'A' (8, 3) float64" in text
        assert f"rank 0 of {atoll.size()} owns [0:" in text
    a.destroy()
    assert repr(a) == "<atoll.Array: destroyed>"


def test_show_prints_on_rank_0_only(capsys):
    atoll.arange(4).show()
    text = capsys.readouterr().out
    assert ("3" in text) == (atoll.rank() == 0)
