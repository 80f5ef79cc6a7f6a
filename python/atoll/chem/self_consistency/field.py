"""What others may ask of a mean field: the base of its methods, without any of them.

Gradients, geometries and stability know mean fields by this; `mean_field.MeanField` is what fills
it in, and knows them.
"""

# ruff: noqa: D102  # MeanField describes them

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from atoll.chem.guarded import Guarded

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    import atoll
    from atoll.chem.fock.two_electron import Density
    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.integrals.one_electron import OneElectron
    from atoll.chem.self_consistency.assembly import ExactExchange
    from atoll.chem.self_consistency.hamiltonian import Parts


class Field(Guarded):
    """See `MeanField` for what these are."""

    spins: ClassVar[int]
    shared: ClassVar[bool]
    method: ClassVar[str]
    mol: Any
    orbitals: tuple[atoll.Array, ...]
    e_tot: float
    converged: bool
    cycles: int
    verbose: int
    with_df: Any
    only_dfj: bool
    direct_scf_tol: float
    saddles: str | None
    init_guess: str
    restart_from: str | None

    if TYPE_CHECKING:  # in MeanField

        @property
        def group(self) -> atoll.Group: ...
        @property
        def basis(self) -> BlockedBasis: ...
        @property
        def integrals(self) -> OneElectron: ...
        @property
        def smearing(self) -> float: ...
        @property
        def e_free(self) -> float: ...
        @property
        def mo_energy(self) -> NDArray[np.float64] | None: ...
        @property
        def mo_occ(self) -> NDArray[np.float64] | None: ...
        def electrons(self) -> tuple[int, ...]: ...
        def kernel(self, dm0: Any = None) -> float: ...
        def density_arrays(self, dm: Any = None) -> list[Density]: ...
        def exact_exchange(self) -> ExactExchange: ...
        def make_parts(self) -> Parts: ...
        def other_gradients(
            self, densities: Sequence[Density]
        ) -> dict[str, NDArray[np.float64]]: ...
        def nuc_grad_method(self) -> Any: ...
        def fitting_set(self) -> Any: ...
        def require_own_hamiltonian(self, what: str) -> None: ...
        def forget_if_changed(self) -> None: ...
