"""What a node has left: of the system's table, and of the limits that C++ reads."""

import resource

import pytest
from atoll import _core
from atoll.chem.integrals import node_memory
from atoll.chem.integrals.node_memory import memory_left

MEMINFO = "MemTotal:       24000000 kB\nMemAvailable:   1000 kB\nCached: 1 kB\n"


def test_what_is_available_is_left(tmp_path):
    table = tmp_path / "meminfo"
    table.write_text(MEMINFO)
    assert memory_left(table) == 1000 << 10


def test_a_control_group_of_the_process_limits_it(tmp_path, monkeypatch):
    monkeypatch.setattr(_core, "memory_limit", lambda: (100, "the control group's limit"))
    table = tmp_path / "meminfo"
    table.write_text(MEMINFO)
    assert memory_left(table) == 100


def test_where_nothing_tells_it_is_what_the_process_may_have(tmp_path):
    assert memory_left(tmp_path / "nothing") == _core.memory_limit()[0]


@pytest.mark.parametrize(("limit", "place"), [("RLIMIT_AS", 0), ("RLIMIT_DATA", 5)])
def test_a_limit_of_the_process_leaves_half_of_what_is_not_in_use(
    tmp_path, monkeypatch, limit, place
):
    words = ["7"] * 7
    words[place] = "10"
    (tmp_path / "statm").write_text(" ".join(words))
    size = resource.getpagesize()
    set_to = {getattr(resource, limit): (110 * size, resource.RLIM_INFINITY)}
    none = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda which: set_to.get(which, none))
    monkeypatch.setattr(node_memory, "_STATM", tmp_path / "statm")
    assert node_memory.process_left() == 100 * size
    assert node_memory.share_of_node() == 50 * size
