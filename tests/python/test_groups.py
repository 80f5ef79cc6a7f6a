"""Groups, nodes, collectives among ranks, the default group, Counter."""

import atoll
import numpy as np
import pytest


def test_the_world_knows_ranks_and_nodes(world):
    assert (world.rank, world.size) == (atoll.rank(), atoll.size())
    assert len(world) == world.size
    assert 0 <= world.node < world.nodes == atoll.nodes()
    assert world.node == atoll.node() == world.node_of(world.rank)
    expected = [r for r in range(world.size) if world.node_of(r) == world.node]
    assert world.node_ranks == expected
    assert [r for r in range(world.size) if world.same_node(r)] == expected
    for rank in range(world.size):
        assert world.world_rank(rank) == world.rank_of_world(rank) == rank
    with pytest.raises(IndexError):
        world.node_of(world.size)
    assert f"rank {world.rank} of {world.size}" in repr(world)


@pytest.mark.parametrize("kind", ["bool", "uint8", "int32", "float64", "complex64", "U5", "S3"])
def test_broadcast_of_arrays_of_any_plain_type(world, kind):
    for root in range(world.size):
        source = np.array([[0, 1, 2], [3, 4, 5]]).astype(kind)[:, ::2]
        result = world.broadcast(source if world.rank == root else None, root)
        assert result.dtype == source.dtype
        np.testing.assert_array_equal(result, source)


def test_broadcast_of_numbers_and_empty_arrays(world):
    assert float(world.broadcast(2.5)) == 2.5
    assert world.broadcast(np.zeros((0, 3)) if world.rank == 0 else None).shape == (0, 3)


def test_broadcast_of_objects_raises_on_every_rank(world):
    with pytest.raises(TypeError, match="object"):
        world.broadcast(object() if world.rank == 0 else None)
    with pytest.raises(ValueError, match="root"):
        world.broadcast(1, world.size)


@pytest.mark.parametrize("shape", [(), (4,), (2, 0), (3, 5)])
def test_reduce(world, dtype, shape):
    mine = np.full(shape, world.rank + 1, dtype)
    everyone = np.arange(1, world.size + 1)
    operations = {"sum": np.sum, "product": np.prod, "min": np.min, "max": np.max}
    for name, f in operations.items():
        if dtype.kind == "c" and name in ("min", "max"):
            with pytest.raises(TypeError):
                world.reduce(mine, name)
            continue
        result = world.reduce(mine, name)
        assert result.dtype == dtype
        np.testing.assert_array_equal(result, np.full(shape, f(everyone), dtype))
    assert (mine == world.rank + 1).all()


def test_reduce_of_python_numbers_and_bad_arguments(world):
    assert world.reduce(1) == world.size
    assert world.reduce(0.5) == world.size / 2
    with pytest.raises(ValueError):
        world.reduce(1, "average")
    with pytest.raises(TypeError):
        world.reduce(np.zeros(3, "M8[s]"))
    mine = np.arange(3) == world.rank
    np.testing.assert_array_equal(world.reduce(mine), np.arange(3) < world.size)


def test_split_makes_groups_in_the_order_of_keys(world):
    group = world.split(colour=world.rank % 2, key=-world.rank)
    expected = [r for r in range(world.size) if r % 2 == world.rank % 2][::-1]
    assert [group.world_rank(i) for i in range(group.size)] == expected
    assert group.rank_of_world(world.rank) == group.rank == expected.index(world.rank)
    assert int(group.reduce(1)) == group.size
    assert world.split(-1) is None


def test_create_makes_a_group_of_the_named_ranks(world):
    ranks = list(range(world.size))[::-2]
    group = world.create(ranks)
    assert (group is not None) == (world.rank in ranks)
    if group is not None:
        assert group.rank == ranks.index(world.rank)
        total = group.reduce(np.array([world.rank]))
        assert total.tolist() == [sum(ranks)]


def test_arrays_live_on_the_group_they_are_given(world):
    group = world.split(world.rank % 2)
    a = atoll.full(10, world.rank % 2, group=group)
    assert a.group == group
    assert a[...].tolist() == [world.rank % 2] * 10
    group.sync()
    a.at[3] += 1
    group.sync()
    assert a[3] == world.rank % 2 + group.size
    assert a.sum() == 10 * (world.rank % 2) + group.size
    (a + a).destroy()


def test_arrays_of_different_groups_do_not_mix(world):
    group = world.split(0)
    with pytest.raises(ValueError, match="same group"):
        atoll.ones(4) + atoll.ones(4, group=group)


def test_use_group_sets_the_default(world):
    group = world.split(world.rank % 2)
    with atoll.use_group(group) as same:
        assert same == group == atoll.default_group()
        assert atoll.size() == group.size
        a = atoll.zeros(3)
        tasks = atoll.Counter()
        assert atoll.default_group().reduce(sum(tasks.below(10))) == 45
    assert a.group == group
    assert atoll.default_group() == world
    with pytest.raises(RuntimeError, match="boom"), atoll.use_group(group):
        raise RuntimeError("boom")
    assert atoll.default_group() == world
    with pytest.raises(TypeError), atoll.use_group(None):
        pass


def test_groups_compare_and_hash_by_identity(world):
    again = atoll.world()
    assert world == again
    assert hash(world) == hash(again)
    assert world != world.split(0)
    assert world != "world"


def test_barrier_fence_and_sync(world):
    atoll.barrier()
    atoll.fence()
    for rank in range(world.size):
        atoll.fence(rank)
    atoll.sync()
    with pytest.raises(IndexError):
        atoll.fence(world.size)


def test_counter_hands_out_every_task_once(world):
    tasks = atoll.Counter()
    done = np.zeros(1000, int)
    for task in tasks.below(1000):
        done[task] += 1
    assert (world.reduce(done) == 1).all()
    assert tasks.value >= 1000
    atoll.sync()
    tasks.reset(5)
    assert tasks.value == 5
    atoll.sync()
    sums = world.reduce(sum(tasks.below(105, increment=10)))
    assert sums == sum(range(5, 105, 10))


def test_counter_of_a_group_and_its_first_value(world):
    group = world.split(world.rank % 2)
    counter = atoll.Counter(100, group=group)
    mine = [counter.next() for _ in range(3)]
    assert group.reduce(min(mine), "min") == 100
    assert group.reduce(max(mine), "max") == 100 + 3 * group.size - 1


def test_mpi4py_shares_the_communicator(world):
    mpi = pytest.importorskip("mpi4py.MPI")
    communicator = world.mpi4py()
    assert communicator.Get_size() == world.size
    assert communicator.allreduce(1, mpi.SUM) == world.size


def test_describe_names_what_runs():
    text = atoll.describe()
    assert f"ranks: {atoll.size()}" in text
    assert f"nodes: {atoll.nodes()}" in text
