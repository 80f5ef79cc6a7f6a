"""What a node has left: of the system's table, and of the limits that C++ reads."""

from atoll import _core
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
