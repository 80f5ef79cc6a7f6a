"""Jacobi relaxation that goes on where it was interrupted, with any number of processes.

Run with `mpiexec -n 4 python jacobi.py FOLDER 2000`, stop it, and run it again with another number
of processes. While a checkpoint is saved the next sweeps are computed. Without FOLDER it starts
anew in a temporary one.
"""

import contextlib
import sys
import tempfile

import atoll
import numpy as np

POINTS, SAVED_EVERY = 120, 50
sweeps = int(sys.argv[2]) if len(sys.argv) > 2 else 200

with contextlib.ExitStack() as stack:
    folder = sys.argv[1] if len(sys.argv) > 1 else ""
    if not folder:
        made = stack.enter_context(tempfile.TemporaryDirectory()) if atoll.rank() == 0 else ""
        name = np.frombuffer(made.encode(), np.uint8) if made else None
        folder = bytes(atoll.world().broadcast(name)).decode()

    layout = atoll.blocked(halo=1)
    now, then = (atoll.zeros((POINTS, POINTS), distribution=layout) for _ in range(2))
    for grid in (now, then):
        for (block_rows, _), _ in grid.blocks():
            if block_rows.start == 0:
                grid.local_with_halo()[0, :] = 100.0  # the hot side; halos are not saved
    first = 0
    with contextlib.suppress(FileNotFoundError):
        first = atoll.checkpoint.load(folder, into={"grid": now})["sweep"]
    if first > 0 and atoll.rank() == 0:
        print(f"goes on after sweep {first}")

    request = None
    for sweep in range(first + 1, sweeps + 1):
        now.update_halo(corners=False)
        around = now.local_with_halo()
        then.local()[...] = 0.25 * (
            around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:]
        )
        now, then = then, now
        if sweep % SAVED_EVERY == 0 or sweep == sweeps:
            if request is not None:
                request.wait()
            request = atoll.checkpoint.save_async(folder, {"grid": now, "sweep": sweep}, step=sweep)
    if request is not None:
        request.wait()
    mean = float(now.sum()) / POINTS**2
    if atoll.rank() == 0:
        print(
            f"sweep {max(first, sweeps)}: mean {mean:.6f}, saved: {atoll.checkpoint.steps(folder)}"
        )
    atoll.barrier()
