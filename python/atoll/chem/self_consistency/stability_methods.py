"""Stability analysis, as methods of a mean field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective
from atoll.chem.fock.direct import DirectFock
from atoll.chem.fock.two_electron import Density
from atoll.chem.guarded import NotSupportedError
from atoll.chem.pyscf_calls.absent import refusal
from atoll.chem.pyscf_calls.turned import turned
from atoll.chem.self_consistency import stability
from atoll.chem.self_consistency.field import Field
from atoll.chem.self_consistency.orthonormal import density_of

if TYPE_CHECKING:
    from atoll.chem.self_consistency.stability import Spin, Stability


class StabilityMethods(Field):
    """Whether the energy of a mean field is a minimum, and what to do where it is none."""

    @collective
    def stability(
        self, internal: bool = True, external: bool = False, verbose: Any = None,
        return_status: bool = False,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Find out whether the energy is a minimum, as PySCF does. Collective.

        Args:
            internal: Whether orbitals of the same kind are looked at.
            external: Of closed shells, whether unrestricted orbitals are.
            verbose: PySCF's: what is found is printed from 3 on; none: that of the mean field.
            return_status: Whether it is told if the energy is a minimum.

        Returns:
            Orbitals to begin with: those of this mean field, turned to where the energy falls if it
            is no minimum, of the kind looked at; None for what was not. With `return_status` then
            for either whether it is a minimum.

        Raises:
            NotImplementedError: As `stability_analysis`; `external` of open shells.

        """
        if external and self.spins == 2:
            raise refusal("stability(external=True) of unrestricted orbitals")
        found = self.stability_analysis(internal=internal, external=external)
        self._tell(found, self.verbose if verbose is None else int(verbose))
        orbitals, stable = [], []
        for name in ("internal", "external"):
            each = found.get(name)
            orbitals.append(None if each is None else turned(self, each, name == "external"))
            stable.append(None if each is None else each.stable)
        return (*orbitals, *stable) if return_status else tuple(orbitals)

    def _tell(self, found: dict[str, Stability], verbose: int) -> None:
        if verbose < 3 or self.group.rank != 0:
            return
        for name, each in found.items():
            verdict = "stable" if each.stable else "not stable"
            line = f"{self.method}: {name}: {verdict} ({each.eigenvalue:.6g} hartree)"
            print(line, file=self.stdout, flush=True)

    @collective
    def stability_analysis(
        self, *, internal: bool = True, external: bool = True
    ) -> dict[str, Stability]:
        """Find out whether the energy is a minimum. Collective.

        It gives what it found by name: "internal", and of closed shells "external" (whether
        unrestricted orbitals lie lower), each with the lowest eigenvalue of the second derivatives.
        `follow` goes on along an unstable one.

        Raises:
            NotImplementedError: of density functionals, fitted integrals and smeared occupations.

        """
        spins = _split(self)
        if self.method.endswith("KS"):
            raise NotSupportedError("the stability of density functionals is not supported")
        if self.with_df is not None:
            raise NotSupportedError("the stability of fitted mean fields is not supported")
        if self.smearing:
            raise NotSupportedError("the stability of smeared occupations is not supported")
        builder = DirectFock(self.basis, self.direct_scf_tol)
        found = {}
        if internal:
            found["internal"] = stability.check(self.basis, builder, spins)
        if external and self.spins == 1:
            found["external"] = stability.check(self.basis, builder, spins, opposite=True)
        builder.close()
        return found

    @collective
    def follow(self, found: Stability, angle: float = 1.0) -> float:
        """Go on from orbitals turned along an internal rotation; give the energy. Collective."""
        spins = _split(self)
        if [x.shape for x in found.rotation] != [spin.gaps.shape for spin in spins]:
            raise ValueError("found is of other orbitals than these")
        densities = []
        full = 3.0 - len(spins)
        for spin, x in zip(spins, found.rotation, strict=True):
            orbitals = stability.rotated(spin, x, angle)
            filled = np.full(orbitals.shape[1], full)
            densities.append(Density(*density_of(orbitals, filled, self.integrals.overlap)))
        return self.kernel(densities)

    def _begins_anew(self, dm0: Any) -> bool:
        """Tell whether a calculation begins with a guess, not with what somebody chose."""
        chosen = dm0 is not None or self.orbitals or self.restart_from
        return not chosen and not self.init_guess.startswith("chk")

    def _saddles(self, from_guess: bool) -> str:
        """Give what is done of saddles: where spins are unlike they are followed, else told of.

        The same where they were asked to begin unlike; the default of `init_guess_breaksym`, 1,
        asks nothing. What began with orbitals or densities given, or is smeared, is left.
        """
        if self.saddles is not None:
            return self.saddles
        if not from_guess or self.smearing:
            return "ignore"
        electrons = self.electrons()
        asked = getattr(self, "init_guess_breaksym", None) not in (None, 0, 1)
        return "follow" if asked or len(set(electrons)) > 1 else "tell"


def _split(field: Field) -> list[Spin]:
    if field.mo_energy is None or field.mo_occ is None:
        raise RuntimeError("there are no orbitals yet: call kernel() or run()")
    energies = np.reshape(field.mo_energy, (field.spins, -1))
    occupations = np.reshape(field.mo_occ, (field.spins, -1))
    return stability.spins_of(field.orbitals, list(energies), list(occupations))
