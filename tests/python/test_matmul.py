"""Products of matrices against NumPy."""

import atoll
import numpy as np
import pytest

TYPES = ["float32", "float64", "complex64", "complex128"]


def random_matrix(shape, dtype, seed):
    random = np.random.default_rng(seed)
    values = random.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.uniform(-1, 1, shape)
    return values.astype(dtype)


def close(result, expected, k):
    return np.allclose(result, expected, rtol=0, atol=8 * (k + 2) * np.finfo(expected.dtype).eps)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("extents", [(1, 1, 1), (30, 20, 50), (64, 3, 200), (5, 7, 0)])
def test_the_operator_and_numpy_matmul_are_numpys(dtype, extents):
    m, n, k = extents
    a, b = random_matrix((m, k), dtype, 1), random_matrix((k, n), dtype, 2)
    x, y = atoll.from_numpy(a), atoll.from_numpy(b, distribution=atoll.block_cyclic((8, 4)))
    for product in (x @ y, np.matmul(x, y)):
        assert product.dtype == np.dtype(dtype)
        assert close(product[...], a @ b, k)
        atoll.sync()


FORMS = {"N": lambda x: x, "T": lambda x: x.T, "C": lambda x: x.conj(), "H": lambda x: x.conj().T}


@pytest.mark.parametrize("a_form", FORMS)
@pytest.mark.parametrize("b_form", FORMS)
def test_forms_patches_and_scalars(a_form, b_form):
    a = random_matrix((40, 40), "complex128", 3)
    b = random_matrix((40, 40), "complex128", 4)
    c = random_matrix((30, 30), "complex128", 5)
    x, y, z = atoll.from_numpy(a), atoll.from_numpy(b).mirror(), atoll.from_numpy(c)
    part = np.s_[5:25, 10:30]
    left, right = FORMS[a_form](x.at[:20, 20:]), FORMS[b_form](y.at[3:23, 7:27])
    atoll.matmul(left, right, z.at[part], alpha=2j, beta=0.5)
    expected = c.copy()
    product = FORMS[a_form](a[:20, 20:]) @ FORMS[b_form](b[3:23, 7:27])
    expected[part] = 2j * product + 0.5 * c[part]
    assert close(z[...], expected, 20)
    atoll.sync()


def test_types_are_promoted_as_numpy_does():
    a, b = random_matrix((6, 5), "float32", 6), random_matrix((5, 4), "complex128", 7)
    product = atoll.from_numpy(a) @ atoll.from_numpy(b)
    assert product.dtype == np.complex128
    assert close(product[...], a @ b, 5)
    atoll.sync()


def test_a_new_result_has_the_extents_of_the_patches():
    a = atoll.ones((4, 6))
    result = atoll.matmul(a.at[1:3], a.at[..., :].T)
    assert result.shape == (2, 4)
    assert (result[...] == 6).all()
    atoll.sync()


def test_what_cannot_be_is_refused():
    a = atoll.ones((3, 4))
    with pytest.raises(ValueError, match=r"op\(a\) is 3 x 4, op\(b\) is 3 x 4"):
        a @ a
    with pytest.raises(IndexError, match="step one"):
        atoll.matmul(a.at[::2], a.at[...].T)
    with pytest.raises(ValueError, match=r"without \.T"):
        atoll.matmul(a.at[...].T, a, atoll.ones((4, 4)).at[...].T)
    with pytest.raises(ValueError, match="given as out"):
        atoll.matmul(a, a.at[...].T, beta=1)
    square = atoll.ones((3, 3))
    with pytest.raises(ValueError, match="a factor, too"):
        atoll.matmul(square, square, square)
    with pytest.raises(TypeError, match="b is 'x'"):
        a @ "x"
