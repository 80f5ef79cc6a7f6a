"""Methods of PySCF's mean fields that work upon whole matrices: PySCF's own, on Atoll's matrices.

What they compute from orbitals and matrices that every rank has as NumPy arrays is PySCF's code, on
every rank; the matrices themselves (core, overlap, Coulomb, exchange, the potential) are Atoll's,
from all ranks. All ranks get what the first one has found.
"""

from __future__ import annotations

import functools
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective
from atoll.chem.pyscf_twin import to_pyscf

if TYPE_CHECKING:
    from collections.abc import Callable

    import atoll

METHODS = (
    "analyze", "canonicalize", "check_linear_dependency", "det_ovlp", "dump_scf_summary", "eig",
    "energy_elec", "energy_tot", "from_chk", "get_fock", "get_grad", "get_init_guess", "get_occ",
    "init_guess_by_1e", "init_guess_by_atom", "init_guess_by_chkfile", "init_guess_by_huckel",
    "init_guess_by_minao", "init_guess_by_mod_huckel", "init_guess_by_sap", "make_asym_dm",
    "make_rdm2", "mulliken_meta", "mulliken_meta_spin", "mulliken_pop_meta_lowdin_ao",
    "mulliken_spin_pop", "pop",
)  # fmt: skip
"""Not all kinds of mean fields have all of them."""


def methods_of_twin(kind: type) -> type:
    """Give a class all of `METHODS` that it has not itself: a decorator."""
    for name in METHODS:
        if not hasattr(kind, name):
            type.__setattr__(kind, name, _method(name))  # of our own, which `Guarded` refuses
    return kind


def _method(name: str) -> Callable[..., Any]:
    @collective
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return of_first(getattr(twin_of(self), name)(*args, **kwargs), self.group)

    call.__name__ = name
    call.__doc__ = f"Call PySCF's `{name}` upon this mean field's matrices. Collective."
    return call


def twin_of(mean_field: Any) -> Any:
    """Give PySCF's object of a mean field, with Atoll's matrices. Collective, as its methods are.

    Where matrices of another molecule are asked for, they are PySCF's.
    """
    mean_field.forget_if_changed()
    made = to_pyscf(mean_field)
    if mean_field.group.rank != 0:
        made.verbose = 0
    for name in ("get_hcore", "get_ovlp"):
        setattr(made, name, getattr(mean_field, name))
    for name in ("get_jk", "get_j", "get_k", "get_veff"):
        setattr(made, name, functools.partial(getattr(mean_field, name)))
    return made


def of_first(value: Any, group: atoll.Group) -> Any:
    """Give the first rank's value on all ranks. Collective."""
    if group.size == 1:
        return value
    pickled = pickle.dumps(value) if group.rank == 0 else b""
    return pickle.loads(group.broadcast(np.frombuffer(pickled, np.uint8)).tobytes())
