"""What a node has left, from files as the kernel writes them."""

import pytest
from atoll.chem.integrals.node_memory import memory_left

MEMINFO = "MemTotal:       24000000 kB\nMemAvailable:   {} kB\nCached: 1 kB\n"


@pytest.fixture
def root(tmp_path):
    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return str(tmp_path)

    return write


def test_what_is_available_is_left(root):
    there = root({"proc/meminfo": MEMINFO.format(1000)})
    assert memory_left(there) == 1000 << 10


@pytest.mark.parametrize("limited", ["jobs/mine", "jobs", ""])
def test_any_control_group_above_the_process_limits_it(root, limited):
    group = f"sys/fs/cgroup/{limited}"
    there = root(
        {
            "proc/meminfo": MEMINFO.format(1 << 20),
            "proc/self/cgroup": "0::/jobs/mine\n",
            "sys/fs/cgroup/jobs/mine/memory.max": "max\n",
            f"{group}/memory.max": f"{100 << 20}\n",
            f"{group}/memory.stat": f"anon {30 << 20}\nfile {50 << 20}\nshmem {20 << 20}\n",
        }
    )
    assert memory_left(there) == 50 << 20  # files that are cached can go


def test_a_container_finds_its_own_group_at_the_top(root):
    there = root(
        {
            "proc/meminfo": MEMINFO.format(1 << 20),
            "proc/self/cgroup": "5:cpu:/a\n4:memory:/host/name/of/it\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{100 << 20}\n",
            "sys/fs/cgroup/memory/memory.stat": f"rss 1\ntotal_rss {130 << 20}\n",
        }
    )
    assert memory_left(there) == 0  # never less


def test_where_nothing_tells_it_is_the_physical_memory(root):
    assert memory_left(root({})) >= 1 << 20
