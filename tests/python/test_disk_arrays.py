"""Disk arrays: what h5py, zarr and tensorstore read of them, and errors that are Python's own."""

import errno
import os

import atoll
import h5py
import numpy as np
import pytest

zarr = pytest.importorskip("zarr")
tensorstore = pytest.importorskip("tensorstore")

# Shape and tile: edges that are not full, one tile, eight dimensions, no elements.
SHAPES = [
    ((10, 12), (4, 5)),
    ((11,), (4,)),
    ((3, 4), (3, 4)),
    ((7, 5, 9), (3, 2, 4)),
    ((2, 3, 2, 2, 1, 2, 2, 2), (1, 2, 1, 2, 1, 1, 2, 1)),
    ((300, 400), (256, 256)),
    ((0, 5), (1, 3)),
]


def some(shape, dtype):
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    return (numbers - 2j * numbers if np.dtype(dtype).kind == "c" else numbers).astype(dtype)


def hdf5_file(path, shape):
    return str(path) + "/c" + "/0" * len(shape)


def on_first_rank(check):
    """Run a check on one rank while the others wait."""
    if atoll.rank() == 0:
        check()
    atoll.barrier()


@pytest.mark.parametrize(("shape", "tile"), SHAPES)
def test_other_libraries_read_equal_values(folder, dtype, shape, tile):
    values = some(shape, dtype)
    path = folder / "array.zarr"
    with atoll.disk.create(path, shape, dtype, tile=tile) as disk:
        disk.write(atoll.from_numpy(values))
        assert (disk.shape, disk.tile, disk.dtype) == (shape, tile, dtype)

    def check():
        with h5py.File(hdf5_file(path, shape), "r") as file:
            assert file["array"].dtype == dtype
            assert file["array"].chunks == tile
            np.testing.assert_array_equal(file["array"][...], values)
        array = zarr.open(str(path), mode="r")
        assert array.dtype == dtype
        np.testing.assert_array_equal(array[...], values)
        store = {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(path)}}
        np.testing.assert_array_equal(tensorstore.open(store).result().read().result(), values)

    on_first_rank(check)


def test_values_that_h5py_changes_are_not_taken_for_ours(folder):
    path = folder / "array.zarr"
    with atoll.disk.create(path, (10, 12), tile=(4, 5)) as disk:
        disk.write(atoll.ones((10, 12)))

    def change():
        with h5py.File(hdf5_file(path, (10, 12)), "r+") as file:
            file["array"][5, 6] = 3.0
        assert zarr.open(str(path), mode="r")[5, 6] == 3

    on_first_rank(change)
    with atoll.disk.open(path) as disk:
        with pytest.raises(OSError, match=r"\[4:8, 5:10\]") as told:
            disk.load()
        assert told.value.errno == errno.EBADMSG
        with pytest.raises(OSError, match="1 of 9 tiles"):
            disk.verify()
        assert (disk.load(np.s_[:4])[...] == 1).all()


def test_sections_go_where_numpy_puts_them(folder):
    expected = np.zeros((30, 40))
    values = some((20, 25), "float64") + 1
    source = atoll.from_numpy(values)
    with atoll.disk.create(folder / "array.zarr", (30, 40), request=(10, -1)) as disk:
        disk.write(source, at=np.s_[3:23, 10:35])
        expected[3:23, 10:35] = values
        disk.write(source, at=np.s_[0:5, 0:4], source=np.s_[10:14, 20:25], transpose=True)
        expected[0:5, 0:4] = values[10:14, 20:25].T
        np.testing.assert_array_equal(disk.load()[...], expected)
        np.testing.assert_array_equal(disk.load(np.s_[7, 5:30])[...], expected[7:8, 5:30])
        target = atoll.zeros((40, 30))
        disk.read(target, transpose=True)
        np.testing.assert_array_equal(target[...], expected.T)
        assert disk.generation == 2
        assert repr(disk).endswith("shape=(30, 40), dtype=float64)")


def test_arrays_are_opened_and_removed_by_name(folder):
    path = folder / "array.zarr"
    with atoll.disk.create(path, 10, "int64", name="counts", durability="scratch") as disk:
        disk.write(atoll.arange(10))
        assert disk.name == "counts"
    with pytest.raises(FileExistsError):
        atoll.disk.create(path, 10)
    with atoll.disk.open(path, "r") as disk:
        np.testing.assert_array_equal(disk.load()[...], np.arange(10))
        with pytest.raises(RuntimeError, match="reading only"):
            disk.write(atoll.arange(10))
    on_first_rank(lambda: atoll.disk.remove(path))
    with pytest.raises(FileNotFoundError):
        atoll.disk.open(path)
    with pytest.raises(ValueError, match="mode is 'w'"):
        atoll.disk.open(path, "w")
    with pytest.raises(ValueError, match="durability is 'high', expected one of 'scratch'"):
        atoll.disk.create(path, 3, durability="high")


def test_requests_go_on_while_the_program_does(folder):
    values = some((60, 50), "float64")
    with atoll.disk.create(folder / "array.zarr", (60, 50), tile=(7, 50)) as disk:
        source, target = atoll.from_numpy(values), atoll.zeros((30, 50))
        request = disk.write_async(source)
        request.wait()
        request.wait()  # harmless
        assert request.test()
        assert request.fraction == 1
        reading = disk.read_async(target, at=np.s_[30:])
        writing = disk.write_async(source, at=np.s_[:30], source=np.s_[30:])
        writing.wait()
        reading.wait()
        np.testing.assert_array_equal(target[...], values[30:])
        np.testing.assert_array_equal(disk.load()[...], np.vstack([values[30:], values[30:]]))


def test_a_checkpoint_takes_the_place_of_an_array_when_it_is_closed(folder):
    path = folder / "array.zarr"
    for value in (1.0, 2.0):
        disk = atoll.disk.create(path, (5, 6), durability="checkpoint", sparse=True)
        disk.write(atoll.full((5, 6), value))
        if value == 2.0:
            with atoll.disk.open(path, "r") as before:
                assert (before.load()[...] == 1.0).all()
        disk.close()
    with atoll.disk.open(path, "r") as after:
        assert (after.load()[...] == 2.0).all()
    with pytest.raises(ValueError, match="durability is checkpoint"):
        atoll.disk.open(path, durability="checkpoint")


def test_every_node_reads_into_its_copy(folder):
    values = some((40, 30), "float64")
    with atoll.disk.create(folder / "array.zarr", (40, 30)) as disk:
        disk.write(atoll.from_numpy(values))
        copies = atoll.zeros((40, 30), mirrored=True)
        disk.read(copies)
        np.testing.assert_array_equal(copies[...], values)
        disk.sync()


def test_the_first_rank_shows_a_bar(folder, capsys):
    with atoll.disk.create(folder / "array.zarr", (40, 30)) as disk:
        source = atoll.ones((40, 30))
        disk.write(source, progress=True)
        shown = capsys.readouterr().err
        assert ("writing" in shown and "100%" in shown) == (atoll.rank() == 0)
        disk.read(source)
        assert capsys.readouterr().err == ""


def test_every_node_keeps_a_part(folder):
    values = some((40, 30), "float64")
    path = folder / "part-{node}.zarr"
    with atoll.disk.create(path, (40, 30), tile=(3, 30)) as disk:
        disk.write(atoll.from_numpy(values))
    with atoll.disk.open(path, "r") as disk:
        np.testing.assert_array_equal(disk.load()[...], values)
    assert (folder / f"part-{atoll.node()}.zarr" / "atoll.record").exists()


def test_extents_may_be_integers_of_numpy(folder):
    with atoll.disk.create(folder / "one", np.int64(3)) as disk:
        assert disk.shape == (3,)
    with atoll.disk.create(folder / "two", (np.int32(2), 4)) as disk:
        assert disk.shape == (2, 4)


def test_a_block_that_an_error_has_left_keeps_nobody_from_writing(folder):
    with pytest.raises(ZeroDivisionError), atoll.disk.create(folder / "a", 4) as disk:
        raise ZeroDivisionError
    with atoll.disk.open(folder / "a") as again:
        again.write(atoll.ones(4))
    with pytest.raises(RuntimeError, match="closed"):
        disk.sync()
    atoll.sync()


def test_two_who_write_one_array_are_told(folder):
    with atoll.disk.create(folder / "a", 4) as disk:
        with pytest.raises(OSError, match="for writing already") as told:
            atoll.disk.open(folder / "a")
        assert told.value.errno == errno.EBUSY
        reader = atoll.disk.open(folder / "a", "r")
        disk.write(atoll.full(4, 2.0))
        reader.refresh()
        assert reader.generation == disk.generation == 1
        np.testing.assert_array_equal(reader.load()[...], np.full(4, 2.0))
        reader.close()


def test_more_than_the_disk_has_free_is_refused_with_both_numbers_before_any_is_taken(folder):
    wanted = 2 * atoll.disk.file_system(folder).available
    for make in (
        lambda: atoll.disk.create(folder / "a.zarr", wanted // 8),
        lambda: atoll.disk.shared(folder / "file", soft_limit=wanted),
    ):
        with pytest.raises(
            OSError, match=r"cannot reserve \d+ bytes .* where \d+ are free"
        ) as told:
            make()
        assert told.value.errno == errno.ENOSPC
        on_first_rank(lambda: os.listdir(folder) == [] or pytest.fail("something is left"))
