"""What a calculation tells its user: lines and progress, printed by one rank."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from atoll.chem.molecules.elements import is_ghost
from atoll.chem.results.frontier import frontier_levels
from atoll.chem.self_consistency import saddles

if TYPE_CHECKING:
    import atoll
    from atoll.chem.calculations.calculation import Calculation, Outcome
    from atoll.chem.correlation.coupled_cluster.solver import Iteration as AmplitudeIteration
    from atoll.chem.integrals.fitting_sets import Fit
    from atoll.chem.molecules import Molecule
    from atoll.chem.results.provenance import Provenance
    from atoll.chem.self_consistency.cycle import Iteration
    from atoll.chem.self_consistency.stability import Stability

INTERVAL = 30.0
"""Seconds between lines of progress where the output is no terminal."""


def many(count: int, word: str) -> str:
    """Give "1 atom", "2 atoms"."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def fit_text(fit: Fit) -> str:
    """Give a line of what is fitted, and by which set."""
    return f"{fit.of} by {fit.text}: {many(fit.functions, 'function')}"


def say(text: str = "") -> None:
    """Print a line at once: launchers forward output late otherwise."""
    print(text, flush=True)


class Reporter:
    """Prints a calculation as it goes: an `Observer`, for one rank."""

    def __init__(self, run: Provenance | None = None) -> None:
        self.run = run
        self._bar: Any = None  # tqdm has no types
        self._terminal = sys.stderr.isatty()
        self._begun = self._last_line = time.perf_counter()

    def head(self, calculation: Calculation, molecule: Molecule, group: atoll.Group) -> None:
        """Print what is computed."""
        charge = f", charge {molecule.charge:+d}" if molecule.charge else ""
        spin = f", {molecule.spin} unpaired" if molecule.spin else ""
        cores = f", core potentials on {', '.join(molecule.cores)}" if molecule.cores else ""
        if self.run:
            say(self.run.headline())
        say(calculation.title)
        say(
            f"  molecule   {molecule.name}: {molecule.formula}, "
            f"{many(len(molecule.symbols), 'atom')}{_ghosts(molecule)}, "
            f"{many(molecule.electrons, 'electron')}{charge}{spin}"
        )
        say(f"  basis      {molecule.basis}: {many(molecule.functions, 'function')}{cores}")
        for fit in calculation.fits:
            say(f"  fitting    {fit_text(fit)}")
        place = f": {self.run.place()}" if self.run else ""
        say(f"  run        {many(group.size, 'rank')} on {many(group.nodes, 'node')}{place}")

    def fields(self) -> dict[str, Any]:
        """Give what is to be written of the run itself."""
        return self.run.fields() if self.run else {}

    def note(self, text: str) -> None:
        """Print something that a person might want to know."""
        self._close_bar()
        say(f"  note       {text}")

    def tasks(self, done: int, total: int) -> None:
        """Move the progress bar, or print a line now and then."""
        if self._terminal:
            if self._bar is None or self._bar.total != total:
                self._close_bar()
                self._bar = tqdm(total=total, desc="  building", unit=" tasks", leave=False)
            self._bar.update(done - self._bar.n)
            return
        now = time.perf_counter()
        if now - self._last_line >= INTERVAL:
            self._last_line = now
            say(f"  building: {done} of {total} tasks, {now - self._begun:.0f} s")

    def iteration(self, iteration: Iteration) -> None:
        """Print the line of an iteration."""
        self._close_bar()
        if iteration.number == 1:
            say()
            say("  iteration         energy / hartree energy change   DIIS error   time / s")
        change = f"{iteration.change:13.3e}" if iteration.number > 1 else f"{'-':>13}"
        say(
            f"  {iteration.number:9d}  {iteration.energy:23.12f} {change}  "
            f"{iteration.error:11.3e}  {iteration.seconds:9.2f}"
        )
        self._begun = self._last_line = time.perf_counter()

    def amplitudes(self, iteration: AmplitudeIteration) -> None:
        """Print the line of an iteration of coupled cluster."""
        self._close_bar()
        if iteration.number == 1:
            say()
            say("  amplitudes    correlation / hartree energy change         step   time / s")
        say(
            f"  {iteration.number:10d}  {iteration.energy:23.12f} {iteration.change:13.3e}  "
            f"{iteration.step:11.3e}  {iteration.seconds:9.2f}"
        )
        self._begun = self._last_line = time.perf_counter()

    def triples(self, share: float) -> None:
        """Move the bar of (T), of whose work a share from 0 to 1 is done, or print a line."""
        if self._terminal:
            if self._bar is None:
                layout = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
                self._bar = tqdm(total=1.0, desc="  (T)", bar_format=layout, leave=False)
            self._bar.update(share - self._bar.n)
            if share >= 1.0:
                self._close_bar()
            return
        now = time.perf_counter()
        if now - self._last_line >= INTERVAL and 0.0 < share < 1.0:
            self._last_line = now
            left = (now - self._begun) * (1.0 - share) / share
            say(f"  (T): {100 * share:.0f} % of the work, about {left:.0f} s left")

    def result(self, calculation: Calculation, outcome: Outcome) -> None:
        """Print the summary."""
        self._close_bar()
        field = calculation.mean_field
        say()
        if outcome.unconverged:
            say("\n".join(outcome.unconverged.lines()))
        else:
            of = " of the self-consistent field" if calculation.correlated else ""
            count = len(field.solution.iterations) if field.solution else field.cycles
            say(f"Converged in {many(count, 'iteration')}{of}")
        for name, value in outcome.components.items():
            say(f"  {name:<22}{value:23.12f} hartree")
        energy = outcome.missing or f"{outcome.energy:23.12f} hartree"
        say(f"  {'total energy':<22}{energy}")
        for name, level in frontier_levels(field).items():
            say(f"  {name:<22}{level:23.12f} hartree")
        if field.solution and field.solution.curvature is not None:
            say(f"  {saddles.line(field.solution.curvature, field.solution.saddles_left)}")
        for name, value in outcome.facts.items():
            if isinstance(value, str):
                say(f"  {name:<22}{value}")
        self._times(outcome)

    def stability(self, found: dict[str, Stability]) -> None:
        """Print the lowest second derivatives."""
        for name, each in found.items():
            verdict = "stable" if each.stable else "UNSTABLE: there is a lower solution"
            say(f"  {f'{name} stability':<22}{each.eigenvalue:23.12f} hartree, {verdict}")

    def properties(self, molecule: Molecule, found: dict[str, Any]) -> None:
        """Print moments and charges."""
        say()
        if not found.get("converged_lambda", True):
            say("NOT CONVERGED: multipliers of the density (Lambda); what follows is not final")
        if "density" in found:
            say(f"  {'density':<22}{found['density']}")
        x, y, z = found["dipole_debye"]
        say(f"  {'dipole / debye':<22}{x:12.6f}{y:12.6f}{z:12.6f}")
        for name, row in zip("xyz", found["quadrupole_debye_angstrom"], strict=True):
            label = f"quadrupole {name} / D A"
            say(f"  {label:<22}" + "".join(f"{value:12.6f}" for value in row))
        say("  charges of atoms            Mulliken    Loewdin")
        charges = zip(
            molecule.symbols, found["mulliken_charges"], found["lowdin_charges"], strict=True
        )
        for number, (symbol, mulliken, lowdin) in enumerate(charges, 1):
            say(f"  {number:5d} {symbol:<3}{'':15}{mulliken:12.6f}{lowdin:11.6f}")

    def _times(self, outcome: Outcome) -> None:
        total = sum(outcome.seconds.values())
        say(f"  {'time':<22}{total:16.2f} s")
        shown = {name: each for name, each in outcome.seconds.items() if each >= 0.005}
        shown["other"] = total - sum(each for name, each in shown.items() if name != "other")
        for name, seconds in shown.items():
            say(f"    {name:<22}{seconds:14.2f} s {100 * seconds / max(total, 1e-9):5.1f} %")
            for part, spent in outcome.within.get(name, {}).items():
                if spent >= 0.005:
                    say(f"      {part:<20}{spent:14.2f} s")

    def end_of_tasks(self) -> None:
        """Take the progress bar away."""
        self._close_bar()

    def _close_bar(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _ghosts(molecule: Molecule) -> str:
    """Tell how many of the atoms are ghosts, if any."""
    count = sum(map(is_ghost, molecule.symbols))
    return f" ({count} of them ghosts)" if count else ""
