"""Nonblocking operations give and store what the blocking ones do."""

import atoll
import numpy as np
import pytest


def test_get_async_gives_what_get_gives(dtype, cut, values):
    source = values((8, 9), dtype)
    a = atoll.from_numpy(source, distribution=cut((8, 9)))
    keys = [np.s_[2:7, ::-1], np.s_[0], np.s_[3, 4], np.s_[::3, None, 2:2], np.s_[[1, 5], [0, 8]]]
    requests = [a.get_async(key) for key in keys]
    for key, result in zip(keys, atoll.wait_all(requests), strict=True):
        assert np.shape(result) == np.shape(source[key])
        assert type(result) is type(source[key])
        np.testing.assert_array_equal(result, source[key])


def test_put_async_and_accumulate_async(dtype, cut, values):
    expected = np.zeros((8, 9), dtype)
    a = atoll.zeros((8, 9), dtype, distribution=cut((8, 9)))
    block = values((4, 9), dtype)
    if atoll.rank() == 0:
        requests = [
            a.put_async(np.s_[:4], block),
            a.put_async(np.s_[4:, 3:5], 2),
            a.put_async(np.s_[[6, 7], 0], [1, 2]),
        ]
        assert atoll.wait_all(requests) == [None] * 3
        a.accumulate_async(np.s_[::2, ::-1], block, alpha=3).wait()
        a.accumulate_async(np.s_[0, 0], 5).wait()
    expected[:4] = block
    expected[4:, 3:5] = 2
    expected[[6, 7], 0] = [1, 2]
    expected[::2, ::-1] += 3 * block
    expected[0, 0] += 5
    atoll.sync()
    np.testing.assert_array_equal(a[...], expected)


def test_test_tells_when_it_is_done():
    a = atoll.ones((100, 100))
    request = a.get_async(...)
    while not request.test():
        pass
    assert request.done
    assert request.wait().sum() == 10000
    assert request.wait().sum() == 10000  # again: harmless


def test_a_dropped_request_waits():
    a = atoll.zeros(1000)
    if atoll.rank() == 0:
        a.put_async(np.s_[:], np.arange(1000.0))
        atoll.fence()
    atoll.sync()
    assert a[999] == 999


def test_a_converted_value_lives_as_long_as_the_request():
    a = atoll.zeros((200, 200))
    requests = []
    if atoll.rank() == 0:
        requests = [a.put_async(np.s_[i], np.full(200, i, "int16")) for i in range(200)]
    atoll.wait_all(requests)
    atoll.sync()
    np.testing.assert_array_equal(a[:, 7], np.arange(200))


def test_many_requests_at_once():
    a = atoll.zeros((64, 64))
    requests = [a.accumulate_async(np.s_[i % 64], 1.0) for i in range(640)]
    atoll.wait_all(requests)
    atoll.sync()
    assert (a[...] == 10 * atoll.size()).all()


def test_a_request_keeps_the_memory_when_the_array_is_destroyed():
    a = atoll.ones(100)
    request = a.get_async(...)
    a.destroy()
    assert request.wait().sum() == 100


def test_bad_requests_raise_at_once():
    a = atoll.zeros((3, 3))
    with pytest.raises(IndexError):
        a.get_async(3)
    with pytest.raises(ValueError, match="broadcast"):
        a.put_async(0, np.zeros(2))
    with pytest.raises(TypeError):
        a.accumulate_async(0, 1j)
