"""The doors to the chemistry, by the same names: PySCF itself, Atoll's Python classes, and the
command line, in this process. What a row of `test_two_doors.py` asks, it asks at all of them.
"""

import argparse
import json

import numpy as np
import pytest
from atoll import cli
from dftd3.pyscf import DFTD3Dispersion
from pyscf import ao2mo, ci, df, dft, fci, gto, scf
from pyscf import cc as their_cc
from pyscf.geomopt import geometric_solver
from pyscf.hessian import thermo
from pyscf.mp import dfmp2, dfump2

CONVERGENCE = 1e-11


class Pyscf:
    """PySCF's own objects, configured as its users do; on one rank."""

    name = "PySCF"

    def mean_field(self, mol, kind, xc=None, fit=None, level=0, sigma=0.0, disp=None, **settings):
        mf = getattr(scf if xc is None else dft, kind)(mol)
        mf.conv_tol, mf.conv_tol_grad, mf.max_cycle = CONVERGENCE, 1e-7, 100
        if xc is not None:
            mf.xc, mf.grids.level, mf.small_rho_cutoff = xc, level, 0
        if fit is not None:
            mf = mf.density_fit(**fit)
        if sigma:
            mf = scf.addons.smearing(mf, sigma=sigma, method="fermi")
        mf.run(**{name: value for name, value in settings.items() if name != "diis"})
        mf.correction = _dispersion(mol, *disp) if disp is not None else 0.0
        return mf

    def energy(self, mf):
        return (getattr(mf, "e_free", None) or mf.e_tot) + mf.correction

    def second_order(self, mf, frozen, auxbasis, kohn_sham):
        """Give the correlation energies of opposite and of equal spins."""
        del kohn_sham
        kind = dfmp2.DFMP2 if mf.mo_occ.ndim == 1 else dfump2.DFUMP2
        found = kind(mf, frozen=frozen or None, mo_energy=mf.mo_energy)
        if auxbasis is not None:
            found.with_df = df.DF(mf.mol, auxbasis=auxbasis)
        found.verbose = 0
        found.kernel(with_t2=False)
        return found.e_corr_os, found.e_corr_ss

    def coupled_cluster(self, mf, frozen, triples):
        found = their_cc.CCSD(mf, frozen=frozen or None)
        found.conv_tol, found.conv_tol_normt = 1e-10, 1e-8
        found.kernel()
        return found.e_tot + (found.ccsd_t() if triples else 0.0)

    def configurations(self, mf, active, roots, frozen):
        """CISD for no active orbitals, full CI where all are."""
        if active == (0, 0):
            return [ci.CISD(mf, frozen=frozen or None).run(conv_tol=1e-12).e_tot]
        solver = fci.direct_spin1.FCI(mf.mol)
        solver.nroots, solver.conv_tol = roots, 1e-12
        one = mf.mo_coeff.T @ mf.get_hcore() @ mf.mo_coeff
        two = ao2mo.kernel(mf.mol, mf.mo_coeff)
        found = solver.kernel(one, two, mf.mo_coeff.shape[1], mf.mol.nelec)[0]
        return np.atleast_1d(found) + mf.mol.energy_nuc()

    def second_order_slope(self, mol, frozen, step=4e-3):
        """Give the derivative by the second atom's height, by differences of energies."""
        energies = []
        for factor in (-2, -1, 1, 2):
            positions = mol.atom_coords()
            positions[1, 2] += factor * step
            mf = self.mean_field(mol.set_geom_(positions, unit="Bohr", inplace=False), "RHF")
            energies.append(mf.e_tot + sum(self.second_order(mf, frozen, None, False)))
        return np.dot([1, -8, 8, -1], energies) / (12 * step)

    def optimized(self, mol):
        best = geometric_solver.optimize(self.mean_field(mol, "RHF"))
        return self.mean_field(best, "RHF").e_tot

    def vibrations(self, mol):
        hessian = self.mean_field(mol, "RHF").Hessian().kernel()
        return thermo.harmonic_analysis(mol, hessian)["freq_wavenumber"]


def _dispersion(mol, method, version):
    """Give the energy of the package dftd3 by its own interface to PySCF."""
    kind = version.removesuffix("atm").removesuffix("2b")
    found = DFTD3Dispersion(mol, xc=method, version=kind, atm=version.endswith("atm"))
    return float(found.kernel()[0])


class Python:
    """Atoll's classes, by the same calls; collective."""

    name = "Python"

    def mean_field(self, mol, kind, xc=None, fit=None, level=0, sigma=0.0, disp=None, **settings):
        from atoll.chem import dft, scf

        mf = getattr(scf, kind)(mol) if xc is None else getattr(dft, kind)(mol, xc)
        mf.conv_tol, mf.max_cycle, mf.smearing = CONVERGENCE, 100, sigma
        if xc is not None:
            mf.grids.level = level
        if disp is not None:
            mf.disp = disp[1] if disp[0] == xc else f"{disp[1]}:{disp[0]}"
        elif xc == "b97-d":
            mf.disp = False
        if fit is not None:
            mf = mf.density_fit(**fit)
        return mf.run(**settings)

    def energy(self, mf):
        return mf.e_free

    def second_order(self, mf, frozen, auxbasis, kohn_sham):
        from atoll.chem import mp

        found = mp.DFMP2(mf, frozen, auxbasis, kohn_sham=kohn_sham).run()
        return found.e_corr_os, found.e_corr_ss

    def coupled_cluster(self, mf, frozen, triples):
        from atoll.chem import cc

        found = cc.CCSD(mf, frozen)
        found.conv_tol, found.conv_tol_normt = 1e-10, 1e-8
        found.run()
        energy = found.e_tot + (found.ccsd_t() if triples else 0.0)
        found.close()
        return energy

    def configurations(self, mf, active, roots, frozen):
        from atoll.chem import mrci

        found = mrci.MRCI(mf, active, roots, frozen, conv_tol=1e-11).run()
        return np.atleast_1d(found.e_tot)

    def second_order_slope(self, mol, frozen):
        from atoll.chem import mp

        return mp.DFMP2(self.mean_field(mol, "RHF"), frozen).nuc_grad_method().kernel()[1, 2]

    def optimized(self, mol):
        from atoll.chem.geometry.optimize import optimize

        return optimize(self.mean_field(mol, "RHF")).energies[-1]

    def vibrations(self, mol):
        from atoll.chem.geometry.frequencies import frequencies

        return frequencies(self.mean_field(mol, "RHF")).wavenumbers


def command_line():
    """The parser of the command line, which is made anew for each call of it."""
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", lambda self, _: seen.append(self))
        cli._parse([])
    return seen[0]


PARSER = command_line()


def run_command(words, world, folder):
    """Run `atoll WORDS --json FILE` here, on all ranks; give status and fields of the file."""
    file = folder / "result.json"
    arguments = PARSER.parse_args([*words, "--json", str(file)])
    status = arguments.run(arguments, world)
    text = file.read_text() if status < 2 and world.rank == 0 else "{}"
    return status, json.loads(str(world.broadcast(text)))


def molecule(atoms, basis, **more):
    """PySCF's `Mole` of a row."""
    return gto.M(atom=atoms, basis=basis, verbose=0, **more)


def xyz(atoms):
    """Give the text of an XYZ file of PySCF's "F 0 0 0; H 0 0 1"."""
    lines = [line.strip() for line in atoms.split(";")]
    return "\n".join([str(len(lines)), "", *lines]) + "\n"


def as_file(name, symbols):
    """Give a basis set as a file in NWChem's format, as PySCF's readers want it."""
    letters = "SPDFGH"
    lines = ['BASIS "ao basis" SPHERICAL PRINT']
    for symbol in symbols:
        lines.append("#BASIS SET: shells")
        for momentum, *rows in gto.basis.load(name, symbol):
            for column in range(1, len(rows[0])):
                lines.append(f"{symbol}    {letters[momentum]}")
                lines += [f"  {row[0]:.10e}  {row[column]:.10e}" for row in rows]
    return "\n".join([*lines, "END", ""])
