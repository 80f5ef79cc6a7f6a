"""Private and shared files: bytes come back as NumPy has them; errors are Python's own."""

import errno
import os

import atoll
import numpy as np
import pytest


@pytest.mark.parametrize("dtype", ["float64", "complex64", "int16", "bool"])
def test_private_files_give_back_what_was_written(dtype):
    numbers = np.arange(600).reshape(20, 30).astype(dtype)
    with atoll.disk.private() as file:
        file.write(numbers, offset=100)
        np.testing.assert_array_equal(file.read((20, 30), 100, dtype), numbers)
        # What is not contiguous is written in C order.
        file.write(numbers.T[::2], offset=10000)
        np.testing.assert_array_equal(file.read((15, 20), 10000, dtype), numbers.T[::2])
        assert file.length == 10000 + 300 * numbers.itemsize
        assert not file.read(100).any()


def test_requests_under_way_keep_their_memory_alive():
    with atoll.disk.private() as file:
        requests = [file.write_async(np.full(5000, i), i * 40000) for i in range(20)]
        assert [request.wait() for request in requests] == [40000] * 20
        outs = [np.empty(5000, int) for _ in range(20)]
        requests = [file.read_async(out, i * 40000) for i, out in enumerate(outs)]
        for i, (request, out) in enumerate(zip(requests, outs, strict=True)):
            assert request.wait() == 40000
            assert request.test()
            assert (out == i).all()
        counts = file.statistics
        assert (counts.reads, counts.writes) == (20, 20)
        assert (counts.bytes_read, counts.bytes_written) == (800000, 800000)


def test_private_files_end_where_they_were_cut():
    with atoll.disk.private() as file:
        file.write(b"0123456789")
        file.resize(4)
        out = np.zeros(10, np.uint8)
        assert file.read_into(out, 2) == 2
        assert bytes(out[:3]) == b"23\0"
        with pytest.raises(EOFError, match="10 bytes at 2"):
            file.read(10, 2)
    with pytest.raises(RuntimeError, match="closed"):
        file.write(b"x")
    assert repr(file) == "PrivateFile(closed)"


def test_named_private_files_stay_and_stripes_lie_in_all_folders(folder):
    places = [folder / f"{part}-{atoll.rank()}" for part in "ab"]
    for place in places:
        place.mkdir()
    file = atoll.disk.private("data", "x", directories=places, stripe=1000)
    file.write(np.arange(1000))
    file.close()
    assert [(place / "data").stat().st_size for place in places] == [4000, 4000]
    with pytest.raises(FileExistsError, match="data"):
        atoll.disk.private("data", "x", directories=places)
    file = atoll.disk.private("data", "r+", directories=places, stripe=1000)
    np.testing.assert_array_equal(file.read(1000, dtype=int), np.arange(1000))
    file.remove()
    assert not any(os.listdir(place) for place in places)
    with pytest.raises(FileNotFoundError):
        atoll.disk.private("data", "r", directories=places)


def test_shared_files_are_read_by_all_ranks(folder):
    size, rank = atoll.size(), atoll.rank()
    with atoll.disk.shared(folder / "file") as file:
        file.write_async(np.full(100, rank), rank * 800).wait()
        atoll.barrier()
        assert file.length == 800 * size
        everything = file.read((size, 100), 0, int)
        np.testing.assert_array_equal(
            everything, np.repeat(np.arange(size), 100).reshape(size, 100)
        )
        with pytest.raises(IndexError, match="bytes"):
            file.read(1, 800 * size)
    assert not (folder / "file").exists()


def test_limits_and_missing_files_raise_on_all_ranks(folder):
    with atoll.disk.shared(folder / "file", hard_limit=1000) as file:
        with pytest.raises(OSError, match="hard limit of 1000") as told:
            file.write(np.zeros(126))
        assert told.value.errno == errno.EFBIG
        atoll.barrier()
    with pytest.raises(FileNotFoundError):
        atoll.disk.shared(folder / "file", "r")
    with pytest.raises(ValueError, match="mode is 'w'"):
        atoll.disk.shared(folder / "file", "w")
    with pytest.raises(ValueError, match="hard_limit is -1"):
        atoll.disk.shared(folder / "file", hard_limit=-1)


def test_new_shared_files_that_are_kept_stay(folder):
    with atoll.disk.shared(folder / "kept", keep=True) as file:
        if atoll.rank() == 0:
            file.write(b"here")
    assert (folder / "kept").read_bytes() == b"here"
    with atoll.disk.shared(folder / "kept", "r") as file:
        assert bytes(file.read(4)) == b"here"
        with pytest.raises(RuntimeError, match="read-only"):
            file.write(b"x")
    assert (folder / "kept").exists()


def test_the_way_to_files_is_told():
    assert "files: io_uring" in atoll.describe() or "files: threads" in atoll.describe()
    assert atoll.disk.file_system("/dev/shm").in_memory
