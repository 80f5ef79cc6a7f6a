"""What triples.py times: the (T) correction of water clusters, by Atoll and by PySCF.

Sizes are those of (H2O)n in cc-pVDZ with frozen cores, o = 4n and v = 19n; amplitudes and integrals
are numbers like theirs. Prints a line of JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

MEMORY = 1 << 30
SIDE = 1200  # of the matrices whose product is the peak
ROUNDS = 3
PIECE = 1 << 21  # of memory, in doubles

Arrays = dict[str, Any]


def problem(count: int) -> Arrays:
    """Make amplitudes and integrals with the symmetries that they have, the same everywhere."""
    o, v = 4 * count, 19 * count
    rng = np.random.default_rng(count)

    def numbers(*shape: int) -> Any:
        return (rng.random(shape) - 0.5) * 0.02

    t2, ovov = numbers(o, o, v, v), numbers(o, v, o, v)
    ovvv, ovoo = numbers(o, v, v, v), numbers(o, v, o, o)
    return {
        "t1": numbers(o, v),
        "t2": t2 + t2.transpose(1, 0, 3, 2),
        "ovov": ovov + ovov.transpose(2, 3, 0, 1),
        "ovvv": ovvv + ovvv.transpose(0, 1, 3, 2),
        "ovoo": ovoo + ovoo.transpose(0, 1, 3, 2),
        "occupied": np.sort(-0.5 - rng.random(o)),
        "virtual": np.sort(0.2 + 2 * rng.random(v)),
    }


def peak() -> Any:
    """Give the operations a second of a large product, by the wall and of the processor."""
    a, b, c = (np.full((SIDE, SIDE), 0.5) for _ in range(3))
    best = np.full(2, np.inf)
    for _ in range(ROUNDS):
        started, processor = time.perf_counter(), time.process_time()
        np.matmul(a, b, out=c)
        spent = time.perf_counter() - started, time.process_time() - processor
        best = np.minimum(best, spent)
    return 2 * SIDE**3 / best


def touch(count: int) -> None:
    """Take as much memory as the operands will, in pieces that stay with the process when freed.

    The host of a virtual machine may take longer to give new memory than the run to fill it.
    """
    import atoll

    o, v = 4 * count, 19 * count
    total = v * o * o * (v + o) + v * v * o * (v + 2 * o)
    pieces = [atoll.zeros(PIECE) for _ in range(-(-total // PIECE))]
    for piece in pieces:
        piece.destroy()


def by_atoll(count: int) -> dict[str, Any]:
    """Run it on all ranks; each measures the peak before and after, all at the same time."""
    import atoll
    from atoll.chem.correlation.coupled_cluster.triples import correction

    group = atoll.world()
    made = problem(count)
    arrays = [
        atoll.from_numpy(made[name], group=group) for name in ("t1", "t2", "ovov", "ovvv", "ovoo")
    ]
    energies = made["occupied"], made["virtual"]
    del made
    touch(count)
    group.sync()
    peaks = [peak()]
    group.sync()
    started = time.process_time()
    found = correction(group, *arrays, *energies, memory=MEMORY)
    processor = float(group.reduce(time.process_time() - started, "max"))
    peaks.append(peak())
    kernel = sum(found.seconds[kind] for kind in ("packing", "products", "energies"))
    best, best_of_processor = np.max([group.reduce(each) for each in peaks], axis=0) / group.size
    return {
        "value": found.energy,
        "seconds": found.elapsed,
        "processor": processor,
        "kernel seconds": kernel,
        "by kind": found.seconds,
        "flops": found.flops,
        "peak": float(best),
        "fraction": float(found.flops / kernel / best),
        "fraction, processor": float(found.flops / group.size / processor / best_of_processor),
    }


def by_pyscf(count: int) -> dict[str, Any]:
    """Do the same with PySCF, with as many threads as the environment says."""
    import atoll.chem.integrals.pyscf_wheel  # noqa: F401  # its BLAS is told which CPU it is on
    from pyscf.cc import ccsd_t

    made = problem(count)
    ovvv, occupied = made["ovvv"], len(made["occupied"])
    energies = np.concatenate([made["occupied"], made["virtual"]])
    eris = SimpleNamespace(
        ovov=made["ovov"],
        ovoo=made["ovoo"],
        get_ovvv=lambda *key: ovvv[key],
        fock=np.diag(energies),
        mo_energy=energies,
    )
    method = SimpleNamespace(
        incore_complete=True,
        mol=SimpleNamespace(symmetry=False),
        max_memory=4000,
        async_io=True,
        stdout=sys.stderr,
        verbose=0,
    )
    started, processor = time.perf_counter(), time.process_time()
    value = ccsd_t.kernel(method, eris, made["t1"], made["t2"], verbose=0)
    return {
        "value": float(value),
        "seconds": time.perf_counter() - started,
        "processor": (time.process_time() - processor) / int(os.environ["OMP_NUM_THREADS"]),
        "occupied": occupied,
    }


RUNS = {"atoll": by_atoll, "pyscf": by_pyscf}


def run(program: str, count: int, ranks: int = 1, threads: int = 1) -> dict[str, Any]:
    """Start one of them; give what it measured."""
    launcher = [str(Path(sys.executable).with_name("mpiexec")), "-n", str(ranks)]
    command = [sys.executable, __file__, program, str(count)]
    environment = {**os.environ}
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        environment[name] = str(threads)
    started = subprocess.run(
        command if program == "pyscf" else launcher + command,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    measured: dict[str, Any] = json.loads(started.stdout.strip().splitlines()[-1])
    return measured


if __name__ == "__main__":
    chosen, molecules = sys.argv[1:]
    figures = RUNS[chosen](int(molecules))
    import atoll

    if chosen == "pyscf" or atoll.rank() == 0:
        print(json.dumps(figures))
