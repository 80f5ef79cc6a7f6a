"""What h5py and zarr have done to Atoll's files is no damage, and nothing unknown is changed."""

import contextlib
import errno
import os

import atoll
import numpy as np
import pytest
from atoll import _core
from atoll.disk import slabs

h5py = pytest.importorskip("h5py")
zarr = pytest.importorskip("zarr")

VALUES = np.arange(1.0, 61.0).reshape(5, 12)


@pytest.fixture
def made(folder):
    """An array of VALUES in a file, closed; its folder."""
    path = folder / "a.zarr"
    with atoll.disk.create(path, VALUES.shape, tile=(2, 5)) as disk:
        disk.write(atoll.from_numpy(VALUES))
    return path


def on_rank_0(work):
    if atoll.rank() == 0:
        work()
    atoll.barrier()


def tiles_of(path):
    return path / "c" / "0" / "0"


def bytes_in(path):
    """Give all files of a folder, but for locks and logs that say nothing of the elements."""
    found = {p: p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}
    return {p: b for p, b in found.items() if p.name not in ("atoll.intents", "atoll.record")}


def contents(path):
    with atoll.disk.open(path, "r") as disk:
        disk.verify()
        return disk.load()[...]


def salvaged(path, folder):
    group = atoll.world()
    with slabs.open_damaged(str(path), group) as disk:
        lost = slabs.salvage(disk, str(folder / "saved.zarr"), group, lambda _: None)
    return contents(folder / "saved.zarr"), lost


def add_attributes(path):
    with h5py.File(tiles_of(path), "r+") as file:
        file["array"].attrs["units"] = "m"
        file.attrs["title"] = "of the file"
        file.create_dataset("another", data=np.arange(5))
        for i in range(12):
            file["array"].attrs[f"number {i}"] = i


def test_what_h5py_adds_is_no_damage_and_repair_keeps_it(made):
    on_rank_0(lambda: add_attributes(made))
    np.testing.assert_array_equal(contents(made), VALUES)
    before = bytes_in(made)
    atoll.barrier()
    atoll.disk.repair(made)
    assert bytes_in(made) == before
    with atoll.disk.open(made, "r+") as disk:
        disk.write(atoll.from_numpy(VALUES + 1))
    with h5py.File(tiles_of(made), "r") as file:
        assert file["array"].attrs["units"] == "m"
        np.testing.assert_array_equal(file["array"][...], VALUES + 1)


def test_what_h5py_adds_is_no_damage_to_a_dataset_named_like_its_header(folder):
    path = folder / "a.zarr"
    with atoll.disk.create(path, VALUES.shape, tile=(2, 5), name="OHDR") as disk:
        disk.write(atoll.from_numpy(VALUES))
    on_rank_0(lambda: h5py.File(tiles_of(path), "r+")["OHDR"].attrs.update(units="m"))
    np.testing.assert_array_equal(contents(path), VALUES)
    atoll.disk.repair(path)
    with h5py.File(tiles_of(path), "r") as file:
        assert file["OHDR"].attrs["units"] == "m"


def test_attributes_of_zarr_are_no_damage_and_repair_keeps_them(made):
    on_rank_0(lambda: zarr.open(made, mode="r+").attrs.update(units="m", deep={"of": [1, "}"]}))
    np.testing.assert_array_equal(contents(made), VALUES)
    atoll.disk.repair(made)
    assert zarr.open(made, mode="r").attrs["units"] == "m"


@pytest.mark.parametrize("stored", ["one element", "all", "some zeros"])
def test_a_shard_of_zarr_is_left_by_repair_and_salvaged_by_its_index(made, folder, stored):
    expected = VALUES.copy()
    key, value = {"one element": (np.s_[0, 0], 99.0), "all": (np.s_[:], 7.0)}.get(
        stored, (np.s_[:2, :5], 0.0)
    )
    expected[key] = value
    on_rank_0(lambda: zarr.open(made, mode="r+").__setitem__(key, value))
    with pytest.raises(OSError, match="Zarr has put") as told:
        atoll.disk.open(made, "r")
    assert told.value.errno == errno.EBADMSG
    before = bytes_in(made)
    atoll.barrier()
    with pytest.raises(OSError, match="nothing was changed"):
        atoll.disk.repair(made)
    assert bytes_in(made) == before
    np.testing.assert_array_equal(zarr.open(made, mode="r")[...], expected)
    values, lost = salvaged(made, folder)
    np.testing.assert_array_equal(values, expected)
    assert not lost


def test_a_zarr_json_of_another_array_is_told_and_left(made):
    on_rank_0(lambda: zarr.open(made, mode="r+").resize((4, 12)))
    before = bytes_in(made)
    atoll.barrier()
    with pytest.raises(OSError, match=r"zarr\.json"):
        atoll.disk.repair(made)
    assert bytes_in(made) == before


def test_a_file_of_somebody_else_in_the_place_of_the_tiles_is_left(made):
    on_rank_0(lambda: tiles_of(made).write_bytes(os.urandom(20000)))
    before = bytes_in(made)
    atoll.barrier()
    with pytest.raises(OSError, match="nothing was changed"):
        atoll.disk.repair(made)
    assert bytes_in(made) == before


@pytest.mark.parametrize("damage", ["index", "hdf5", "both", "short", "none of it"])
def test_salvage_opens_what_is_damaged_and_what_repair_has_mended(made, folder, damage):
    first, last = {"index": (0, 148), "hdf5": (4096, 4400), "both": (0, 8192)}.get(damage, (0, 0))

    def harm():
        with tiles_of(made).open("r+b") as file:
            file.seek(first)
            file.write(bytes(last - first))
            if damage in ("short", "none of it"):
                file.truncate(8192 + 80 if damage == "short" else 0)

    on_rank_0(harm)
    expected = np.zeros_like(VALUES) if damage == "none of it" else VALUES.copy()
    if damage == "short":
        expected = np.zeros_like(VALUES)
        expected[:2, :5] = VALUES[:2, :5]
    for _ in range(2):  # before a repair, and after it
        values, lost = salvaged(made, folder)
        np.testing.assert_array_equal(values, expected)
        assert bool(lost) == (damage in ("short", "none of it"))
        with contextlib.suppress(OSError):  # of what is lost
            atoll.disk.repair(made)


def test_hdf5_and_zarr_of_others_are_told_apart_from_damage(folder):
    def make():
        with h5py.File(folder / "f.h5", "w") as file:
            file["d"] = VALUES
        zarr.create_array(folder / "f.zarr", data=VALUES)

    on_rank_0(make)
    for call in (lambda p: atoll.disk.open(p, "r"), atoll.disk.repair):
        with pytest.raises(NotADirectoryError, match=r"no disk array of Atoll's.*h5py"):
            call(folder / "f.h5")
        with pytest.raises(FileNotFoundError, match=r"no disk array of Atoll's.*zarr"):
            call(folder / "f.zarr")


def test_the_checksum_is_that_of_crc32c():
    assert _core.crc32c(b"123456789") == 0xE3069283
