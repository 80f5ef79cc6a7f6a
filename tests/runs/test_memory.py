"""What happens when one rank has no memory left in the midst of a collective call."""

import pytest

# The marks and the plan of this merge take little, its buffers 2 MiB each.
TEXT = """
    import resource
    import atoll

    a = atoll.ones((4096, 2048), mirrored=True)
    atoll.sync()
    if atoll.rank() == 1:
        pages = int(open("/proc/self/statm").read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + {room}, -1))
    try:
        a.merge()
    except MemoryError:
        print("caught on one rank alone")
"""


@pytest.mark.parametrize("room", [0, 1 << 20])  # none for the marks, or only for those
def test_a_rank_without_memory_for_a_merge_ends_the_run(run, room):
    # UCX, below MPICH, may run out of memory too, and says so on standard output unless told.
    status, out, err = run(TEXT.format(room=room), 2, ATOLL_NODES="2", UCX_LOG_FILE="stderr")
    assert status != 0
    assert out == ""
    assert "rank 1: merge cannot go on" in err
    assert "out of memory" in err
