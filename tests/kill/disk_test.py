"""A disk array whose writer was killed is opened by others, and never gives a wrong value.

A rank is killed at each of its calls to the system in a small write, one after the other, until it
lives through all of them.
"""

import shutil
import tempfile
from pathlib import Path

import pytest
from launch import Run

MOST_CALLS = 60


@pytest.fixture
def folder():
    path = Path(tempfile.mkdtemp(prefix="disk-"))
    yield path
    shutil.rmtree(path)


def tiles(array: Path, ranks: int) -> list[str]:
    status, stdout, stderr = Run("disk_writer", "check", array, ranks=ranks).finish(60)
    assert status == 0, stderr
    return stdout.split()


@pytest.mark.parametrize(("ranks", "victim"), [(1, 0), (2, 0), (2, 1)])
def test_every_tile_is_old_or_new_or_named_after_a_kill_at_any_call(folder, ranks, victim):
    seen = set()
    for call in range(MOST_CALLS):
        array = folder / f"{call}.zarr"
        run = Run("disk_writer", "write", array, victim, call, ranks=ranks)
        status, stdout, _ = run.finish(60)
        found = tiles(array, 3 - ranks)  # by another number of ranks
        assert len(found) == 8
        if status == 0:
            assert stdout == f"calls: {call}\n"
            assert set(found) == {"new"}
            break
        assert set(found) <= {"old", "damaged"} or set(found) == {"new"}, f"call {call}: {found}"
        seen |= set(found)
    else:
        pytest.fail("it was killed at every call")
    assert call >= 5
    assert {"old", "damaged"} <= seen
