"""Campaigns, counted: calls that fail, and arrays that are replaced beside those who read them.

Continuous integration tries a share of the cases; TEST_DISK_CASES=all tries them all
(docs/testing.md).
"""

import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from launch import Run

ALL = os.environ.get("TEST_DISK_CASES") == "all"


@pytest.fixture
def folder():
    path = Path(tempfile.mkdtemp(prefix="disk-"))
    yield path
    shutil.rmtree(path)


@pytest.mark.parametrize("ranks", [1, 2])
def test_no_tile_that_was_on_the_disk_is_lost_by_a_caller_that_ignores_errors(folder, ranks):
    every = 1 if ALL else 8
    run = Run("disk_campaign", "fail", folder, every, ranks=ranks)
    status, stdout, stderr = run.finish(1200 if ALL else 120)
    assert status == 0, stderr
    print(stdout)
    counts = re.findall(r"^(\w+): (\d+) cases, (\d+) lost$", stdout, re.MULTILINE)
    assert [name for name, _, _ in counts] == ["create", "write", "close", "save"]
    assert sum(int(cases) for _, cases, _ in counts) > 1200 // every
    assert all(lost == "0" for _, _, lost in counts), stdout


def test_no_healthy_file_is_called_damaged_while_another_one_takes_its_place(folder):
    count = 1000 if ALL else 100
    writer = Run("disk_campaign", "replace", folder, count, ranks=1)
    readers = [Run("disk_campaign", "read", folder, ranks=ranks) for ranks in (1, 2)]
    status, _, stderr = writer.finish(600)
    assert status == 0, stderr
    for reader in readers:
        status, stdout, stderr = reader.finish(120)
        assert status == 0, stderr
        print(f"{count} replacements beside {stdout}")
        assert re.fullmatch(r"\d+ reads, 0 damaged\n", stdout), stdout
