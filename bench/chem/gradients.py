"""Gradients of RI-HF and RI-MP2 on two ranks beside PySCF's with two threads.

    python bench/chem/gradients.py [--waters N] [--quick]

Orbitals are converged before, and not timed. PySCF has no gradient of RI-MP2: what stands beside
that is its energy's alone, RI-HF's gradient included, which any gradient has to do besides. The
limit: RI-HF's at least as fast as PySCF's.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import two_ranks
from waters import waters

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description="Time gradients of fitted methods.")
    parser.add_argument("--waters", type=int, default=6, metavar="N", help="molecules (6)")
    parser.add_argument("--quick", action="store_true", help="two molecules")
    parser.add_argument("--figures", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.quick:
        options.waters = 2
    if options.inside:
        figures = of_atoll(options.waters)
        options.figures.write_text(json.dumps(figures))
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        sys.argv += ["--figures", str(file)]
        if two_ranks.start(__file__) != 0:
            raise SystemExit("the ranks failed")
        ours = json.loads(file.read_text())
    report(ours, of_pyscf(options.waters))


def of_atoll(count: int) -> dict[str, float]:
    from atoll.chem import mp, scf

    mole = waters(count)
    mf = scf.RHF(mole).density_fit()
    mf.verbose = 0
    mf.run()
    mp2 = mp.DFMP2(mf, count)
    return {
        "functions": mole.nao,
        "RI-HF": seconds(mf.nuc_grad_method().kernel),
        "RI-MP2 energy": seconds(mp2.kernel),
        "RI-MP2": seconds(mp2.nuc_grad_method().kernel),
    }


def of_pyscf(count: int) -> dict[str, float]:
    import atoll.chem.integrals.pyscf_wheel  # noqa: F401  # its BLAS is told which CPU it is on
    from pyscf import lib, scf
    from pyscf.mp import dfmp2

    lib.num_threads(2)
    mf = scf.RHF(waters(count)).density_fit().run()
    energy = dfmp2.DFMP2(mf, frozen=count)
    return {
        "RI-HF": seconds(mf.nuc_grad_method().kernel),
        "RI-MP2 energy": seconds(lambda: energy.kernel(with_t2=False)),
    }


def seconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def report(ours: dict[str, float], theirs: dict[str, float]) -> None:
    print(f"gradients, {ours['functions']} functions: seconds on two ranks, two threads")
    for name in ("RI-HF", "RI-MP2 energy"):
        print(f"  {name:14} atoll {ours[name]:7.2f}   pyscf {theirs[name]:7.2f}")
    ratio = theirs["RI-HF"] / ours["RI-HF"]
    print(f"  RI-HF beside PySCF: {ratio:.2f} (limit {LIMIT})")
    both = theirs["RI-HF"] + theirs["RI-MP2 energy"]
    print(f"  {'RI-MP2':14} atoll {ours['RI-MP2']:7.2f}   (pyscf's energy and RI-HF {both:.2f})")


if __name__ == "__main__":
    main()
