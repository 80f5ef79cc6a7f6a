"""One cluster of three hosts for all tests, gone at the end; and a reason to skip without root."""

import os
from pathlib import Path

import pytest
from atoll.cluster import Cluster
from atoll.cluster.hosts import missing

ROOT = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items):
    if reason := missing():
        for item in items:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def build():
    return ROOT / os.environ.get("TEST_BUILD", "build/mpich")


@pytest.fixture(scope="module")
def three_hosts():
    cluster = Cluster()
    cluster.up(3)
    yield cluster
    cluster.down()
