"""Pickles and copies of layouts, their text as Python; groups of mpi4py's, what these exchange."""

import copy
import pickle

import atoll
import numpy as np
import pytest
from mpi4py import MPI

LAYOUTS = [
    atoll.blocked(),
    atoll.blocked(3),
    atoll.blocked((2, 0), halo=1),
    atoll.irregular([[0], [0]], halo=(1, 2)),
    atoll.block_cyclic((2, 3), (1, atoll.size())),
    atoll.tiled((2, 3)),
]
several = pytest.mark.skipif(atoll.size() == 1, reason="one rank agrees with itself")


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_layouts_are_copied_pickled_and_written_as_python(layout):
    evaluated = eval(repr(layout), {"atoll": atoll})
    for same in (copy.copy(layout), copy.deepcopy(layout), evaluated):
        assert same == layout
        assert hash(same) == hash(layout)
    assert pickle.loads(pickle.dumps(layout)) == layout
    others = [other for other in LAYOUTS if other is not layout]
    assert all(other != layout for other in others)


@pytest.mark.parametrize("layout", [LAYOUTS[0], *LAYOUTS[2:]], ids=str)
def test_distributions_are_too_and_cut_the_same(layout):
    a = atoll.zeros((5, 7), distribution=layout)
    cut = a.distribution
    for same in (
        copy.deepcopy(cut),
        pickle.loads(pickle.dumps(cut)),
        eval(repr(cut), {"atoll": atoll}),
        atoll.Distribution(layout, (5, 7), atoll.size()),
    ):
        assert same == cut
        assert hash(same) == hash(cut)
        assert same.layout == layout
        assert [same.patches(r) for r in range(cut.ranks)] == [
            cut.patches(r) for r in range(cut.ranks)
        ]
    b = atoll.zeros((5, 7), distribution=pickle.loads(pickle.dumps(layout)))
    assert b.distribution == cut


def test_a_group_is_made_of_a_communicator_and_given_back_as_one(world):
    comm = world.mpi4py()
    reverse = comm.Split(0, -comm.rank)
    group = atoll.Group.from_mpi4py(reverse)
    assert (group.rank, group.size) == (reverse.rank, reverse.size)
    assert [group.world_rank(r) for r in range(group.size)] == list(range(world.size))[::-1]
    assert MPI.Comm.Compare(group.mpi4py(), reverse) == MPI.CONGRUENT
    with atoll.use_group(group):
        a = atoll.arange(10)
    assert int(a.sum()) == 45
    half = comm.Split(comm.rank % 2)
    part = atoll.Group.from_mpi4py(half)  # each half for itself
    assert part.size == half.size
    assert int(part.reduce(1)) == half.size
    reverse.Free()
    half.Free()


@pytest.mark.parametrize("wrong", [None, 3])
def test_what_is_no_communicator_is_refused(wrong):
    with pytest.raises(TypeError, match="comm"):
        atoll.Group.from_mpi4py(wrong)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "complex128", "bool", "U3"])
def test_values_are_gathered_and_exchanged(world, dtype):
    mine = np.array([[world.rank, 1], [2, 3]]).astype(dtype)
    everything = np.array([[[r, 1], [2, 3]] for r in range(world.size)]).astype(dtype)
    assert (world.allgather(mine) == everything).all()
    root = world.size - 1
    gathered = world.gather(mine, root)
    assert (gathered == everything).all() if world.rank == root else gathered is None
    rows = np.array([10 * world.rank + r for r in range(world.size)]).astype(dtype)
    exchanged = np.array([10 * r + world.rank for r in range(world.size)]).astype(dtype)
    assert (world.alltoall(rows) == exchanged).all()
    assert world.allgather(5).tolist() == [5] * world.size
    assert world.allgather(np.empty((0, 2))).shape == (world.size, 0, 2)


def test_scans_are_of_the_members_up_to_me(world):
    so_far = range(1, world.rank + 2)
    assert world.scan(world.rank + 1) == sum(so_far)
    assert world.scan(float(world.rank + 1), "product") == np.prod(list(so_far))
    assert (world.scan([world.rank, -world.rank], "max") == [world.rank, 0]).all()
    assert (world.scan(np.array([world.rank], np.uint8), "min") == [0]).all()
    for op, value in (("mean", 1), ("max", 1j), ("sum", "x")):
        with pytest.raises((TypeError, ValueError), match=r"scan|op is"):
            world.scan(value, op)


@several
def test_members_that_give_other_shapes_are_told(world):
    with pytest.raises(RuntimeError, match="allgather"):
        world.allgather(np.zeros(1 + (world.rank == 0)))
    with pytest.raises(ValueError, match=r"expected .* rows"):
        world.alltoall(np.zeros(world.size + 1))


def test_a_layout_with_a_halo_alone_is_written_so_that_it_evaluates():
    layout = atoll.blocked(halo=1)
    assert eval(repr(layout), {"atoll": atoll}) == layout


def test_complex_numbers_are_no_real_ones():
    for array in atoll.full((), 3 + 4j), atoll.full(1, 3 + 4j):
        with pytest.raises(TypeError, match="is no real number"):
            float(array)
        with pytest.raises(TypeError, match="is no real number"):
            int(array)
        assert complex(array) == 3 + 4j
