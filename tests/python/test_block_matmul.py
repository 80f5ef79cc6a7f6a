"""Block-sparse products and norms of blocks against NumPy."""

import atoll
import numpy as np
import pytest

TYPES = ["float32", "float64", "complex64", "complex128"]
FORMS = {"N": lambda x: x, "T": lambda x: x.T, "C": lambda x: x.conj(), "H": lambda x: x.conj().T}


def random_matrix(shape, dtype, seed):
    random = np.random.default_rng(seed)
    values = random.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.uniform(-1, 1, shape)
    return values.astype(dtype)


def blocks_of(cuts, extent):
    return np.searchsorted(cuts, np.arange(extent), side="right") - 1


def norms_of(a, rows, columns):
    by_rows = np.split(a.astype("complex128"), rows[1:])
    return np.array(
        [[np.linalg.norm(x) for x in np.split(y, columns[1:], axis=1)] for y in by_rows]
    )


def screened(a, b, cuts, keep):
    """The product of the pairs that `keep` says count."""
    rows, columns, inner = map(blocks_of, cuts, (a.shape[0], b.shape[1], a.shape[1]))
    mask = keep[rows[:, None, None], columns[None, :, None], inner[None, None, :]]
    return np.einsum("il,lj,ijl->ij", a, b, mask)


CUTS = [0, 7, 7, 19, 25], [0, 4, 26], [0, 1, 12, 20, 31]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("forms", ["NN", "TN", "CH", "HT"])
def test_a_mask_says_which_pairs_count(dtype, forms):
    a, b = random_matrix((30, 40), dtype, 1), random_matrix((40, 27), dtype, 2)
    c = random_matrix((30, 27), dtype, 3)
    keep = np.random.default_rng(4).uniform(size=(5, 3, 5)) < 0.4
    x = atoll.from_numpy(FORMS[forms[0]](a), distribution=atoll.tiled((8, 5)))
    y, z = atoll.from_numpy(FORMS[forms[1]](b)), atoll.from_numpy(c)
    left, right = FORMS[forms[0]](x.at[...]), FORMS[forms[1]](y.at[...])
    result, count = atoll.block_matmul(left, right, *CUTS, z, keep=keep, alpha=2, beta=0.5)
    assert result is z
    expected = 2 * screened(a, b, CUTS, keep) + c / 2
    assert np.allclose(z[...], expected, rtol=0, atol=400 * np.finfo(c.dtype).eps)
    assert count.pairs == 4 * 3 * 5  # the block of no rows is none
    assert count.multiplied == keep[[0, 2, 3, 4]].sum()
    atoll.sync()


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_threshold_skips_small_pairs(mirrored):
    i, j = np.indices((60, 60))
    a = random_matrix((60, 60), "float64", 5) * np.exp(-abs(i - j) / 2.0)
    x, y = atoll.from_numpy(a), atoll.from_numpy(a)
    if mirrored:
        x = x.mirror()
    cuts = np.arange(0, 60, 6)
    norms = norms_of(a, cuts, cuts)
    keep = norms[:, None, :] * norms.T[None, :, :] > 1e-4
    c, count = atoll.block_matmul(x, y, cuts, cuts, cuts, threshold=1e-4)
    assert 0 < count.multiplied < count.pairs / 2
    assert count.multiplied == keep.sum()
    assert np.allclose(c[...], screened(a, a, (cuts, cuts, cuts), keep), rtol=0, atol=1e-12)
    assert abs(c[...] - a @ a).max() < 10 * 1e-4
    atoll.sync()


def test_norms_of_patches_in_their_form():
    a = random_matrix((30, 40), "complex64", 6)
    x = atoll.from_numpy(a, distribution=atoll.block_cyclic((7, 3)))
    norms = atoll.block_norms(x.at[3:20, 10:].T.conj(), [0, 5], [0, 5, 5, 11])
    assert norms.shape == (2, 4)
    assert np.allclose(norms, norms_of(a[3:20, 10:].conj().T, [0, 5], [0, 5, 5, 11]))
    integers = atoll.full((4, 4), 3, dtype="int64")
    assert np.allclose(atoll.block_norms(integers, [0], [0, 2]), 3 * 8**0.5)
    atoll.sync()


def test_matrices_without_elements():
    a, b = atoll.ones((0, 5)), atoll.ones((5, 3))
    c, count = atoll.block_matmul(a, b, [], [0], [0, 2])
    assert c.shape == (0, 3)
    assert count.pairs == 0
    assert atoll.block_norms(a, [], [0, 2]).shape == (0, 2)
    atoll.sync()


def test_what_cannot_be_is_refused():
    a = atoll.ones((4, 4))
    with pytest.raises(ValueError, match=r"cuts.rows\[1\] is 5, expected at most the extent 4"):
        atoll.block_matmul(a, a, [0, 5], [0], [0])
    with pytest.raises(ValueError, match="threshold is -1"):
        atoll.block_matmul(a, a, [0], [0], [0], threshold=-1)
    with pytest.raises(ValueError, match=r"keep has shape \(1, 1, 2\), expected \(1, 1, 1\)"):
        atoll.block_matmul(a, a, [0], [0], [0], keep=[[[True, False]]])
    with pytest.raises(TypeError, match="columns holds float64"):
        atoll.block_matmul(a, a, [0], [0.5], [0])
    with pytest.raises(ValueError, match="given as out"):
        atoll.block_matmul(a, a, [0], [0], [0], beta=1)
    integers = atoll.ones((4, 4), dtype="int64")
    with pytest.raises(TypeError, match="int64"):
        atoll.block_matmul(integers, integers, [0], [0], [0])
    with pytest.raises(ValueError, match="column_cuts is empty"):
        atoll.block_norms(a, [0], [])
