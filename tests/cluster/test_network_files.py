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
"$3" "$4" "$1" "$2" &
for i in $(seq 500); do [ "$(stat -f -c %T "$2")" = fuseblk ] && break; sleep 0.02; done
shift 4
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
    """Run a script, a rank on each of two hosts, in a folder that both have mounted."""
    if reason := cannot_mount():
        pytest.skip(reason)

    def run(text):
        (tmp_path / "files").mkdir()
        (tmp_path / "on_each_host.sh").write_text(ON_EACH_HOST)
        (tmp_path / "script.py").write_text(text)
        server = [sys.executable, SUPPORT / "network_folder.py"]
        places = [tmp_path / "files", tmp_path / "mounted"]
        words = ["bash", tmp_path / "on_each_host.sh", *places, *server]
        words += [sys.executable, tmp_path / "script.py", tmp_path / "mounted"]
        return start(*words, ranks=(1, 1)).succeed()

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
    assert on_two_hosts(SHARED_FILE).count("shared") == 2


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
    assert on_two_hosts(DISK_ARRAY).count("array") == 2
