"""`atoll disk` as its users run it: output, exit status, one line for each mistake."""

import json
import os

import h5py
import numpy as np
import pytest

zarr = pytest.importorskip("zarr")
tensorstore = pytest.importorskip("tensorstore")

COMMAND = """
    import sys
    from atoll.cli import main
    sys.exit(main({words}))
"""
ARRAY = """
    import atoll, numpy as np
    values = np.load({numbers!r})
    with atoll.disk.create({array!r}, values.shape, tile=(64, 100)) as disk:
        disk.write(atoll.from_numpy(values))
"""
CHECKPOINT = """
    import atoll
    atoll.checkpoint.save({folder!r}, {{"x": atoll.ones(7), "n": 1}}, step=5)
"""


@pytest.fixture
def atoll_disk(run):
    def start(*words, ranks=0, status=0):
        words = ["disk", *map(str, words)]
        nodes = "2" if ranks > 1 else "1"
        found, stdout, stderr = run(COMMAND.format(words=words), ranks, ATOLL_NODES=nodes)
        assert found == status, stderr
        return stdout if status < 2 else stderr

    return start


@pytest.fixture
def values():
    return np.random.default_rng(3).normal(size=(300, 400))


@pytest.fixture
def array(run, tmp_path, values):
    numbers, array = tmp_path / "values.npy", tmp_path / "a.zarr"
    np.save(numbers, values)
    status, _, stderr = run(ARRAY.format(numbers=str(numbers), array=str(array)), 2)
    assert status == 0, stderr
    return array


def flip_a_byte(array):
    file = array / "c/0/0"
    with file.open("r+b") as opened:
        opened.seek(file.stat().st_size - 64 * 100 * 8)  # the last tile
        byte = opened.read(1)
        opened.seek(-1, os.SEEK_CUR)
        opened.write(bytes([byte[0] ^ 1]))


def test_ls_and_info_tell_what_is_there(atoll_disk, run, array, tmp_path):
    assert run(CHECKPOINT.format(folder=str(tmp_path / "run")))[0] == 0
    (tmp_path / "notes").mkdir()
    lines = [line.split() for line in atoll_disk("ls", tmp_path).splitlines()]
    assert [line[0] for line in lines] == ["name", "a.zarr", "run/000000000005/x.zarr"]
    assert lines[1][1:6] == ["300", "x", "400", "float64", "960kB"]
    told = atoll_disk("info", array, ranks=2)
    assert "20 of 64 x 100" in told
    assert f"h5py.File('{array}/c/0/0')['array']" in told
    assert "the last one last: 5" in atoll_disk("info", tmp_path / "run")
    assert atoll_disk("ls", tmp_path / "notes") == "no disk arrays\n"


@pytest.mark.parametrize("ranks", [0, 3])
def test_verify_names_what_is_damaged(atoll_disk, array, ranks):
    assert atoll_disk("verify", array, ranks=ranks) == f"{array}: whole\n"
    flip_a_byte(array)
    told = atoll_disk("verify", array, ranks=ranks, status=1)
    assert "1 of 20 tiles" in told
    assert "[256:300, 300:400]" in told


@pytest.mark.parametrize("ranks", [0, 2])
def test_verify_finds_whatever_is_wrong_with_a_checkpoint(atoll_disk, run, tmp_path, ranks):
    folder = tmp_path / "run"
    assert run(CHECKPOINT.format(folder=str(folder)))[0] == 0
    step = folder / "000000000005"
    for path in (folder, step, tmp_path):
        assert atoll_disk("verify", path, ranks=ranks) == f"{step}: whole\n"

    def expect_damage(text, *, path=folder):
        told = atoll_disk("verify", path, ranks=ranks, status=1)
        assert told.startswith(f"{step}: ")
        assert text in told

    state = (step / "state").read_bytes()
    (step / "state").write_bytes(bytes([state[0] ^ 1]) + state[1:])
    expect_damage("is damaged")
    (step / "state").write_bytes(state)
    (step / "x.zarr").rename(tmp_path / "elsewhere")
    expect_damage("No such file", path=step)
    (tmp_path / "elsewhere").rename(step / "x.zarr")
    (step / "x.zarr/zarr.json").unlink()
    expect_damage("zarr.json")
    (step / "manifest").unlink()
    expect_damage("manifest")


def test_verify_of_nothing_is_no_success(atoll_disk, tmp_path):
    (tmp_path / "empty").mkdir()
    told = atoll_disk("verify", tmp_path / "empty", status=2)
    assert "neither a disk array nor checkpoints" in told


@pytest.mark.parametrize("ranks", [0, 3])
def test_repair_writes_again_what_others_read(atoll_disk, array, values, ranks):
    (array / "zarr.json").write_text("{}")
    with (array / "c/0/0").open("r+b") as file:
        file.write(b"damage")
        file.seek(4096)
        file.write(b"damage")
    atoll_disk("verify", array, ranks=ranks, status=1)
    assert atoll_disk("repair", array, ranks=ranks) == f"{array}: whole\n"
    assert atoll_disk("verify", array, ranks=ranks) == f"{array}: whole\n"
    np.testing.assert_array_equal(zarr.open_array(array)[...], values)
    flip_a_byte(array)
    assert "[256:300, 300:400]" in atoll_disk("repair", array, ranks=ranks, status=1)


@pytest.mark.parametrize("ranks", [0, 3])
def test_salvage_copies_what_is_whole_and_lists_the_rest(
    atoll_disk, array, values, tmp_path, ranks
):
    flip_a_byte(array)
    target = tmp_path / "saved.zarr"
    told = atoll_disk("salvage", array, target, ranks=ranks, status=1)
    assert told == "lost: [256:300, 300:400]\n"
    expected = values.copy()
    expected[256:300, 300:400] = 0
    np.testing.assert_array_equal(zarr.open_array(target)[...], expected)
    assert atoll_disk("verify", target) == f"{target}: whole\n"
    assert atoll_disk("salvage", target, tmp_path / "again.zarr") == ""


@pytest.mark.parametrize("ranks", [0, 3])
def test_a_shard_that_zarr_has_written_is_left_by_repair_and_salvaged(
    atoll_disk, array, values, tmp_path, ranks
):
    zarr.open_array(array, mode="r+")[0, 0] = values[0, 0] = 99
    before = (array / "c/0/0").read_bytes()
    for command in ("verify", "repair"):
        told = atoll_disk(command, array, ranks=ranks, status=1)
        assert "Zarr has put in its place; nothing was changed" in told, command
    assert (array / "c/0/0").read_bytes() == before
    target = tmp_path / "saved.zarr"
    assert atoll_disk("salvage", array, target, ranks=ranks) == ""
    np.testing.assert_array_equal(zarr.open_array(target)[...], values)


def test_what_h5py_adds_is_no_damage_to_the_command_line(atoll_disk, array):
    with h5py.File(array / "c/0/0", "r+") as file:
        file["array"].attrs["units"] = "m"
    assert atoll_disk("verify", array) == f"{array}: whole\n"
    assert atoll_disk("repair", array) == f"{array}: whole\n"
    with h5py.File(array / "c/0/0", "r") as file:
        assert file["array"].attrs["units"] == "m"


def test_attributes_with_numbers_beyond_doubles_are_no_damage_and_stay(atoll_disk, array):
    file = array / "zarr.json"
    metadata = json.loads(file.read_text()) | {"attributes": {"large": "L", "small": "S"}}
    text = json.dumps(metadata).replace('"L"', "1e400").replace('"S"', "1e-320")
    file.write_text(text)
    for command in ("verify", "repair"):
        assert atoll_disk(command, array) == f"{array}: whole\n"
    assert file.read_text() == text


def test_ls_shows_what_a_killed_run_has_left_and_the_next_open_removes_it(
    atoll_disk, run, array, tmp_path
):
    text = """
        import os, signal, atoll
        atoll.disk.create({array!r}, (3000, 400), durability="checkpoint")
        os.kill(os.getpid(), signal.SIGKILL)
    """
    assert run(text.format(array=str(array)))[0] == -9
    lines = atoll_disk("ls", tmp_path).splitlines()
    (left,) = (line for line in lines if line.startswith("a.zarr.atoll-new"))
    assert left.endswith("unfinished, of a run that ended")
    assert "9.8" in left or "9.6" in left  # megabytes on the disk
    # That was no writer; this is one.
    text = "import atoll; atoll.disk.open({array!r}).close()"
    assert run(text.format(array=str(array)))[0] == 0
    assert "atoll-new" not in atoll_disk("ls", tmp_path)
    assert not list(tmp_path.glob("*.atoll-new"))


@pytest.mark.parametrize("ranks", [0, 3])
def test_copies_and_exports_hold_the_same(atoll_disk, array, values, tmp_path, ranks):
    copied, exported = tmp_path / "b.zarr", tmp_path / "c.zarr"
    atoll_disk("copy", array, copied, ranks=ranks)
    atoll_disk("copy", array, copied, ranks=ranks)  # replaced
    np.testing.assert_array_equal(zarr.open_array(copied)[...], values)
    atoll_disk("export", array, exported, "--shard", "1", ranks=ranks)
    found = zarr.open_array(exported, mode="r")
    np.testing.assert_array_equal(found[...], values)
    assert found.chunks == (64, 100)
    assert found.shards == (320, 400)
    store = {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(exported)}}
    np.testing.assert_array_equal(tensorstore.open(store).result().read().result(), values)
    told = atoll_disk("export", array, exported, ranks=ranks, status=2)
    assert told.startswith("atoll disk: [Errno 17]")
    assert not list(tmp_path.glob("*.atoll-new"))


def test_what_is_damaged_is_not_copied(atoll_disk, array, tmp_path):
    flip_a_byte(array)
    for action in ("copy", "export"):
        told = atoll_disk(action, array, tmp_path / "b.zarr", ranks=2, status=2)
        assert "is damaged" in told
        assert not (tmp_path / "b.zarr").exists()


def test_what_is_no_array_is_told_in_a_line(atoll_disk, tmp_path):
    nothing = tmp_path / "nothing"
    for words in (["info", nothing], ["verify", nothing], ["copy", nothing, tmp_path / "b"]):
        assert atoll_disk(*words, status=2).count("\n") == 1
