"""Limits of memory and of files: Atoll keeps within them, and says whose they are."""

import os
import re
import subprocess
import uuid
from pathlib import Path

import atoll
import pytest

TRY = """
    import atoll

    line = next(l for l in atoll.describe().splitlines() if l.startswith("memory a node"))
    atoll.sync()
    atoll.zeros({fits}).destroy()
    try:
        atoll.zeros({beyond})
        print("no error")
    except MemoryError as error:
        print(f"{{line}}|{{error}}")
"""
LIMITED = """
    import resource

    resource.setrlimit(resource.{name}, ({limit}, -1))
"""


def lines(out, ranks):
    found = [line.split("|") for line in out.splitlines() if "|" in line]
    assert len(found) == ranks, out
    return found


@pytest.mark.parametrize("ranks", [1, 2])
def test_an_array_beyond_the_address_space_is_refused_with_the_limits_name(run, ranks):
    limit = 16 << 30
    text = LIMITED.format(name="RLIMIT_AS", limit=limit)
    text += TRY.format(fits=1 << 20, beyond=limit // 16)  # a half of the limit
    status, out, err = run(text, ranks)
    assert status == 0, err
    for told, error in lines(out, ranks):
        assert "limited by half of what RLIMIT_AS (ulimit -v) of 16384 MiB leaves" in told
        assert "RLIMIT_AS (ulimit -v)" in error
        assert "ATOLL_MEMORY gives arrays another share" in error
        needed = int(re.search(r"the blocks need (\d+) MiB", error)[1])
        assert limit / 2 <= needed << 20 < limit / 2 + (64 << 20)
    status, out, err = run(text, ranks, ATOLL_MEMORY="12G")  # what the error says
    assert (status, out.count("no error")) == (0, ranks), err


@pytest.mark.parametrize("ranks", [1, 2])
def test_more_memory_than_there_are_addresses_is_told_with_who_asks_for_it(run, ranks):
    text = LIMITED.format(name="RLIMIT_AS", limit=16 << 30) + "    import atoll\n    atoll.sync()\n"
    status, _, err = run(text, ranks, ATOLL_MEMORY="64G")
    assert status != 0
    assert "ATOLL_MEMORY asks for 65536 MiB" in err
    assert "RLIMIT_AS (ulimit -v) of 16384 MiB" in err


def test_shared_memory_keeps_within_the_size_of_a_file(run):
    text = LIMITED.format(name="RLIMIT_FSIZE", limit=64 << 20)
    text += TRY.format(fits=1 << 20, beyond=8 << 20)
    status, out, err = run(text, 2)
    assert status == 0, err
    for told, error in lines(out, 2):
        assert re.search(r"memory a node: 5\d MiB, .* limited by RLIMIT_FSIZE \(ulimit -f\)", told)
        assert "RLIMIT_FSIZE (ulimit -f)" in error


def test_too_small_a_limit_is_told_at_the_start(run):
    text = "    from mpi4py import MPI\n"  # MPI itself needs more
    text += LIMITED.format(name="RLIMIT_FSIZE", limit=4 << 20)
    text += "    import atoll\n    atoll.sync()\n"
    status, _, err = run(text, 2)
    assert status != 0
    assert "takes 5 MiB at least, more than allowed by RLIMIT_FSIZE (ulimit -f)" in err


@pytest.fixture
def control_group():
    """A control group of 300 MiB, in which a process puts itself: the file for that."""
    trees = {"memory": "memory.limit_in_bytes", "": "memory.max"}
    for tree, limit in trees.items():
        folder = Path("/sys/fs/cgroup", tree, f"atoll-test-{uuid.uuid4().hex[:8]}")
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            if (folder / limit).exists():
                (folder / limit).write_text(str(300 << 20))
                yield folder
                return
        finally:
            folder.rmdir()
    pytest.skip("no control group of memory can be made here")


def test_a_run_in_a_control_group_keeps_within_its_limit(run, control_group):
    text = f"""
    import os
    with open("{control_group}/cgroup.procs", "w") as file:
        file.write(str(os.getpid()))
    """
    text += TRY.format(fits=(40 << 20) // 8, beyond=(300 << 20) // 8)
    status, out, err = run(text, 2, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    assert status == 0, err
    for told, error in lines(out, 2):
        assert f"limited by the control group's limit of 300 MiB ({control_group}/memory." in told
        assert int(re.search(r"memory a node: (\d+) MiB", told)[1]) < 300
        assert "the control group's limit of 300 MiB" in error


def test_a_file_beyond_the_limit_is_an_error_that_names_it(run, tmp_path):
    text = LIMITED.format(name="RLIMIT_FSIZE", limit=64 << 20)
    text += """
    import signal

    import atoll
    import numpy as np

    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # as it is for programs in C++
    atoll.sync()  # the World starts
    with atoll.disk.private() as file:
        try:
            file.write(np.zeros(1 << 20), 63 << 20)
            print("no error")
        except OSError as error:
            print("File too large" in str(error))
    """
    status, out, err = run(text, 0, ATOLL_SCRATCH=os.fspath(tmp_path))
    assert status == 0, err
    assert out == "True\n"


@pytest.mark.parametrize("memory", [None, "200M"])
def test_what_a_control_group_leaves_is_compared_at_the_start_alone(run, control_group, memory):
    text = f"""
    with open("{control_group}/cgroup.procs", "w") as file:
        file.write(str(os.getpid()))
    """
    text = "    import os\n" + text
    text += """
    import atoll
    import numpy as np

    atoll.sync()
    ballast = np.ones((150 << 20) // 8)  # of the system's rest
    print([line for line in atoll.describe().splitlines() if line.startswith("memory a node")][0])
    """
    status, out, err = run(text, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", ATOLL_MEMORY=memory)
    assert status == 0, err
    assert out.startswith("memory a node: ")
    assert "beyond" not in out


def small_shared_memory(size):
    """Give the words that start a program where /dev/shm is so large."""
    mount = f'mount -t tmpfs -o size={size},mode=1777 tmpfs /dev/shm && exec "$@"'
    words = ["unshare", "--mount", "sh", "-c", mount, "sh"]
    try:
        done = subprocess.run([*words, "true"], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("no unshare")
    if done.returncode != 0:
        pytest.skip(f"nothing can be mounted here ({done.stderr.strip()[-200:]})")
    return words


@pytest.mark.skipif("MPICH" not in atoll.describe(), reason="Open MPI says itself what it lacks")
@pytest.mark.parametrize(("size", "ranks"), [("1m", 1), ("1m", 2), ("12m", 2), ("200m", 2)])
def test_too_small_a_dev_shm_is_told_once_before_mpi_starts(run, size, ranks):
    text = "    import atoll\n    atoll.sync()\n"
    status, _, err = run(text, ranks, within=small_shared_memory(size))
    told = re.findall(
        r"atoll: /dev/shm has \d+ MiB free, and MPICH may need \d+ MiB .*--shm-size", err
    )
    assert len(told) == (size != "200m"), err
    assert status == 0 or size == "1m"  # there MPICH ends by a signal
