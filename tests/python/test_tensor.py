"""Contractions by index letters, beside NumPy's."""

import atoll
import atoll.tensor
import numpy as np
import pytest
from atoll.tensor import tasks
from atoll.tensor.contraction import einsum

LETTERS = [
    ("ij,jk->ik", (5, 7), (7, 6)),
    ("ij,jk->ki", (5, 7), (7, 6)),
    ("ji,kj->ik", (7, 5), (6, 7)),
    ("ji,jk->ki", (7, 5), (7, 6)),
    ("kj,ij->ik", (6, 7), (5, 7)),
    ("ij,jk->ij", (5, 7), (7, 6)),  # no product of matrices
    ("i,ij->", (5,), (5, 7)),  # the second is the larger one
    ("ij,jk", (5, 7), (7, 6)),  # the result's letters are implied
    ("bij,bjk->bik", (3, 4, 5), (3, 5, 6)),
    ("ijb,kjb->bki", (4, 5, 3), (6, 5, 3)),
    ("ijab,kcjb->ikac", (3, 4, 5, 2), (6, 3, 4, 2)),  # amplitudes with integrals
    ("ij,kl->ikjl", (2, 3), (4, 5)),  # nothing is summed
    ("ij,ij->ij", (8, 3), (8, 3)),
    ("ij,ij->i", (8, 3), (8, 3)),  # the result is smaller than its operands
    ("ijk,jk->i", (9, 4, 5), (4, 5)),
    ("ij,ij->", (8, 3), (8, 3)),
    ("ij,kl->", (3, 2), (4, 5)),  # letters of one operand alone
    ("ija,ab->bj", (3, 4, 5), (5, 2)),  # i is summed in the first alone
    ("i,j->ji", (7,), (5,)),
    ("i,i->", (7,), (7,)),
    ("ijk->kij", (3, 4, 5)),
    ("ijk->j", (3, 4, 5)),
    ("ij->", (3, 4)),
    ("ij,jk,kl->il", (4, 5), (5, 6), (6, 3)),
    ("pi,qj,pqrs,rk,sl->ijkl", (5, 3), (5, 3), (5, 5, 5, 5), (5, 2), (5, 2)),
    ("i,j,k->ijk", (3,), (4,), (5,)),
    ("ij,jk,kl->", (4, 5), (5, 6), (6, 3)),
]
TYPES = [np.float64, np.float32, np.complex128, np.int64]


def values(shape, dtype, seed):
    random = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "i":
        return random.integers(-9, 9, shape).astype(dtype)
    real = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        return (real + 1j * random.standard_normal(shape)).astype(dtype)
    return real.astype(dtype)


def distributed(shape, dtype, seed):
    there = values(shape, dtype, seed)
    return atoll.from_numpy(there), there


def operands(shapes, dtype):
    """Give arrays of these shapes, distributed and as NumPy's."""
    there = [values(shape, dtype, 7 + i) for i, shape in enumerate(shapes)]
    return [atoll.from_numpy(x) for x in there], there


def contents(result):
    return result[...] if isinstance(result, atoll.Array) else result


def assert_close(found, expected):
    precision = 1e-5 if np.dtype(expected.dtype) == np.float32 else 1e-12
    np.testing.assert_allclose(found, expected, rtol=precision, atol=precision * 100)


@pytest.fixture
def small_patches(monkeypatch):
    """Patches of few elements, so that small arrays are cut."""
    monkeypatch.setattr("atoll.tensor.contraction.MOST_ELEMENTS", 8)
    monkeypatch.setattr(tasks, "LEAST_INNER", 2)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("case", LETTERS, ids=lambda case: case[0])
def test_contractions_are_those_of_numpy(case, dtype):
    subscripts, *shapes = case
    arrays, there = operands(shapes, dtype)
    found = contents(einsum(subscripts, *arrays))
    assert np.asarray(found).dtype == np.dtype(dtype)
    assert_close(found, np.einsum(subscripts, *there))


@pytest.mark.parametrize("case", LETTERS, ids=lambda case: case[0])
def test_what_is_cut_into_many_patches_is_the_same(case, small_patches):
    subscripts, *shapes = case
    arrays, there = operands(shapes, np.float64)
    assert_close(contents(einsum(subscripts, *arrays)), np.einsum(subscripts, *there))


@pytest.mark.parametrize(
    "cut",
    [
        lambda: atoll.block_cyclic((2, 3)),
        lambda: atoll.tiled((3, 2)),
        lambda: atoll.irregular([[0, 5], [0]]),
    ],
    ids=["block_cyclic", "tiled", "irregular"],
)
def test_any_distribution_of_operands_and_result(cut):
    if atoll.size() < 2:
        pytest.skip("the irregular cut is for two ranks and more")
    there = [values((11, 9), np.float64, 1), values((9, 13), np.float64, 2)]
    a, b, out = (atoll.zeros(shape, distribution=cut()) for shape in [(11, 9), (9, 13), (13, 11)])
    if atoll.rank() == 0:
        a[...], b[...] = there
    atoll.sync()
    assert einsum("ij,jk->ki", a, b, out=out) is out
    assert_close(out[...], np.einsum("ij,jk->ki", *there))


@pytest.mark.parametrize("subscripts", ["ij,jk->ik", "ij,jk->i"])  # written, added
def test_factors_of_sum_and_result(subscripts):
    a, a_there = distributed((5, 7), np.float64, 1)
    b, b_there = distributed((7, 6), np.float64, 2)
    shape = np.einsum(subscripts, a_there, b_there).shape
    out, out_there = distributed(shape, np.float64, 3)
    einsum(subscripts, a, b, out=out, alpha=-2, beta=0.5)
    expected = -2 * np.einsum(subscripts, a_there, b_there) + 0.5 * out_there
    assert_close(out[...], expected)
    out.fill(np.nan)
    einsum(subscripts, a, b, out=out)  # old contents do not count
    assert_close(out[...], np.einsum(subscripts, a_there, b_there))


def test_what_others_have_put_before_the_call_counts():
    a, b = atoll.zeros((6, 6)), atoll.zeros((6, 6))
    if atoll.rank() == atoll.size() - 1:
        a[...] = 1.0
        b[...] = 2.0
    assert_close(einsum("ij,jk->ik", a, b)[...], np.full((6, 6), 12.0))


def test_sums_over_nothing_are_zero():
    a, b = atoll.zeros((4, 0)), atoll.zeros((0, 3))
    out = atoll.ones((4, 3))
    einsum("ij,jk->ik", a, b, out=out, beta=2)
    assert_close(out[...], np.full((4, 3), 2.0))
    assert einsum("ij,jk->", a, b) == 0


def test_on_a_group_of_some_ranks():
    group = atoll.world().split(atoll.rank() % 2)
    there = values((5, 4), np.float64, 3 + atoll.rank() % 2)
    a = atoll.zeros((5, 4), group=group)
    if group.rank == 0:
        a[...] = there
    group.sync()
    assert_close(einsum("ij,kj->ik", a, a)[...], there @ there.T)


WRONG = [
    (lambda a: einsum("ij,jk->ik", a), ValueError, "2 operands, but 1"),
    (lambda a: einsum("ijk,jk->ik", a, a), ValueError, "3 letters"),
    (lambda a: einsum("ii->i", a), ValueError, "stands twice"),
    (lambda a: einsum("ij->k", a), ValueError, "'k' of the result"),
    (lambda a: einsum("i...->i", a), ValueError, "no letter"),
    (lambda a: einsum("ij,jk->ik", a, a), ValueError, "'j' runs to 4"),
    (lambda a: einsum(7, a), TypeError, "subscripts is 7"),
    (lambda a: einsum("ij->ji", a, out=a), ValueError, "out is operand 0"),
    (lambda a: einsum("ij->ji", a, out=atoll.zeros((3, 4))), ValueError, r"out has shape \(3, 4\)"),
    (lambda a: einsum("ij,ij->", a, a[...]), TypeError, "operand 1 is"),
    (lambda a: einsum("ij,ij->", a, a.astype(np.float32)), TypeError, "operand 1 is of float32"),
    (lambda a: einsum("ij->ji", a, beta=2), ValueError, "beta is 2"),
    (lambda a: einsum("ij->ji", a, alpha=1j), TypeError, "alpha is 1j"),
    (lambda a: einsum("ij->ji", a, alpha="x"), TypeError, "alpha is 'x'"),
    (lambda a: einsum("ij->ji", a.astype(int), alpha=0.5), TypeError, "alpha is 0.5"),
    (lambda a: einsum("ij->ji", a.astype(int), alpha=np.inf), TypeError, "alpha is inf"),
    (lambda a: einsum("ij,ij->", a, atoll.ones((3, 4), mirrored=True)), ValueError, "mirrored"),
    (lambda a: einsum("ij->ji", *[a][1:]), ValueError, "one operand"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), WRONG)
def test_wrong_arguments_are_named(call, kind, text):
    with pytest.raises(kind, match=text):
        call(atoll.ones((3, 4)))


def test_ranks_that_disagree_are_told():
    a = atoll.ones((3, 3))
    if atoll.size() == 1:
        pytest.skip("one rank agrees with itself")
    with pytest.raises(Exception, match="rank"):
        einsum("ij,jk->ik" if atoll.rank() == 0 else "ij,jk->ki", a, a)
    with pytest.raises(ValueError, match="letters"):
        einsum("ij->ji" if atoll.rank() == 0 else "ijk->ji", a)
    assert_close(einsum("ij,jk->ik", a, a)[...], np.full((3, 3), 3.0))  # and the next call is right
