"""Mirrored arrays against NumPy: every node's copy is modelled on every rank."""

import functools

import atoll
import numpy as np
import pytest

NODES = atoll.nodes()
NODE = atoll.node()


def shared(array, key, value):
    """Let one rank of the node store; then the node may read."""
    if array.group.rank == array.group.size - 1:
        array[key] = value
    array.group.sync()


def numbers(node, shape, dtype):
    """What a node's copy holds: small integers, whose sums are exact."""
    values = (np.arange(np.prod(shape)).reshape(shape) * 7 + node * 31) % 101 - 50
    return values.astype(dtype)


def test_a_mirror_has_the_contents_on_every_node(dtype):
    x = numbers(0, (50, 40), dtype)
    a = atoll.from_numpy(x, name="a")
    m = a.mirror()
    assert m.mirrored
    assert not a.mirrored
    assert m.group.nodes == 1
    assert m.whole_group.size == atoll.size()
    assert (m.shape, m.dtype, m.name) == (a.shape, a.dtype, "a")
    np.testing.assert_array_equal(m[...], x)
    assert "mirrored" in repr(m)


def test_creations_take_mirrored_and_leave_nothing_to_publish():
    x = np.arange(35.0).reshape(5, 7)
    made = [
        (atoll.zeros((5, 7), mirrored=True), np.zeros((5, 7))),
        (atoll.ones((5, 7), mirrored=True), np.ones((5, 7))),
        (atoll.full((5, 7), 3, mirrored=True), np.full((5, 7), 3)),
        (atoll.arange(2, 40, 3, mirrored=True), np.arange(2, 40, 3)),
        (atoll.eye(5, 7, 1, mirrored=True), np.eye(5, 7, 1)),
        (atoll.from_numpy(x, mirrored=True), x),
        (atoll.from_numpy(x if atoll.rank() == 0 else None, root=0, mirrored=True), x),
        (atoll.random((5, 7), 3, mirrored=True), atoll.random((5, 7), 3)[...]),
    ]
    for m, expected in made:
        assert m.mirrored
        np.testing.assert_array_equal(m[...], expected)
        m.publish()  # no conflict
        np.testing.assert_array_equal(m[...], expected)


@pytest.mark.parametrize("op", ["sum", "max", "min", "product"])
def test_merge_combines_the_copies(op):
    ufunc = {"sum": np.add, "max": np.maximum, "min": np.minimum, "product": np.multiply}[op]
    m = atoll.zeros((70, 50), dtype=int, mirrored=True)
    models = [np.zeros((70, 50), dtype=int) for _ in range(NODES)]
    for node, model in enumerate(models):
        model[node * 5 :] = numbers(node, (70, 50), int)[node * 5 :]
    shared(m, np.s_[NODE * 5 :], models[NODE][NODE * 5 :])
    expected = models[0]
    for model in models[1:]:
        expected = ufunc(expected, model)
    m.merge(op)
    np.testing.assert_array_equal(m[...], expected)


def test_merge_of_a_section_and_with_a_function():
    m = atoll.zeros((70, 50), mirrored=True)
    shared(m, ..., NODE + 1.0)
    total = NODES * (NODES + 1) / 2
    expected = np.full((70, 50), NODE + 1.0)
    m.at[10:60, 3:33].merge()
    expected[10:60, 3:33] = total
    np.testing.assert_array_equal(m[...], expected)
    atoll.sync()
    m.fill(NODE + 1.0)
    m.merge(lambda x, y: 10 * x + y)
    number = int("".join(str(node + 1) for node in range(NODES)))
    np.testing.assert_array_equal(m[...], np.full((70, 50), number))


def test_a_function_may_use_other_arrays():
    factors = atoll.full(1, 2.0, mirrored=True)
    m = atoll.ones((40, 40), mirrored=True)
    m.merge(lambda x, y: x + factors[0] * y)
    assert (m[...] == 2 * NODES - 1).all()


def test_a_function_may_take_its_turn_while_another_thread_reads_from_other_nodes():
    import threading

    m = atoll.ones((90, 90), mirrored=True)
    far = atoll.ones((300, 300))
    over = threading.Event()

    def combine(one, x, y):
        atoll.disk.private().close()  # a call that threads make one after the other
        return x + one[0] * y

    def read():
        while not over.is_set():
            assert (far[...] == 1).all()

    other = threading.Thread(target=read)
    other.start()
    for _ in range(20):
        m.fill(1.0)
        # The function is the last to hold this array, wherever it is let go.
        m.merge(functools.partial(combine, atoll.ones(1)))
    over.set()
    other.join()
    assert (m[...] == NODES).all()


def test_a_function_that_fails_raises_where_it_was_called():
    if NODES == 1:
        pytest.skip("needs two nodes")

    def fail(x, y):
        if len(x) == 1:  # asked what becomes of zeros
            return x
        raise ArithmeticError("no")

    m = atoll.ones((90, 90), mirrored=True)
    try:
        m.merge(fail)
        failed = 0
    except ArithmeticError:
        failed = 1
    assert atoll.world().reduce(failed, "max") == 1
    m.fill(1.0)
    m.merge()
    assert (m[...] == NODES).all()


def test_a_merge_goes_on_while_others_work():
    m = atoll.ones((300, 70), mirrored=True)
    other = atoll.ones(5, mirrored=True)
    pending = m.merge_begin()
    other.merge()
    while not pending.test():
        pass
    pending.wait()
    pending.wait()
    assert (m[...] == NODES).all()
    assert (other[...] == NODES).all()
    atoll.sync()
    m.fill(1.0)
    m.merge_begin()  # dropped
    m.merge()
    assert (m[...] == NODES * NODES).all()


def test_publish_spreads_writes_by_index_at_and_views():
    m = atoll.zeros((128, 64), mirrored=True)
    expected = np.zeros((128, 64))
    band = np.s_[NODE * 32 % 128 : NODE * 32 % 128 + 20, 5:9]
    for node in range(min(NODES, 4)):
        expected[node * 32 : node * 32 + 20, 5:9] = node + 1
    if NODE < 4:
        shared(m, band, NODE + 1)
    m.publish()
    np.testing.assert_array_equal(m[...], expected)
    atoll.sync()
    if NODE == 0:
        for (rows, columns), view in m.blocks():
            if rows.start <= 40 < rows.stop and columns.start <= 2 < columns.stop:
                view[40 - rows.start, 2 - columns.start] = 8
        m.group.sync()
    expected[40, 2] = 8
    m.publish()
    np.testing.assert_array_equal(m[...], expected)
    atoll.sync()
    if atoll.rank() == 0:
        m.at[3, [5, 6]] += 1
    expected[3, 5:7] += 1
    m.group.sync()
    m.publish()
    np.testing.assert_array_equal(m[...], expected)


def test_publish_names_the_tile_that_two_nodes_wrote():
    if NODES == 1:
        pytest.skip("needs two nodes")
    m = atoll.zeros((128, 64), mirrored=True, name="cache")
    if NODE < 2:
        shared(m, (40 + NODE, 7), 1.0)
    with pytest.raises(ValueError, match=r"tile \[32:64, 0:32\] was written on nodes 0 and 1"):
        m.publish()


def test_merge_into_and_copies_from_the_copies():
    m = atoll.zeros((20, 30), mirrored=True)
    m.at[2:8] += 1.0
    m.group.sync()
    d = atoll.full((20, 30), 9.0)
    expected = np.zeros((20, 30))
    expected[2:8] = atoll.size()
    m.merge_into(d)
    np.testing.assert_array_equal(d[...], expected)
    assert float(m.max()) == m.group.size
    atoll.sync()
    e = atoll.full((40, 40), 9.0)
    m.at[4:9, 2:6].merge_into(e.at[5:10, 1:5])
    whole = np.full((40, 40), 9.0)
    whole[5:10, 1:5] = expected[4:9, 2:6]
    np.testing.assert_array_equal(e[...], whole)
    m.merge()
    d.at[10:14].copy_from(m.at[6:10])
    expected_d = expected.copy()
    expected_d[10:14] = expected[6:10]
    np.testing.assert_array_equal(d[...], expected_d)
    m.copy_from(d)
    np.testing.assert_array_equal(m[...], expected_d)


def test_arithmetic_on_mirrored_arrays_is_the_nodes_own():
    a = atoll.full((9, 11), NODE + 1.0, mirrored=True)
    c = np.sqrt(2 * a + a) + 1
    assert c.mirrored
    np.testing.assert_allclose(c[...], np.sqrt(3 * (NODE + 1.0)) + 1)
    assert float(a.sum()) == 99 * (NODE + 1)
    assert a.T.mirrored
    assert a.copy().mirrored
    np.testing.assert_array_equal(a.astype(int)[...], np.full((9, 11), NODE + 1))
    d = atoll.zeros((9, 11))
    if atoll.nodes() > 1:
        with pytest.raises(ValueError, match="group"):
            a + d


def test_errors_say_what_was_expected():
    m = atoll.zeros((4, 4), dtype=int, mirrored=True)
    d = atoll.zeros((4, 4), dtype=int)
    with pytest.raises(ValueError, match="op is 'mean', expected 'sum', 'max', 'min'"):
        m.merge("mean")
    with pytest.raises(TypeError, match="op is"):
        m.merge(3)
    with pytest.raises(ValueError, match="not mirrored"):
        d.merge()
    with pytest.raises(NotImplementedError, match="copy on every node"):
        m.fetch_add((0, 0), 1)
    with pytest.raises(TypeError, match="complex"):
        atoll.zeros(3, dtype=complex, mirrored=True).merge("max")
    with pytest.raises(TypeError, match="float64"):
        m.merge_into(atoll.zeros((4, 4)))
