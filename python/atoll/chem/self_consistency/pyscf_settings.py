"""Settings of PySCF's mean fields that stand in many scripts: what each of them means here."""

from __future__ import annotations

from typing import Any, ClassVar

from atoll.chem.script_settings import Printed, bytes_of
from atoll.chem.self_consistency.field import Field


class PySCFSettings(Printed, Field):
    """Settings under PySCF's names, by those of ours that have the same meaning.

    Attributes:
        conv_check: Whether the energy is that of the last orbitals: it always is.
        small_rho_cutoff: Points with less density than this may be left out: none are.

    """

    integral_storage: str
    memory: int | None

    conv_check = True
    _without_effect: ClassVar[dict[str, tuple[Any, ...]]] = {
        "callback": (None,),
        "check_convergence": (None,),
        "conv_tol_cpscf": (1e-8,),
        "diis_damp": (0,),
        "diis_file": (None,),
        "diis_space_rollback": (0,),
        "disp_with_3body": (None, False),
        "opt": (None,),
        "output": (None,),
        "sap_basis": ("sapgrasplarge",),
        "_eri": (None,),
    }
    """What has no meaning here, with the only values that it may have."""

    @property
    def max_memory(self) -> float:
        """Megabytes of each rank for kept integrals, as `memory` is bytes; PySCF's: `mol`'s."""
        return float(self.mol.max_memory) if self.memory is None else self.memory / 1e6

    @max_memory.setter
    def max_memory(self, megabytes: float) -> None:
        self.memory = bytes_of(megabytes)

    @property
    def direct_scf(self) -> bool:
        """Whether integrals that memory does not hold are computed: not with `disk` storage.

        In PySCF they are on disk then, and so they are here.
        """
        return self.integral_storage != "disk"

    @direct_scf.setter
    def direct_scf(self, value: bool) -> None:
        if not value:
            self.integral_storage = "disk"
        elif self.integral_storage == "disk":
            self.integral_storage = "auto"
