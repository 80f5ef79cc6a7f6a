"""Types of results: all ufuncs of one and two operands over all pairs of types, against NumPy.

NumPy's own rules are the standard's table where that has one; numbers of Python's are weak. One
rank tries all; several, to which each operation is a meeting, try a part.
"""

import itertools
import warnings

import atoll
import numpy as np
import pytest

TYPES = [dtype.name for dtype in atoll.dtypes]
BINARY = [
    *(np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.remainder, np.power),
    *(np.maximum, np.minimum, np.hypot, np.arctan2, np.copysign, np.logaddexp, np.nextafter),
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
    *(np.logical_and, np.logical_or, np.logical_xor),
    *(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift),
]
UNARY = [
    *(np.absolute, np.negative, np.positive, np.square, np.sqrt, np.exp, np.sin, np.conjugate),
    *(np.isnan, np.isfinite, np.isinf, np.signbit, np.sign, np.logical_not, np.invert),
    *(np.floor, np.ceil, np.trunc, np.rint, np.log1p, np.reciprocal),
]
SOME = 1 if atoll.size() == 1 else 7
NUMBERS = [True, 3, -3, 300, 2**40, 1.5, 2j]


def some(dtype, seed):
    """Give numbers from 0 to 6, which no operation carries too far."""
    numbers = np.random.default_rng(seed).integers(0, 7, (3, 2))
    return numbers.astype(bool if dtype == "bool" else dtype)


def outcome(ufunc, *operands):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ufunc(*operands), None
        except (TypeError, OverflowError, ValueError) as error:
            return None, type(error)


def check(mine, refused, theirs, error, what):
    """See that both did the same; refusals of ours are of the same kind."""
    if error is not None:
        assert refused is not None, (what, mine)
        assert issubclass(error, refused) or issubclass(refused, error), (what, refused, error)
        return
    assert refused is None, (what, refused)
    assert mine.dtype == theirs.dtype, (what, mine.dtype, theirs.dtype)
    close = {"rtol": 2e-3 if theirs.dtype == np.float16 else 1e-5, "err_msg": str(what)}
    if theirs.dtype.kind in "fc":
        np.testing.assert_allclose(mine[...], theirs, **close)
    else:
        np.testing.assert_array_equal(mine[...], theirs, err_msg=str(what))


@pytest.fixture(scope="module")
def arrays():
    """All types as NumPy's arrays and as Atoll's, twice."""
    numpys = {name: (some(name, 1), some(name, 2)) for name in TYPES}
    return numpys, {n: tuple(atoll.from_numpy(x) for x in two) for n, two in numpys.items()}


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda f: f.__name__)
def test_two_types_give_numpys_type_and_numbers(arrays, ufunc):
    numpys, atolls = arrays
    pairs = list(itertools.product(TYPES, TYPES))
    for one, other in pairs[BINARY.index(ufunc) % SOME :: SOME]:
        theirs, error = outcome(ufunc, numpys[one][0], numpys[other][1])
        mine, refused = outcome(ufunc, atolls[one][0], atolls[other][1])
        check(mine, refused, theirs, error, (ufunc.__name__, one, other))


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.less, np.true_divide, np.bitwise_and])
def test_numbers_of_pythons_are_weak(arrays, ufunc):
    numpys, atolls = arrays
    cases = list(itertools.product(TYPES, NUMBERS, (False, True)))
    for name, number, turned in cases[BINARY.index(ufunc) % SOME :: SOME]:
        x, a = numpys[name][0], atolls[name][0]
        theirs, error = outcome(ufunc, *((number, x) if turned else (x, number)))
        mine, refused = outcome(ufunc, *((number, a) if turned else (a, number)))
        check(mine, refused, theirs, error, (ufunc.__name__, name, number, turned))


@pytest.mark.parametrize("ufunc", UNARY, ids=lambda f: f.__name__)
def test_one_type_gives_numpys_type_and_numbers(arrays, ufunc):
    numpys, atolls = arrays
    for name in TYPES[UNARY.index(ufunc) % min(SOME, 2) :: min(SOME, 2)]:
        theirs, error = outcome(ufunc, numpys[name][0])
        mine, refused = outcome(ufunc, atolls[name][0])
        check(mine, refused, theirs, error, (ufunc.__name__, name))


def test_result_type_is_the_standards():
    table = {
        ("int8", "uint8"): "int16",
        ("int32", "uint32"): "int64",
        ("bool", "bool"): "bool",
        ("float16", "float32"): "float32",
        ("float64", "complex64"): "complex128",
        ("int64", "int8"): "int64",
    }
    for (one, other), result in table.items():
        a, b = atoll.zeros(2, one), atoll.zeros(2, other)
        assert atoll.result_type(a, b) == result
        assert atoll.result_type(a, 1) == one or one == "bool"
