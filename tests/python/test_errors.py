"""Wrong arguments raise the matching built-in: one-sided calls on the rank that asked, collective
calls on all. Afterwards everything goes on."""

import atoll
import numpy as np
import pytest


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (4, "index 4 is out of bounds for axis 0 with size 4"),
        ((0, -6), "index -6 is out of bounds for axis 1 with size 5"),
        ((0, 0, 0), "too many indices for array: array is 2-dimensional, but 3 were indexed"),
        ((..., ...), "single ellipsis"),
    ],
)
def test_bad_indices_have_numpys_text(key, message):
    a = atoll.zeros((4, 5))
    reference = np.zeros((4, 5))
    for array in (reference, a):
        with pytest.raises(IndexError, match=message):
            array[key]
        with pytest.raises(IndexError, match=message):
            array[key] = 1


def test_only_the_rank_that_asks_sees_the_error():
    a = atoll.zeros(4)
    if atoll.rank() == atoll.size() - 1:
        with pytest.raises(IndexError):
            a[9]
    atoll.sync()
    assert a[3] == 0


def test_a_step_of_zero_and_deletion_are_refused():
    a = atoll.zeros(4)
    with pytest.raises(ValueError, match="zero"):
        a[::0]
    with pytest.raises(TypeError):
        del a[0]


@pytest.mark.parametrize("value", [np.zeros(3), np.zeros((2, 4)), [1, 2, 3], np.zeros((5, 1, 1))])
def test_values_that_do_not_fit(value):
    a = atoll.zeros((4, 5))
    with pytest.raises(ValueError, match=r"could not broadcast input array from shape .* \(4,5\)"):
        a[...] = value


@pytest.mark.parametrize("value", ["text", None, object(), np.array(["x"]), {"a": 1}])
def test_values_that_are_no_numbers(value):
    a = atoll.zeros((4, 5))
    with pytest.raises(TypeError):
        a[0, 0] = value


def test_an_array_does_not_turn_into_a_numpy_array_by_itself():
    with pytest.raises(TypeError, match=r"a\[\.\.\.\]"):
        np.asarray(atoll.ones(3))


@pytest.mark.parametrize("kind", ["U3", "datetime64[s]", "O", ">f8", "longdouble"])
def test_dtypes_that_arrays_cannot_hold(kind):
    with pytest.raises(TypeError, match="cannot hold"):
        atoll.zeros(3, kind)


def test_dtypes_that_do_not_exist():
    with pytest.raises(TypeError):
        atoll.zeros(3, "float31")


@pytest.mark.parametrize("shape", [(1,) * 9, (-1,), (3, -2)])
def test_bad_shapes_raise_on_all_ranks(shape):
    with pytest.raises(ValueError):
        atoll.zeros(shape)
    atoll.sync()


@pytest.mark.parametrize("shape", [1.5, "abc", (2, 2.0), None])
def test_shapes_of_wrong_type(shape):
    with pytest.raises(TypeError):
        atoll.zeros(shape)


def test_shapes_beyond_64_bits():
    with pytest.raises(ValueError):
        atoll.zeros((2**40, 2**40))
    with pytest.raises((OverflowError, ValueError)):
        atoll.zeros(2**70)


def test_no_memory_raises_on_all_ranks_and_the_world_goes_on():
    with pytest.raises(MemoryError):
        atoll.empty(2**45)
    assert atoll.ones(3).sum() == 3


@pytest.mark.parametrize(
    "layout",
    [
        lambda: atoll.blocked((1, 2, 3)),
        lambda: atoll.irregular([[0, 1]]),
        lambda: atoll.irregular([[1], [0]]),
        lambda: atoll.irregular([[0, 3, 2], [0]]),
        lambda: atoll.irregular([[0, 1], [0, 1], [0]]),
        lambda: atoll.block_cyclic((0, 2)),
        lambda: atoll.tiled((2,)),
        lambda: atoll.tiled((2, 2), (100, 100)),
    ],
)
def test_bad_layouts_raise_on_all_ranks(layout):
    with pytest.raises(ValueError):
        atoll.zeros((4, 4), distribution=layout())
    assert atoll.ones(3).sum() == 3


def test_ranks_that_ask_for_different_arrays_all_hear_of_it():
    if atoll.size() == 1:
        pytest.skip("one rank agrees with itself")
    with pytest.raises(RuntimeError):
        atoll.zeros(3 + atoll.rank())
    a = atoll.ones(3)
    with pytest.raises(RuntimeError):
        atoll.zeros(3) if atoll.rank() == 0 else a.sum()
    assert atoll.ones(3).sum() == 3


def test_algebra_of_arrays_that_do_not_match_raises_on_all_ranks():
    a, b = atoll.ones((3, 4)), atoll.ones((4, 3))
    with pytest.raises(ValueError):
        a.copy_from(b)
    with pytest.raises(TypeError):
        atoll.ones(3, int).copy_from(atoll.ones(3))
    assert a.sum() == 12


def test_destroyed_arrays_say_so():
    a = atoll.zeros((3, 3), name="gone")
    a.destroy()
    a.destroy()
    assert not a.alive
    for use in (
        lambda: a[0],
        lambda: a.__setitem__(0, 1),
        lambda: a.at[0].add(1),
        lambda: a.local(),
        lambda: a.sum(),
        lambda: a.shape,
        lambda: a + 1,
        lambda: a.get_async(0),
    ):
        with pytest.raises(RuntimeError, match="destroyed"):
            use()


def test_context_manager_destroys_at_the_end():
    with atoll.zeros(3) as a:
        assert a[0] == 0
    assert not a.alive
    with pytest.raises(KeyError), atoll.zeros(3) as b:
        raise KeyError
    assert b.alive  # an exception may be on one rank only: nothing collective then


def test_objects_that_were_never_initialised():
    with pytest.raises(TypeError):
        atoll.Array.__new__(atoll.Array)[0]


def test_init_when_running_already():
    with pytest.raises(RuntimeError, match="already"):
        atoll.init()


def test_a_thread_reads_and_adds_while_another_waits_in_a_collective_call():
    import threading
    import time

    a = atoll.zeros(3 * atoll.size())
    if atoll.rank() == 0 and atoll.size() > 1:
        # The others are in `sync` and yet reach the count: only then does this rank come.
        while a[0] < atoll.size() - 1:
            time.sleep(0.001)
        atoll.sync()
        return

    def add():
        time.sleep(0.1)
        a.at[0] += 1.0
        atoll.fence()

    other = threading.Thread(target=add)
    other.start()
    atoll.sync()
    other.join()


def test_threads_of_a_rank_take_turns():
    import threading

    a = atoll.zeros((8, 500))

    def work(row):
        for _ in range(50):
            a.at[row] += 1.0
            assert a[row].shape == (500,)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    atoll.sync()
    assert (a[...] == 50 * atoll.size()).all()
