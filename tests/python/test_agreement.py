"""What fails on one rank of a collective call, and what ranks give that differs: all raise alike.

The last rank is the odd one. After each error the same arrays go on working, which they would not
where a rank had met once more or once less than the others.
"""

import operator
import re
import warnings

import atoll
import numpy as np
import pytest

ODD = atoll.rank() == atoll.size() - 1
SEVERAL = pytest.mark.skipif(atoll.size() == 1, reason="one rank agrees with itself")


def all_alike(call):
    """Call on all ranks; give the error that all have raised, or None, and see that all go on."""
    kind = text = ""
    try:
        call()
    except Exception as error:
        own = next(base for base in type(error).__mro__ if base.__module__ == "builtins")
        kind, text = own.__name__, str(error)
    kinds = set(atoll.world().mpi4py().allgather(kind))
    assert len(kinds) == 1, kinds
    assert int(atoll.world().reduce(1)) == atoll.size()
    a = atoll.arange(6)
    assert (np.asarray((a + a)[...]) == 2 * np.arange(6)).all()
    return (kind, text)


@pytest.mark.parametrize(
    "bad",
    ["x", None, object(), {}, np.ones(7), np.array(["x"]), 1j],
    ids=lambda b: type(b).__name__,
)
@pytest.mark.parametrize("in_place", [False, True])
def test_an_operand_that_one_rank_gets_wrong_raises_on_all(bad, in_place):
    a = atoll.ones(5)
    f = operator.iadd if in_place else operator.add
    kind, _ = all_alike(lambda: f(a, bad if ODD else 1.0))
    if isinstance(bad, complex) and not in_place and atoll.size() == 1:
        assert kind == ""
    else:
        assert kind in ("TypeError", "ValueError", "RuntimeError")
    assert (a[...] == 1).all()


@SEVERAL
def test_numpy_operands_of_other_shapes_on_one_rank():
    a = atoll.ones(6)
    kind, text = all_alike(lambda: a + np.ones(5 if ODD else 6))
    assert kind == "ValueError"
    assert "broadcast" in text


def test_an_errstate_of_one_rank_alone_raises_on_all():
    a, b = atoll.ones(9), atoll.zeros(9)

    def divide():
        with np.errstate(all="raise" if ODD else "ignore"):
            return a / b

    def power():
        with np.errstate(all="raise" if ODD else "ignore"):
            return np.power(b, -1.0)

    for call in (divide, power):
        kind, text = all_alike(call)
        assert kind == "FloatingPointError"
        assert "divide by zero" in text


def test_an_error_in_the_part_of_one_rank_raises_on_all_and_meetings_stay_in_step():
    exponents = np.zeros(4 * atoll.size(), int)
    exponents[-1] = -1  # an element of the last rank's
    a, b = atoll.ones(len(exponents), dtype=int), atoll.from_numpy(exponents)
    kind, text = all_alike(lambda: a**b)
    assert kind == "ValueError"
    assert "negative integer powers" in text
    counter = atoll.zeros(1, dtype=int)
    for _ in range(3):
        counter.at[0] += 1
        atoll.sync()
        assert counter[0] % atoll.size() == 0
        atoll.sync()


@SEVERAL
@pytest.mark.parametrize("name", ["add", "imul", "pow", "truediv"])
def test_numbers_that_differ_are_an_error_that_shows_them_and_their_lines(name):
    a = atoll.ones(5)
    mine = 3.25 if ODD else 2.25
    kind, text = all_alike(lambda: getattr(operator, name)(a, mine))
    assert kind == "RuntimeError"
    assert "3.25" in text
    assert "2.25" in text
    assert text.count("test_agreement.py:") == 2
    assert (a[...] == 1).all()


@SEVERAL
def test_numbers_that_differ_in_calls_of_the_core_show_values_and_lines():
    a = atoll.ones(5)
    kind, text = all_alike(lambda: a.fill(7.5 if ODD else 6.5))
    assert kind == "RuntimeError"
    assert "fill(<float64 (5,)>, 7.5)" in text
    assert "6.5" in text
    assert "test_agreement.py:" in text


@SEVERAL
def test_ranks_in_different_calls_are_all_told_which():
    a = atoll.ones(5)
    kind, text = all_alike(lambda: a.norm() if ODD else a.sum())
    assert kind == "RuntimeError"
    assert "norm" in text
    assert "sum" in text


@SEVERAL
def test_those_who_close_are_told_by_which_error_one_rank_has_left_the_block():
    def leave_and_go_on():
        try:
            with atoll.disk.shared(hard_limit=100) as file:
                file.write(np.zeros(20 if ODD else 10), offset=0)
        except OSError:
            atoll.world().sync()

    kind, text = all_alike(leave_and_go_on)
    assert kind == "RuntimeError"
    odd = text[text.index(f" rank {atoll.size() - 1} calls sync") :] if atoll.size() > 2 else text
    assert "having left the block of a SharedFile by OSError at test_agreement.py:" in odd
    assert "cannot exceed the hard limit of 100 bytes" in odd
    _, later = all_alike(lambda: atoll.ones(5).norm() if ODD else atoll.ones(5).sum())
    assert "OSError" not in later


@SEVERAL
def test_an_error_that_all_have_met_is_no_reason_for_a_later_one():
    def leave():
        with atoll.ones(9) as a:
            a.fill("x" if ODD else 1.0)

    assert all_alike(leave)[0] in ("TypeError", "ValueError")
    _, later = all_alike(lambda: atoll.ones(5).norm() if ODD else atoll.ones(5).sum())
    assert "having left" not in later


def test_out_on_a_group_of_another_order_is_refused():
    group = atoll.world().create(range(atoll.size())[::-1])
    a, b = atoll.arange(1, 9), atoll.zeros(8, dtype=int, group=group)
    if atoll.size() == 1:
        np.add(a, 1, out=a)
        return
    kind, text = all_alike(lambda: np.add(a, 1, out=b))
    assert kind == "ValueError"
    assert "same group" in text
    assert (b[...] == 0).all()


def test_arrays_are_compared_element_by_element_and_hashed_by_identity():
    a, x = atoll.arange(4.0), np.arange(4.0)
    for mine, theirs in (
        (a == a.copy(), x == x),
        (a == 2, x == 2),
        (a != 0, x != 0),
        (a < 1, x < 1),
        (a <= 1, x <= 1),
        (a.at[:2] == a.at[2:], x[:2] == x[2:]),
        (np.equal(a, x), x == x),
    ):
        assert mine.dtype == bool
        np.testing.assert_array_equal(mine[...], theirs)
    assert (a == "x") is False
    assert (a != None) is True  # noqa: E711  # what Python says of objects that know no better
    assert {a: 1}[a] == 1


@SEVERAL
def test_one_rank_that_compares_while_others_add_raises_on_all():
    a = atoll.ones(4)
    kind, text = all_alike(lambda: a == 0 if ODD else a + 1)
    assert kind == "RuntimeError"
    assert "equal" in text


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda a: a.norm(2), ["kind", "2"]),
        (lambda _: atoll.random(3, seed=-1), ["seed", "-1"]),
        (lambda a: a.fill(None), ["value", "None"]),
        (lambda _: atoll.world().split(colour=None), ["colour", "None"]),
        (lambda a: a.scale("x"), ["value", "'x'"]),
        (lambda _: atoll.zeros("abc"), ["shape", "'abc'"]),
        (lambda a: a.sum(axis="x"), ["axis", "x"]),
        (lambda _: atoll.Counter("x"), ["first", "'x'"]),
        (lambda _: atoll.world().reduce(1, op=3), ["op", "3"]),
    ],
)
def test_bad_arguments_are_named_with_their_values(call, words):
    a = atoll.ones(4)
    kind, text = all_alike(lambda: call(a))
    assert kind in ("TypeError", "ValueError")
    assert "incompatible function arguments" not in text
    for word in words:
        assert word in text
    if atoll.size() > 1:
        assert all_alike(lambda: call(a) if ODD else a.sum())[0] == kind


NOT_THESE = [
    (lambda k: atoll.zeros(3, **k), {"group": 1}),
    (lambda k: atoll.zeros((2, 3), **k), {"distribution": "rows"}),
    (lambda k: atoll.full(3, 1.0, **k), {"name": 5}),
    (lambda k: atoll.ones([2, 3], **k), {"mirrored": "yes"}),
    (lambda k: atoll.random(3, **k), {"group": "all"}),
    (lambda k: atoll.eye(3, **k), {"distribution": (1, 2)}),
    (lambda k: atoll.from_numpy(np.ones(3), **k), {"group": 2.5}),
    (lambda k: atoll.Array(3, **k), {"zero": "no"}),
    (lambda k: atoll.blocked(**k), {"halo": 2**70}),
    (lambda k: atoll.tiled(3, **k), {"grid": "22"}),
    (lambda k: atoll.ones(3).accumulate(0, 1.0, **k), {"alpha": 1j}),
    (lambda k: atoll.ones(3).at[0].add(1.0, **k), {"alpha": 1j}),
    (lambda k: atoll.ones(3).block(**k), {"rank": 2**40}),
    (lambda k: atoll.block_matmul(*[atoll.ones((2, 2))] * 2, *[[0]] * 3, **k), {"keep": "all"}),
    (lambda k: atoll.ones(3).duplicate(**k), {"name": 7}),
]


@pytest.mark.parametrize(("call", "wrong"), NOT_THESE, ids=lambda v: str(v) if v is dict else None)
def test_of_all_arguments_the_wrong_one_alone_is_accused(call, wrong):
    with pytest.raises((TypeError, ValueError, OverflowError)) as told:
        call(wrong)
    (name, value), *_ = wrong.items()
    text = str(told.value).split("; in ")[0]
    assert name in text, text
    assert str(value) in text, text
    others = {
        "shape",
        "dtype",
        "group",
        "distribution",
        "name",
        "mirrored",
        "zero",
        "key",
        "a",
        "b",
    }
    accused = set(re.findall(r"\b(\w+) is ", text)) & others
    assert accused <= {name}, text


def test_warnings_name_the_line_of_the_program():
    a, zero = atoll.ones(4), atoll.zeros(4)
    calls = (
        lambda: a / zero,
        lambda: np.log(zero - 1),
        lambda: np.divide(a, np.zeros(4)),
        lambda: a.astype(int) // 0,
        lambda: atoll.algebra.divide(a.astype(int), zero.astype(int), zero.astype(int)),
    )
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert len(caught) == 1, [str(w.message) for w in caught]
        assert caught[0].filename == __file__


@SEVERAL
def test_a_merge_that_one_rank_gets_wrong_raises_on_all():
    m = atoll.ones((4, 4), mirrored=True)
    kind, _ = all_alike(lambda: m.merge("middle" if ODD else "sum"))
    assert kind == "ValueError"
    m.merge("max")
    assert (m[...] == 1).all()


@SEVERAL
def test_operands_that_differ_are_compared_in_check_mode(monkeypatch):
    from atoll import _core

    monkeypatch.setattr(_core, "checks", lambda: True)
    a = atoll.ones(3)
    kind, _ = all_alike(lambda: a + np.array([1.0, 2.0, 4.0 if ODD else 3.0]))
    assert kind == "RuntimeError"
