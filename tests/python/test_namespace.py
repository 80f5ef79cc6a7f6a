"""What the array API asks of a namespace: its types, their kinds and limits, and what it can do."""

import atoll
import numpy as np
import pytest


def test_the_namespace_tells_what_there_is():
    info = atoll.zeros(2).__array_namespace__().__array_namespace_info__()
    assert tuple(info.dtypes().values()) == atoll.dtypes
    assert set(info.dtypes(kind="real floating")) == {"float16", "float32", "float64"}
    assert set(info.dtypes(kind=("complex floating", "unsigned integer"), device="cpu")) == {
        *("complex64", "complex128", "uint8", "uint16", "uint32", "uint64")
    }
    assert info.default_dtypes()["real floating"] == atoll.zeros(2).dtype
    assert info.default_dtypes()["integral"] == atoll.arange(2).dtype
    assert info.default_dtypes()["indexing"] == atoll.argsort(atoll.zeros(2)).dtype
    assert info.devices() == [info.default_device()] == [atoll.zeros(2).device]
    most = info.capabilities()["max dimensions"]
    assert atoll.zeros((1,) * most).ndim == most
    with pytest.raises(ValueError):
        atoll.zeros((1,) * (most + 1))
    with pytest.raises(ValueError, match="device is 'gpu'"):
        info.dtypes(device="gpu")


@pytest.mark.parametrize("kind", ["integral", "signed integer", "numeric", "real floating", "bool"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float32", "complex64"])
def test_kinds_are_the_standards(dtype, kind):
    if not hasattr(np, "isdtype"):
        pytest.skip("NumPy 2 has it")
    assert atoll.isdtype(dtype, kind) == np.isdtype(np.dtype(dtype), kind)
    assert atoll.isdtype(np.dtype(dtype), (np.dtype(dtype), kind))


def test_limits_are_numpys():
    a = atoll.zeros(2, "complex64")
    assert atoll.finfo(a).eps == np.finfo(np.float32).eps
    assert atoll.iinfo("uint8").max == 255
    for wrong in (
        lambda: atoll.finfo(int),
        lambda: atoll.iinfo(float),
        lambda: atoll.isdtype(int, "x"),
    ):
        with pytest.raises(ValueError, match="expected"):
            wrong()


def test_functions_of_newer_numpys_are_distributed():
    x = np.arange(12.0).reshape(3, 4)
    a = atoll.from_numpy(x)
    for name in ("cumulative_sum", "matrix_transpose", "unique_values"):
        if (function := getattr(np, name, None)) is None:
            continue
        options = {"axis": 1} if name == "cumulative_sum" else {}
        result = function(a, **options)
        assert isinstance(result, atoll.Array)
        np.testing.assert_array_equal(result[...], function(x, **options))
    row, whole = np.broadcast_arrays(a.at[:1], a)
    np.testing.assert_array_equal(row[...], np.broadcast_to(x[:1], (3, 4)))
    assert whole.shape == (3, 4)


def test_numpys_functions_take_arrays_by_keyword_and_refuse_what_they_do_not_heed():
    a = atoll.arange(6.0)
    assert np.shape(a=a) == (6,)
    assert np.ndim(a=a) == 1
    with pytest.raises(ValueError, match="order='F' of copy: expected 'K', 'C' or 'A'"):
        np.copy(a, order="F")
    with pytest.raises(TypeError, match="subok=True of copy"):
        np.copy(a, subok=True)
    with pytest.raises(TypeError, match="subok=True of broadcast_arrays"):
        np.broadcast_arrays(a, a, subok=True)
