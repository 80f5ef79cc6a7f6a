"""Files that are there whole or not at all, and what a killed writer leaves beside them."""

import os
import time

import atoll
import pytest
from atoll.chem.results.whole_file import LONGEST_SILENCE, whole_file

pytestmark = pytest.mark.skipif(atoll.size() > 1, reason="one rank writes such files")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_failed_write_leaves_the_old_file_and_nothing_beside(tmp_path):
    (tmp_path / "job.json").write_text("old")
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "job.json") as file:
        file.write("half of the new" * (1 // 0))
    assert (tmp_path / "job.json").read_text() == "old"
    assert names(tmp_path) == ["job.json"]


def test_what_a_killed_writer_left_goes_and_what_another_one_writes_stays(tmp_path):
    long_ago = time.time() - 2 * LONGEST_SILENCE
    with whole_file(tmp_path / "job.json") as file:  # beside it another program writes, too
        file.write("first")
        (written_now,) = names(tmp_path)
        for name in (".job.json.killed.being-written", ".other.json.killed.being-written"):
            (tmp_path / name).touch()
            os.utime(tmp_path / name, (long_ago, long_ago))
        with whole_file(tmp_path / "job.json") as second:
            second.write("second")
            left = names(tmp_path)
    assert ".job.json.killed.being-written" not in left
    assert written_now in left
    assert ".other.json.killed.being-written" in left  # of a file that is not written here
    assert (tmp_path / "job.json").read_text() == "first"  # whoever ends last
