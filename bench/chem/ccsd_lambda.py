"""Multipliers of CCSD: seconds an iteration, beside one of the amplitudes and beside PySCF's.

    python bench/chem/ccsd_lambda.py [--waters 3]

Clusters of water in cc-pVDZ, inner shells frozen. Atoll runs on 2 ranks, PySCF with 2 threads in a
process of its own before. The bars: at most 1.5 times an iteration of the amplitudes, and no slower
than PySCF's.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import warnings

import programs
import two_ranks
from waters import waters

BESIDE_AMPLITUDES, BESIDE_PYSCF = 1.5, 1.0
REPEATS = 6


def run_pyscf(count: int) -> None:
    """Print the seconds of the best iteration; the first order serves as amplitudes."""
    programs.load_pyscf()
    from pyscf import cc, scf
    from pyscf.cc import ccsd_lambda

    correlation = cc.CCSD(scf.RHF(waters(count)).run(), frozen=count)
    integrals = correlation.ao2mo()
    _, t1, t2 = correlation.init_amps(integrals)
    made = ccsd_lambda.make_intermediates(correlation, t1, t2, integrals)
    best = float("inf")
    for _ in range(REPEATS):
        started = time.perf_counter()
        ccsd_lambda.update_lambda(correlation, t1, t2, t1, t2, integrals, made)
        best = min(best, time.perf_counter() - started)
    print(best)


def run_atoll(count: int, pyscf: float) -> None:
    """Compute on the ranks that are there, and print the figures."""
    import atoll
    from atoll.chem import cc
    from pyscf import scf

    correlation = cc.CCSD(scf.RHF(waters(count)).run(), frozen=count)
    correlation.verbose = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        correlation.run()
        correlation.max_cycle, correlation.conv_tol = REPEATS, 1e-14
        correlation.solve_lambda()
    amplitudes = min(each.seconds for each in correlation.iterations[1:])
    multipliers = min(each.seconds for each in correlation.lambda_iterations[1:])
    if atoll.rank() == 0:
        print(f"(H2O){count} in cc-pVDZ, {atoll.size()} ranks, best of {REPEATS} iterations")
        print(
            f"multipliers {multipliers:.3f} s, amplitudes {amplitudes:.3f} s, PySCF {pyscf:.3f} s"
        )
        ratio = multipliers / amplitudes
        print(f"beside amplitudes: {ratio:.2f} times, at most {BESIDE_AMPLITUDES}")
        print(f"beside PySCF: {pyscf / multipliers:.2f} times as fast, at least {BESIDE_PYSCF}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--waters", type=int, default=3, help="molecules (3)")
    parser.add_argument("--pyscf", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.pyscf:
        run_pyscf(options.waters)
        return 0
    if options.inside:
        run_atoll(options.waters, float(os.environ["PYSCF_SECONDS"]))
        return 0
    environment = os.environ | {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    command = [sys.executable, *sys.argv, "--pyscf"]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    os.environ["PYSCF_SECONDS"] = done.stdout.split()[-1]
    return two_ranks.start(__file__)


if __name__ == "__main__":
    raise SystemExit(main())
