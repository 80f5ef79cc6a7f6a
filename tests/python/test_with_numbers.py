"""Arrays and one number: by the core where it does as NumPy does, else by NumPy's rules."""

import operator
import warnings

import atoll
import numpy as np
import pytest
from atoll.algebra.with_numbers import with_number

DTYPES = [dtype.name for dtype in atoll.dtypes]
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]
NUMBERS = [
    2,
    -1,
    0,
    0.5,
    -0.0,
    1 << 30,
    3 + 1j,
    True,
    np.float32(1.5),
    np.float64(1.5),
    np.int32(3),
]


def outcome(compute):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return compute()
        except (TypeError, ValueError, OverflowError) as error:
            return next(c for c in type(error).__mro__ if c.__module__ == "builtins")


@pytest.mark.parametrize("operation", OPERATORS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_on_either_side_give_numpys_elements_types_and_errors(dtype, operation):
    x = np.array([[0, 1, 2], [3, 100, 5]]).astype(dtype)
    a = atoll.from_numpy(x)
    for number in NUMBERS:
        for ours, theirs in (((a, number), (x, number)), ((number, a), (number, x))):
            expected = outcome(lambda theirs=theirs: operation(*theirs))
            if isinstance(expected, np.ndarray) and expected.dtype.name not in DTYPES:
                expected = TypeError
            made = outcome(lambda ours=ours: operation(*ours))
            if isinstance(expected, type):
                assert made is expected, (number, made)
                continue
            assert made.dtype == expected.dtype, number
            exact = expected.dtype.kind != "c" or operation is not operator.pow
            np.testing.assert_allclose(made[...], expected, rtol=0 if exact else 1e-6)
            zeros = expected == 0
            assert (np.signbit(made[...].real) == np.signbit(expected.real))[zeros & exact].all(), (
                number
            )


def test_the_core_computes_what_it_knows_and_leaves_the_rest():
    a, integers = atoll.ones(3), atoll.ones(3, dtype="int32")
    assert all(with_number(u, (a, 2)) for u in (np.add, np.subtract, np.multiply, np.true_divide))
    assert with_number(np.multiply, (0.5, a))
    assert with_number(np.add, (integers, 2))
    for ufunc, inputs in (
        (np.add, (integers, 0.5)),
        (np.add, (integers, 1 << 40)),
        (np.true_divide, (integers, 2)),
        (np.add, (a, 1 << 60)),
        (np.add, (a, 1j)),
        (np.power, (a, 2)),
        (np.add, (a.astype("float32"), 1e300)),
    ):
        assert with_number(ufunc, inputs) is None


def test_a_number_may_be_stored_in_place_or_into_another_array():
    x = np.arange(6.0).reshape(2, 3)
    a = atoll.from_numpy(x)
    a += 1
    a *= 2
    out = atoll.zeros((2, 3), distribution=atoll.blocked((2, 0)))
    assert np.subtract(1, a, out=out) is out
    assert (out[...] == 1 - 2 * (x + 1)).all()
    halo = atoll.from_numpy(x, distribution=atoll.blocked(halo=1))
    assert ((halo / 4)[...] == x / 4).all()
    mirrored = a.mirror()
    assert ((mirrored - 1)[...] == 2 * x + 1).all()


@pytest.mark.skipif(atoll.size() == 1, reason="one rank agrees with itself")
def test_ranks_that_give_different_numbers_are_told():
    with pytest.raises(RuntimeError):
        atoll.ones(4) * float(atoll.rank())
