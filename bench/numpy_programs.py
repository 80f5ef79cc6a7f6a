"""Twelve classic programs (examples/python/numpy_programs): Atoll against NumPy.

    mpiexec -n 2 python bench/numpy_programs.py [NAME...] [--repeats N]

NumPy runs on rank 0 alone, the others sleep; then Atoll on all ranks. Of both the best of some
runs: seconds by the clock, and of the processor on rank 0. Lines are those of the two functions.
"""

import argparse
import importlib.util
import inspect
import time
from pathlib import Path

import atoll
import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "python" / "numpy_programs"


def programs(names):
    """Give the programs of these names, all by default."""
    for path in sorted(FOLDER.glob("*.py")):
        if not names or path.stem in names:
            spec = importlib.util.spec_from_file_location(path.stem, path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            yield path.stem, module


def lines(function):
    """Count the lines of a function that are not empty, and no comment."""
    text = map(str.strip, inspect.getsource(function).splitlines())
    return sum(1 for line in text if line and not line.startswith("#"))


def timed(function):
    """Give what a function gives, seconds by the clock and of the processor."""
    begun, used = time.perf_counter(), time.process_time()
    result = function()
    return result, time.perf_counter() - begun, time.process_time() - used


def same(x, y):
    """Tell whether two results are equal within rounding."""
    if isinstance(x, tuple):
        return all(same(a, b) for a, b in zip(x, y, strict=True))
    return np.allclose(x, y)


def alone(function):
    """Let rank 0 do something while the others sleep."""
    request = atoll.world().mpi4py().Ibarrier() if atoll.rank() else None
    made = function() if request is None else None
    if request is None:
        request = atoll.world().mpi4py().Ibarrier()
    while not request.Test():
        time.sleep(0.01)
    return made


def main():
    """Print a row for each program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    ranks = atoll.size()
    if atoll.rank() == 0:
        print(f"{'program':20s} lines       right   NumPy ms  Atoll ms  NumPy/Atoll  cpu ratio")
    for name, module in programs(given.names):
        numpy_runs, atoll_runs, right = [], [], True
        for _ in range(given.repeats):
            run = alone(lambda module=module: timed(module.by_numpy))
            atoll.sync()
            made, *spent = timed(module.by_atoll)
            atoll_runs.append(spent)
            if run is not None:
                expected, *spent = run
                numpy_runs.append(spent)
                right = right and same(expected, made)
        if atoll.rank() == 0:
            (theirs, their_cpu), (ours, our_cpu) = (
                np.min(runs, axis=0) for runs in (numpy_runs, atoll_runs)
            )
            print(
                f"{name:20s} {lines(module.by_numpy):3d} {lines(module.by_atoll):3d}   "
                f"{right!s:5s} {theirs * 1e3:10.1f} {ours * 1e3:9.1f} {theirs / ours:9.2f}    "
                f"{our_cpu / their_cpu:9.2f}",
                flush=True,
            )
    if atoll.rank() == 0:
        print(f"{ranks} ranks; cpu ratio: of rank 0, Atoll's to NumPy's")


if __name__ == "__main__":
    main()
