"""What a calculation tells its user: lines and progress on rank 0, and the result as JSON."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

import atoll

if TYPE_CHECKING:
    from atoll.chem.fock import FockBuilder
    from atoll.chem.hartree_fock import Iteration, Result
    from atoll.chem.molecules import Molecule

INTERVAL = 30.0
"""Seconds between lines of progress where the output is no terminal."""


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _say(text: str = "") -> None:
    print(text, flush=True)  # launchers forward output late otherwise


class Reporter:
    """Prints a calculation as it goes: an observer of `hartree_fock`, for one rank."""

    def __init__(self, molecule: Molecule, group: atoll.Group) -> None:
        self._bar: Any = None  # tqdm has no types
        self._terminal = sys.stderr.isatty()
        self._build_started = self._last_line = time.perf_counter()
        self._molecule = molecule
        charge = f", charge {molecule.charge:+d}" if molecule.charge else ""
        _say("Restricted Hartree-Fock, direct")
        _say(
            f"  molecule   {molecule.name}: {molecule.formula}, "
            f"{_many(len(molecule.symbols), 'atom')}, "
            f"{_many(molecule.electrons, 'electron')}{charge}"
        )
        cores = f", core potentials on {', '.join(molecule.cores)}" if molecule.cores else ""
        _say(f"  basis      {molecule.basis}: {_many(molecule.functions, 'function')}{cores}")
        _say(f"  run        {_many(group.size, 'rank')} on {_many(group.nodes, 'node')}")

    def setup(self, builder: FockBuilder, removed: int, seconds: float) -> None:
        """Print how the work is cut and the head of the table of iterations."""
        tasks = len(builder.tasks.quartets)
        _say(
            f"  setup      {_many(builder.blocks.count, 'block')} of shells, "
            f"{_many(tasks, 'task')}, {seconds:.2f} s"
        )
        if removed:
            _say(
                f"  note       {_many(removed, 'nearly dependent combination')} of basis functions "
                "left out"
            )
        _say()
        _say("  iteration         energy / hartree        change   DIIS error   time / s")
        self._begin_build()

    def tasks(self, done: int, total: int) -> None:
        """Move the progress bar, or print a line now and then."""
        if self._terminal:
            if self._bar is None:
                self._bar = tqdm(total=total, desc="  Fock matrix", unit=" tasks", leave=False)
            self._bar.update(done - self._bar.n)
            return
        now = time.perf_counter()
        if now - self._last_line >= INTERVAL:
            self._last_line = now
            _say(f"  Fock matrix: {done} of {total} tasks, {now - self._build_started:.0f} s")

    def iteration(self, iteration: Iteration) -> None:
        """Print the line of an iteration."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        change = f"{iteration.change:13.3e}" if iteration.number > 1 else f"{'-':>13}"
        _say(
            f"  {iteration.number:9d}  {iteration.energy:23.12f} {change}  "
            f"{iteration.error:11.3e}  {iteration.seconds:9.2f}"
        )
        self._begin_build()

    def _begin_build(self) -> None:
        self._build_started = self._last_line = time.perf_counter()

    def result(self, result: Result) -> None:
        """Print the summary."""
        count = _many(len(result.iterations), "iteration")
        _say()
        _say(f"Converged in {count}" if result.converged else f"NOT CONVERGED after {count}")
        levels = {**result.components, "total energy": result.energy}
        levels["highest occupied"] = result.orbital_energies[result.occupied - 1]
        if result.occupied < len(result.orbital_energies):
            levels["lowest unoccupied"] = result.orbital_energies[result.occupied]
        for name, value in levels.items():
            _say(f"  {name:<20}{value:23.12f} hartree")
        builds = [iteration.build for iteration in result.iterations]
        seconds = sum(build.seconds for build in builds)
        even = sum(build.efficiency * build.seconds for build in builds) / seconds
        quartets = sum(build.quartets for build in builds)
        _say(
            f"  {'time':<20}total {result.seconds:.2f} s, setup {result.setup_seconds:.2f} s, "
            f"Fock builds {seconds:.2f} s"
        )
        _say(f"  {'work':<20}{quartets:,} shell quartets, load balance {100 * even:.0f} %")


def as_json(molecule: Molecule, result: Result) -> dict[str, Any]:
    """Return the result for `--json`; docs/chemistry.md describes the fields."""
    return {
        "program": "atoll",
        "version": atoll.__version__,
        "method": "RHF",
        "converged": result.converged,
        "energy": result.energy,
        "components": result.components,
        "molecule": {
            "name": molecule.name,
            "symbols": list(molecule.symbols),
            "positions_angstrom": molecule.positions.tolist(),
            "charge": molecule.charge,
            "electrons": molecule.electrons,
            "basis": molecule.basis,
            "core_potentials": list(molecule.cores),
            "functions": result.functions,
            "dependent_functions_removed": result.removed,
        },
        "orbital_energies": result.orbital_energies.tolist(),
        "occupied_orbitals": result.occupied,
        "iterations": [
            {
                "number": iteration.number,
                "energy": iteration.energy,
                "change": iteration.change if iteration.number > 1 else None,
                "diis_error": iteration.error,
                "seconds": iteration.seconds,
                "tasks": iteration.build.tasks,
                "shell_quartets": iteration.build.quartets,
                "load_balance": iteration.build.efficiency,
            }
            for iteration in result.iterations
        ],
        "ranks": result.ranks,
        "nodes": result.nodes,
        "setup_seconds": result.setup_seconds,
        "seconds": result.seconds,
    }
