"""Files on a file system that each host caches by itself, as NFS is: two hosts, a rank on each."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SUPPORT = Path(__file__).resolve().parents[1] / "support"
ON_EACH_HOST = """
set -e
mkdir -p "$2"
"$3" "$4" "$1" "$2" "$5" &
for i in $(seq 500); do [ "$(stat -f -c %T "$2")" = fuseblk ] && break; sleep 0.02; done
shift 5
exec "$@"
"""


def cannot_mount() -> str:
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "this system has no /dev/fuse that one may open"
    words = ["unshare", "--mount", sys.executable, "-c", PROBE]
    done = subprocess.run(words, capture_output=True, text=True, cwd=SUPPORT)
    return f"nothing can be mounted here ({done.stderr.strip()[-200:]})" if done.returncode else ""


PROBE = """
import os, tempfile
import network_folder
network_folder.mount(tempfile.mkdtemp(), os.open("/dev/fuse", os.O_RDWR))
"""


@pytest.fixture
def on_two_hosts(three_hosts, start, tmp_path):
    """Start a script, a rank on each of two hosts, with the name of a folder that both have."""
    if reason := cannot_mount():
        pytest.skip(reason)

    def run(text, *words, full=""):
        (tmp_path / "files").mkdir(exist_ok=True)
        (tmp_path / "on_each_host.sh").write_text(ON_EACH_HOST)
        (tmp_path / "script.py").write_text(text)
        server = [sys.executable, SUPPORT / "network_folder.py"]
        places = [tmp_path / "files", tmp_path / "mounted"]
        mount = ["bash", tmp_path / "on_each_host.sh", *places, *server, full or "nothing"]
        script = [sys.executable, tmp_path / "script.py", tmp_path / "mounted", *words]
        return start(*mount, *script, ranks=(1, 1))

    return run


SHARED_FILE = """
import sys
import atoll
import numpy as np

me, ranks = atoll.rank(), atoll.size()
with atoll.disk.shared(sys.argv[1] + "/shared") as file:
    for round in range(4):
        # Records of both ranks in every page, and more of them each time.
        count = 100 * (round + 1)
        records = np.arange(count * ranks * 9).reshape(count, ranks, 9) * (round + 1)
        for i in range(count):
            request = file.write_async(records[i, me], offset=72 * (i * ranks + me))
            request.wait()
        atoll.barrier()
        assert (file.read(records.shape, 0, records.dtype) == records).all(), round
        atoll.barrier()
print("shared", me)
"""


def test_a_rank_reads_what_a_rank_of_another_host_has_written(on_two_hosts):
    assert on_two_hosts(SHARED_FILE).succeed().count("shared") == 2


DISK_ARRAY = """
import sys
import atoll
import numpy as np

path, shape = sys.argv[1] + "/array.zarr", (70, 90)
values = np.random.default_rng(5).normal(size=shape)
with atoll.disk.create(path, shape, tile=(9, 10)) as disk:  # no whole pages
    for round in range(4):
        disk.write(atoll.from_numpy(values * round), at=np.s_[:, :])
        disk.write(atoll.from_numpy(values[3:40, 5:61]), at=np.s_[5:42, 7:63])
        expected = values * round
        expected[5:42, 7:63] = values[3:40, 5:61]
        assert (disk.load().get() == expected).all(), round
    disk.verify()
with atoll.disk.open(path, "r") as disk:
    assert (disk.load(np.s_[1:60, 2:80]).get() == expected[1:60, 2:80]).all()
print("array", atoll.rank())
"""


def test_tiles_that_share_pages_hold_what_two_hosts_have_written(on_two_hosts):
    assert on_two_hosts(DISK_ARRAY).succeed().count("array") == 2


READER = """
import sys
import atoll
import numpy as np

path, world = sys.argv[1] + "/array.zarr", atoll.world()
alone = world.split(world.rank)
values = np.arange(3000.0).reshape(50, 60)
for round in range(5):
    if world.rank == 0:
        with atoll.disk.create(path, values.shape, tile=(7, 9), group=alone) if round == 0 else (
            atoll.disk.open(path, "r+", group=alone)
        ) as disk:
            disk.write(atoll.from_numpy(values * round, group=alone))
    world.barrier()
    if world.rank == 1:
        if round == 0:
            reader = atoll.disk.open(path, "r", group=alone)
        else:
            reader.refresh()
        assert (reader.load().get() == values * round).all(), round
    world.barrier()
print("reader", world.rank)
"""


def test_a_reader_on_another_host_takes_in_what_was_written_since(on_two_hosts):
    assert on_two_hosts(READER).succeed().count("reader") == 2


CLOSE = """
import errno, sys
import atoll
import numpy as np

folder = sys.argv[1]
file = atoll.disk.private(f"private-{atoll.rank()}.full", "x", directories=[folder])
file.write(np.arange(10))
try:
    file.close()
except OSError as error:
    assert error.errno == errno.EDQUOT, error
    assert "close private file" in str(error)
    print("private is told", atoll.rank())
file = atoll.disk.shared(folder + "/shared.full", keep=True)
file.write(np.arange(10), offset=80 * atoll.rank())
try:
    file.close()
except OSError as error:
    assert error.errno == errno.EDQUOT, error
    print("shared is told", atoll.rank())
with atoll.disk.shared(folder + "/scratch.full") as file:  # goes: nothing is lost
    file.write(np.arange(10), offset=80 * atoll.rank())
"""


def test_closing_tells_that_there_was_no_room(on_two_hosts):
    text = on_two_hosts(CLOSE, full=".full").succeed()
    assert text.count("private is told") == 2
    assert text.count("shared is told") == 2


PFCOPY = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[2])
library.tcg_pbegin(0, None)
library.tcg_pfcopy(ctypes.c_long(1), ctypes.c_long(0), (sys.argv[1] + "/data").encode())
library.tcg_pend()
"""


def test_pfcopy_keeps_the_file_where_a_copy_finds_no_room_as_it_is_closed(
    on_two_hosts, build, tmp_path
):
    library = build / "libatoll_ga.so"
    if not library.exists():
        pytest.skip("this build has no names of Global Arrays in a shared library")
    (tmp_path / "files").mkdir()
    (tmp_path / "files/data").write_text("of rank 0")
    number = (tmp_path / "files/data").stat().st_ino
    status, text = on_two_hosts(PFCOPY, library.resolve(), full=".copy-1").finish()
    assert status != 0
    assert "Disk quota exceeded" in text
    assert [path.name for path in (tmp_path / "files").iterdir()] == ["data"]
    assert (tmp_path / "files/data").stat().st_ino == number
