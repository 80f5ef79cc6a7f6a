"""Values that do not fit the elements: what NumPy says of the same line, or a refusal."""

import warnings

import atoll
import numpy as np
import pytest

TYPES = ["int32", "int64", "uint8", "float32", "float64", "complex64"]
VALUES = {
    "2**40": 2**40,
    "[2**40]": [2**40],
    "(2**40,)": (2**40,),
    "range": range(2**40, 2**40 + 1),
    "numpy int": np.int64(2**40),
    "list of a numpy int": [np.int64(2**40)],
    "array": np.array([2**40]),
    "array of no dimension": np.array(2**40),
    "-1": -1,
    "[-1]": [-1],
    "numpy -1": np.int8(-1),
    "300": 300,
    "[300]": [300],
    "1.5": 1.5,
    "[1.5]": [1.5],
    "nan": np.nan,
    "[nan]": [np.nan],
    "1e300": 1e300,
    "[1e300]": [1e300],
    "array of 1e300": np.array([1e300]),
    "1j": 1j,
    "[1j]": [1j],
    "2**63": 2**63,
    "[2**63]": [2**63],
    "2**70": 2**70,
    "[2**70]": [2**70],
    "[2**2000]": [2**2000],
    "[7]": [7],
    "True": True,
    "[True]": [True],
    "None": None,
    "text": "5",
}


def attempt(store):
    """Give what is stored, the exception, and what was warned of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            return store(), None, [str(w.message) for w in told]
        except (TypeError, ValueError, OverflowError) as error:
            return None, type(error), []


def stored(make, store, dtype):
    def run():
        x = make(4, dtype)
        store(x)
        atoll.sync()
        return x[...]

    return attempt(run)


DOORS = {
    "slice": lambda x, value: x.__setitem__(slice(0, 1), value),
    "ellipsis": lambda x, value: x.__setitem__(..., value),
    "list of indices": lambda x, value: x.__setitem__([0], value),
    "mask": lambda x, value: x.__setitem__(np.arange(4) == 2, value),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("door", DOORS)
def test_storing_does_what_numpy_does_or_refuses(door, name):
    value = VALUES[name]
    for dtype in TYPES:
        theirs, error, warned = stored(np.zeros, lambda x: DOORS[door](x, value), dtype)
        mine, refused, mine_warned = stored(atoll.zeros, lambda x: DOORS[door](x, value), dtype)
        if refused:
            continue
        assert error is None, (door, name, dtype, mine)
        np.testing.assert_array_equal(mine, theirs)
        assert set(mine_warned) == set(warned), (door, name, dtype)


OTHERS = {
    "full": lambda value, dtype: atoll.full(4, value, dtype)[...],
    "from_numpy": lambda value, dtype: atoll.from_numpy([value] * 4, dtype)[...],
    "from_numpy of a root": lambda value, dtype: atoll.from_numpy([value] * 4, dtype, root=0)[...],
}
NUMPY = {
    "full": lambda value, dtype: np.full(4, value, dtype),
    "from_numpy": lambda value, dtype: np.array([value] * 4, dtype),
    "from_numpy of a root": lambda value, dtype: np.array([value] * 4, dtype),
}


@pytest.mark.parametrize("name", ["2**40", "-1", "300", "1.5", "nan", "1e300", "1j", "2**63"])
@pytest.mark.parametrize("call", OTHERS)
def test_making_arrays_does_what_numpy_does_or_refuses(call, name):
    for dtype in TYPES:
        theirs, error, _ = attempt(lambda dtype=dtype: NUMPY[call](VALUES[name], dtype))
        mine, refused, _ = attempt(lambda dtype=dtype: OTHERS[call](VALUES[name], dtype))
        if not refused:
            assert error is None, (call, name, dtype, mine)
            np.testing.assert_array_equal(mine, theirs)


IN_PLACE = {
    "fill": lambda a, value: a.fill(value),
    "scale": lambda a, value: a.scale(value),
    "add_constant": lambda a, value: a.add_constant(value),
    "operator": lambda a, value: a.__iadd__(value),
    "accumulate": lambda a, value: a.accumulate(slice(0, 1), value),
    "alpha": lambda a, value: a.accumulate(slice(0, 1), 1, value),
    "add to indices": lambda a, value: a.at[[0, 2]].add(value),
    "alpha of indices": lambda a, value: a.at[[0, 2]].add(1, alpha=value),
    "periodic": lambda a, value: a.periodic.__setitem__(slice(-1, 1), value),
    "add periodic": lambda a, value: a.periodic.accumulate(slice(-1, 1), value),
    "async": lambda a, value: a.put_async(slice(0, 1), value).wait(),
    "view": lambda a, value: a.at[:2].fill(value),
    "scatter": lambda a, value: a.scatter_elements(np.zeros((1, 1), int), [value]),
}


STORING = {"fill", "periodic", "async", "view", "scatter"}


@pytest.mark.parametrize("door", IN_PLACE)
@pytest.mark.parametrize(
    ("value", "dtype"), [(2**40, "int32"), (300, "uint8"), (1.5, "int64"), (1j, "float64")]
)
def test_every_other_door_refuses_a_number_that_does_not_fit(door, value, dtype):
    a = atoll.ones(4, dtype)
    if value == 1.5 and door in STORING:  # is cut, as in NumPy
        IN_PLACE[door](a, value)
        atoll.sync()
        assert (a[...] == 1).all()
        return
    with pytest.raises((OverflowError, TypeError)):
        IN_PLACE[door](a, value)
    atoll.sync()
    assert (a[...] == 1).all()


@pytest.mark.parametrize("value", [[2**40, 1], [[1], [2**40]], (1, -(2**40))])
def test_the_number_of_a_list_that_does_not_fit_is_named(value):
    a = atoll.zeros((2, 2), "int32")
    with pytest.raises(OverflowError, match="1099511627776 out of bounds for int32"):
        a[...] = value


def test_a_float_beyond_float32_is_told_as_numpys_errstate_wants():
    a = atoll.zeros(2, "float32")
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        a[0] = 1e300
    with np.errstate(over="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        a[:] = 1e300
    atoll.sync()
    assert np.isinf(a[...]).all()
