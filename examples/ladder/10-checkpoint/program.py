"""Checkpoints.

A loop that saves its state every few steps, is "killed", and goes on from the last checkpoint, on
any number of processes: arrays are found by name and cut as the new run likes.

Builds on: 08-disk. Next: 11-numpy.
"""

import tempfile

import atoll

folder = tempfile.mkdtemp() if atoll.rank() == 0 else None
folder = atoll.world().mpi4py().bcast(folder)


def run(state, last):
    """Go on from a state, or from the beginning; give the array and how many steps were made."""
    values = atoll.ones(1000) if state is None else state["values"]
    first = 0 if state is None else state["step"]
    for step in range(first + 1, last + 1):
        values *= 1.01
        if step % 10 == 0:
            atoll.checkpoint.save(
                folder + "/run", {"values": values, "step": step}, step=step, keep=2
            )
    return values, last - first


straight, _ = run(None, 35)
run(None, 27)  # ends here: what it did since step 20 is lost
resumed, steps = run(atoll.checkpoint.load(folder + "/run", step=20), 35)
same = bool(atoll.array_equal(straight, resumed))
if atoll.rank() == 0:
    print("steps after the restart:", steps)
    print("the same numbers:", same)
