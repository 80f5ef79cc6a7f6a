"""A disk array whose writer was killed is opened by others, and never gives a wrong value.

A rank is killed at each of its calls to the system in a small write, one after the other, until it
lives through all of them.
"""

import shutil
import tempfile
from pathlib import Path

import pytest
from launch import Run

MOST_CALLS = 150
RANKS_AND_VICTIMS = [(1, 0), (2, 0), (2, 1)]


@pytest.fixture
def folder():
    path = Path(tempfile.mkdtemp(prefix="disk-"))
    yield path
    shutil.rmtree(path)


def output_of(command: str, path: Path, ranks: int) -> list[str]:
    status, stdout, stderr = Run("disk_writer", command, path, ranks=ranks).finish(60)
    assert status == 0, stderr
    return stdout.split()


def kill_at_every_call(folder, write, check, ranks, victim):
    """Give what is found after each kill, by another number of ranks, and then after none."""
    for call in range(MOST_CALLS):
        path = folder / f"{call}.zarr"
        run = Run("disk_writer", write, path, victim, call, ranks=ranks)
        status, stdout, _ = run.finish(60)
        found = output_of(check, path, 3 - ranks)
        if status == 0:
            assert stdout == f"calls: {call}\n"
            assert set(found) == {"new"}
            print(f"{write}: rank {victim} of {ranks} killed {call} times")
            return
        yield call, found
    pytest.fail("it was killed at every call")


@pytest.mark.parametrize(("ranks", "victim"), RANKS_AND_VICTIMS)
def test_every_tile_is_old_or_new_after_a_kill_at_any_call(folder, ranks, victim):
    # A call writes a whole tile here, so that none is torn: nothing of either may be lost.
    seen = []
    for call, found in kill_at_every_call(folder, "write", "check", ranks, victim):
        assert len(found) == 8
        assert set(found) <= {"old", "new"}, f"call {call}: {found}"
        seen.append(found.count("new"))
    assert call >= 4
    assert min(seen) < 8
    assert any(0 < count < 8 for count in seen)


@pytest.mark.parametrize(("ranks", "victim"), RANKS_AND_VICTIMS)
def test_a_new_array_is_zeros_or_new_or_not_there_after_a_kill_at_any_call(folder, ranks, victim):
    seen = []
    for call, found in kill_at_every_call(folder, "make", "check-made", ranks, victim):
        assert found == ["absent"] or (len(found) == 8 and set(found) <= {"old", "new"}), (
            f"call {call}: {found}"
        )
        seen.append(found)
    assert victim != 0 or ["absent"] in seen  # the first rank makes it


@pytest.mark.parametrize(("ranks", "victim"), RANKS_AND_VICTIMS)
def test_an_array_that_takes_a_place_is_there_as_a_whole_or_not_after_a_kill(folder, ranks, victim):
    seen = []
    for call, found in kill_at_every_call(folder, "replace", "check-replaced", ranks, victim):
        assert len(found) == 8
        assert set(found) in ({"old"}, {"new"}), f"call {call}: {found}"
        seen.append(found[0])
    assert seen == sorted(seen, reverse=True)  # once new, always new
    assert "old" in seen


@pytest.mark.parametrize(("ranks", "victim"), RANKS_AND_VICTIMS)
def test_the_last_checkpoint_is_whole_after_a_kill_at_any_call(folder, ranks, victim):
    seen = []
    for call, found in kill_at_every_call(folder, "save", "load", ranks, victim):
        assert found in (["old"], ["new"]), f"call {call}: {found}"
        seen += found
    assert seen == sorted(seen, reverse=True)
    assert "old" in seen
