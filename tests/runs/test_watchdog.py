"""A run that is stuck says where each rank stands, and ends; one that works is left alone."""

import re

import pytest

PREAMBLE = """
    import os, subprocess, time
    import atoll

    rank = atoll.rank()
"""
STUCK = 124


def blocks(err):
    """Give what each rank has said of itself, by its number."""
    found = {}
    for text in re.split(r"^atoll: (?=rank \d+ of )", err, flags=re.M)[1:]:
        found[int(text.split()[1])] = text
    return found


@pytest.mark.parametrize("nodes", ["1", "2"])
def test_who_waits_and_who_computes_both_say_where_they_are(run, nodes):
    status, _, err = run(
        PREAMBLE
        + """
    def compute():
        while True:
            time.sleep(1000)

    def meet():
        atoll.barrier()

    meet() if rank == 0 else compute()
    """,
        2,
        ATOLL_TIMEOUT="2",
        ATOLL_NODES=nodes,
    )
    assert status == STUCK, err
    said = blocks(err)
    assert re.search(r"waits in barrier since \d\d:\d\d:\d\d, \d+ s\n  stack:\n", said[0]), err
    assert "is outside of Atoll\n  stack:\n" in said[1], err
    assert re.search(r"line \d+ in meet\n", said[0]), err  # faulthandler's words
    assert re.search(r"line \d+ in compute\n", said[1]), err
    assert "nothing has moved for 2 s on some rank (ATOLL_TIMEOUT)" in err


def test_a_stuck_get_names_its_array(run):
    text = """
    a = atoll.zeros((4, 3), name="density")
    atoll.sync()
    if rank == 0:
        a[3, :]  # of the other node, which nobody serves
    else:
        time.sleep(1000)
    """
    status, _, err = run(
        PREAMBLE + text, 2, ATOLL_TIMEOUT="2", ATOLL_NODES="2", ATOLL_PROGRESS="none"
    )
    assert status == STUCK, err
    assert re.search(r'waits in get of \{"array": "density", .*\} since', blocks(err)[0]), err


def test_a_counted_second_is_one_in_which_the_process_could_run(run):
    text = """
    atoll.sync()
    resume = f"sleep 5; kill -CONT {os.getpid()}"
    subprocess.Popen(["sh", "-c", f"kill -STOP {os.getpid()}; {resume}"])
    time.sleep(0.5)  # stopped meanwhile, on all ranks
    atoll.sync()
    for _ in range(3):
        time.sleep(1.2 * rank)
        atoll.sync()
    print("done")
    """
    status, out, err = run(PREAMBLE + text, 2, ATOLL_TIMEOUT="3")
    assert status == 0, err
    assert out == "done\n" * 2


def test_a_timeout_that_is_none_is_refused(run):
    status, _, err = run(PREAMBLE, 2, ATOLL_TIMEOUT="0")
    assert status != 0
    assert "ATOLL_TIMEOUT=0: expected a number of seconds" in err
