"""What a calculation would take, before it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atoll.chem.integrals import pyscf_wheel
from atoll.chem.methods import MultiReference
from atoll.chem.mrci import most_vectors

if TYPE_CHECKING:
    import atoll
    from atoll.chem.methods import Calculation
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
        ("matrices", f"{_bytes(matrices / group.size)} of memory a rank on {group.size}"),
    ]
    disk = 0.0
    if field.with_df is not None:
        x = pyscf_wheel.scf_fitting_functions(molecule.mole, field.auxbasis).nao_nr()
        tensor = 8.0 * x * n * (n + 1) / 2
        rows.append(("fitting", f"{x:,} functions, tensor of {_bytes(tensor)} over all ranks"))
        if tensor / group.size > options.memory:
            disk += tensor
        work = 4.0 * x * n * n * alpha * field.spins
        rows.append(("work", f"{work:.2e} operations an iteration"))
    else:
        pairs = n * (n + 1) / 2
        rows.append(("work", f"at most {pairs * (pairs + 1) / 2:.2e} integrals an iteration"))
        if options.integrals == "disk":
            disk += 8.0 * pairs * (pairs + 1) / 2
    if isinstance(calculation, MultiReference):
        vector = 8.0 * calculation.determinants
        rows.append(("correlation", f"{calculation.determinants:,} determinants"))
        vectors = most_vectors(options.roots)
        rows.append(("", f"{_bytes(vector)} a vector over all ranks, at most {vectors} of them"))
        if vectors * vector / group.size > options.memory / 2:
            disk += vectors * vector
    elif calculation.correlated:
        x = pyscf_wheel.fitting_functions(molecule.mole, options.auxiliary_basis or None).nao_nr()
        tensor = 8.0 * x * (alpha * (n - alpha) + (beta * (n - beta) if field.spins == 2 else 0))
        rows.append(("correlation", f"tensor of {_bytes(tensor)} over all ranks"))
        rows.append(("", f"{x * (alpha * (n - alpha)) ** 2:.2e} operations"))
        if tensor / group.size > options.memory:
            disk += tensor
    rows.append(("disk", f"{_bytes(disk)} at most, over all ranks" if disk else "none"))
    return "\n".join(f"  {name:<12} {value}" for name, value in rows)


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"
