"""`atoll.random`: the same for any ranks, others without a seed, distributed as they should."""

import itertools

import atoll
import numpy as np
import pytest

random = atoll.random
CALLS = {
    "random": lambda size, **options: random(size, **options),
    "uniform": lambda size, **options: random.uniform(-1, 3, size, **options),
    "normal": lambda size, **options: random.normal(2, 0.5, size, **options),
    "integers": lambda size, **options: random.integers(-3, 7, size, **options),
    "choice": lambda size, **options: random.choice(5, size, **options),
    "weighted": lambda size, **options: random.choice(3, size, p=[0.2, 0, 0.8], **options),
    "distinct": lambda size, **options: random.choice(600, size, replace=False, **options),
    "permutation": lambda size, **options: random.permutation(int(np.prod(size)), **options),
}


@pytest.fixture(scope="module")
def alone():
    """Give a group of this rank only."""
    return atoll.world().split(atoll.rank(), 0)


@pytest.mark.parametrize("name", CALLS)
def test_any_number_of_ranks_gives_the_same_from_a_seed(name, alone):
    call, size = CALLS[name], (13, 7)
    a = call(size, seed=5)
    np.testing.assert_array_equal(a[...], call(size, seed=5, group=alone)[...])
    layout = atoll.block_cyclic(
        *((4,), (atoll.size(),)) if a.ndim == 1 else ((4, 2), (1, atoll.size()))
    )
    np.testing.assert_array_equal(a[...], call(size, seed=5, distribution=layout)[...])
    np.testing.assert_array_equal(a[...], call(size, seed=5, mirrored=True)[...])
    assert (a[...] != call(size, seed=6)[...]).any()
    atoll.sync()


@pytest.mark.parametrize("name", CALLS)
def test_without_a_seed_each_call_gives_other_numbers(name):
    first, second = (CALLS[name]((40, 10))[...] for _ in range(2))
    assert (first != second).any()
    everywhere = atoll.world().mpi4py().allgather(first.tobytes())
    assert len(set(everywhere)) == 1


def test_calls_of_several_names_are_not_alike():
    made = [CALLS[name](500, seed=1)[...].astype(float) for name in CALLS]
    for x, y in itertools.combinations(made, 2):
        assert abs(np.corrcoef(x, y)[0, 1]) < 0.2


def test_numbers_are_distributed_as_they_should():
    n = 40000
    x = random.normal(3, 2, size=n, seed=1)[...]
    assert abs(x.mean() - 3) < 0.05
    assert abs(x.std() - 2) < 0.05
    assert abs((x < 5).mean() - 0.8413) < 0.01
    assert (abs(x - 3) > 6).mean() < 0.005
    u = random.uniform(-1, 3, size=n, seed=2)[...]
    np.testing.assert_allclose(np.histogram(u, 8, (-1, 3))[0] / n, 1 / 8, atol=0.01)
    counts = np.bincount(random.integers(2, 6, size=n, seed=3, endpoint=True)[...])
    np.testing.assert_allclose(counts / n, [0, 0, 0.2, 0.2, 0.2, 0.2, 0.2], atol=0.015)
    weights = [0.5, 0, 0.2, 0.3]
    drawn = np.bincount(random.choice(4, n, p=weights, seed=4)[...], minlength=4)
    np.testing.assert_allclose(drawn / n, weights, atol=0.015)


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [(0, 1 << 32, "int64"), (-(1 << 31), 1 << 31, "int32"), (0, 256, "uint8"), (5, 6, "int64")],
)
def test_integers_reach_both_ends_of_a_range(low, high, dtype):
    x = random.integers(low, high, size=5000, seed=1, dtype=dtype)
    assert x.dtype == dtype
    width = high - low
    values = x[...].astype(object)
    assert low <= values.min() <= low + width // 100
    assert high - 1 - width // 100 <= values.max() < high


def test_a_permutation_has_every_line_once(dtype, values):
    np.testing.assert_array_equal(np.sort(random.permutation(1001, seed=3)[...]), np.arange(1001))
    x = values((17, 2), dtype)
    a = atoll.from_numpy(x)
    order = random.permutation(17, seed=9)[...]
    np.testing.assert_array_equal(random.permutation(a, seed=9)[...], x[order])
    np.testing.assert_array_equal(random.permutation(a.at[2:], seed=9).shape, (15, 2))
    drawn = random.choice(a, (2, 3), replace=False, seed=9)
    chosen = random.choice(17, 6, replace=False, seed=9)[...]
    np.testing.assert_array_equal(drawn[...], x[chosen.reshape(2, 3)])
    lines = {tuple(line) for line in x.tolist()}
    assert all(tuple(line) in lines for line in drawn[...].reshape(6, 2).tolist())
    assert random.permutation(0).shape == (0,)
    assert random.choice(3, (0, 2), replace=False).shape == (0, 2)
    atoll.sync()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: random.normal(size=None), TypeError, "size is None"),
        (lambda: random.normal(scale=-1, size=3), ValueError, "scale is -1"),
        (lambda: random.normal("x", size=3), TypeError, "loc is 'x'"),
        (lambda: random.uniform(2, 1, 3), ValueError, "low is 2"),
        (lambda: random.uniform(0, np.inf, 3), ValueError, "high is inf"),
        (lambda: random.integers(3, 3, 3), ValueError, "high is 3"),
        (lambda: random.integers(0, 1 << 33, 3), ValueError, "high is 8589934592"),
        (lambda: random.integers(0, 300, 3, dtype="uint8"), ValueError, "does not hold"),
        (lambda: random.integers(0, 3, 3, dtype=float), TypeError, "dtype is"),
        (lambda: random.integers(0.5, 3, 3), TypeError, "low is 0.5"),
        (lambda: random.integers(0, 3, 3, seed=-1), ValueError, "seed is -1"),
        (lambda: random.choice(3, 4, replace=False), ValueError, "size is 4"),
        (lambda: random.choice(0, 4), ValueError, "a is 0"),
        (lambda: random.choice(3, 4, p=[1, 1, 1]), ValueError, "p is"),
        (lambda: random.choice(3, 4, p=[0.5, 0.5]), TypeError, "p is"),
        (lambda: random.choice(3, 2, replace=False, p=[1, 0, 0]), ValueError, "replace is False"),
        (lambda: random.permutation(-1), ValueError, "x is -1"),
        (lambda: random.permutation("x"), TypeError, "x is 'x'"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_choosing_all_without_drawing_again_is_another_order_than_a_permutation():
    ordered = atoll.random.permutation(30, seed=3)[...]
    chosen = atoll.random.choice(30, 30, replace=False, seed=3)[...]
    assert sorted(ordered) == sorted(chosen) == list(range(30))
    assert (ordered != chosen).any()
