"""What a calculation would take, before it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atoll.chem.calculations.calculation import readable
from atoll.chem.results.report import fit_text

if TYPE_CHECKING:
    import atoll
    from atoll.chem.calculations.calculation import Calculation
    from atoll.chem.molecules import Molecule
    from atoll.chem.molecules.options import Options

_MATRICES = 30
"""Square matrices that a self-consistent field has at a time, for one spin: those of DIIS,
integrals, densities, orbitals."""


def text(molecule: Molecule, calculation: Calculation, options: Options, group: atoll.Group) -> str:
    """Give lines of memory, disk and work, estimated from the numbers of functions."""
    field = calculation.mean_field
    n = molecule.functions
    alpha, beta = (int(count) for count in molecule.mole.nelec)
    matrices = _MATRICES * field.spins * 8 * n * n
    rows = [
        ("method", calculation.title),
        ("functions", f"{n:,}; occupied orbitals {alpha:,} alpha, {beta:,} beta"),
        *[("fitting set", text) for text in map(fit_text, calculation.fits)],
        ("matrices", f"{readable(matrices / group.size)} of memory a rank on {group.size}"),
    ]
    disk = 0.0
    if field.with_df is not None:
        x = calculation.fits[0].functions
        tensor = 8.0 * x * n * (n + 1) / 2
        rows.append(("fitting", f"{x:,} functions, tensor of {readable(tensor)} over all ranks"))
        if tensor / group.size > options.memory_or_default:
            disk += tensor
        work = 4.0 * x * n * n * alpha * field.spins
        rows.append(("work", f"{work:.2e} operations an iteration"))
    else:
        pairs = n * (n + 1) / 2
        integrals = pairs * (pairs + 1) / 2
        anew = options.integrals == "direct"
        rows.append(("work", f"at most {integrals:.2e} integrals{' an iteration' if anew else ''}"))
        if not anew:
            text = f"about {readable(8.0 * integrals)} over all ranks, as far as memory goes"
            rows.append(("kept", text))
        if options.integrals == "disk":
            disk += 8.0 * integrals
    needs = calculation.needs(group)
    rows += [("" if number else "correlation", line) for number, line in enumerate(needs.lines)]
    disk += needs.disk
    rows.append(("disk", f"{readable(disk)} at most, over all ranks" if disk else "none"))
    return "\n".join(f"  {name:<12} {value}" for name, value in rows)
