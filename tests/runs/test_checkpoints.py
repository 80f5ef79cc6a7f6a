"""Checkpoints of whole runs: what a run has begun to save is there when it has ended."""

import pytest

SAVE = """
    import atoll
    a = atoll.full((300, 200), 3.0)
    request = atoll.checkpoint.save_async({folder!r}, {{"a": a, "n": 1}})
    a.fill(4.0)
    {then}
"""
LOAD = """
    import atoll
    found = atoll.checkpoint.load({folder!r})
    assert found["n"] == 1
    assert (found["a"][...] == 3.0).all()
"""
FAIL = """
    import os, atoll
    a = atoll.full((300, 200), 3.0)
    atoll.checkpoint.save_async({folder!r}, {{"a": a}})
    atoll.world().barrier()
    if atoll.rank() == 0:
        os.rename({folder!r}, {folder!r} + "-elsewhere")
"""


@pytest.mark.parametrize("then", ["pass", "del request"])
@pytest.mark.parametrize("ranks", [0, 3])
def test_what_nobody_waited_for_is_saved_when_the_run_ends(run, tmp_path, then, ranks):
    folder = str(tmp_path / "run")
    status, _, stderr = run(
        SAVE.format(folder=folder, then=then), ranks, ATOLL_NODES="2" if ranks else "1"
    )
    assert status == 0, stderr
    status, _, stderr = run(LOAD.format(folder=folder), 2)
    assert status == 0, stderr


def test_what_cannot_be_saved_when_the_run_ends_is_told(run, tmp_path):
    folder = str(tmp_path / "run")
    _, _, stderr = run(FAIL.format(folder=folder), 2)
    assert f"step 0 in '{folder}', for which nobody has waited, was not saved" in stderr
