"""Stability of Hartree-Fock solutions against PySCF's second derivatives, built whole."""

import numpy as np
import pytest
from atoll.chem import dft, scf
from pyscf import gto
from pyscf.scf import hf, uhf


def make_mole(atoms, basis="6-31g", spin=0):
    return gto.M(atom=atoms, basis=basis, spin=spin, verbose=0)


def second_derivatives(field):
    """All of H, a column for each rotation, from PySCF's Coulomb and exchange matrices."""
    c, n = np.asarray(field.mo_coeff), np.asarray(field.mo_occ)
    e = np.asarray(field.mo_energy)
    spins = field.spins
    c, n, e = (
        c.reshape(spins, len(field.mol.ao_loc_nr()) and field.mol.nao, -1),
        *(x.reshape(spins, -1) for x in (n, e)),
    )
    split = [(c[s][:, n[s] > 0], c[s][:, n[s] == 0], e[s][n[s] > 0], e[s][n[s] == 0])
             for s in range(spins)]  # fmt: skip
    sizes = [(len(ev), len(eo)) for _, _, eo, ev in split]
    total = sum(v * o for v, o in sizes)

    def columns(opposite):
        matrix = np.zeros((total, total))
        for column, unit in enumerate(np.eye(total)):
            parts, begin = [], 0
            for v, o in sizes:
                parts.append(unit[begin : begin + v * o].reshape(v, o))
                begin += v * o
            changes = [cv @ x @ co.T for (co, cv, _, _), x in zip(split, parts, strict=True)]
            changes = np.array([d + d.T for d in changes])
            J, K = hf.get_jk(field.mol, changes, hermi=1)
            coulomb = J.sum(axis=0) * (2 if spins == 1 else 1) * (not opposite)
            images = [
                (cv.T @ (coulomb - K[s]) @ co + x * (ev[:, None] - eo)).ravel()
                for s, ((co, cv, eo, ev), x) in enumerate(zip(split, parts, strict=True))
            ]
            matrix[:, column] = np.concatenate(images)
        return matrix

    return columns


CASES = {
    "stable": ("O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24", 0),
    "broken bond": ("H 0 0 0; H 0 0 2.2", 0),
    "radical": ("N 0 0 0; H 0 0.8 0.6; H 0 -0.8 0.6", 1),
    "one electron": ("H 0 0 0", 1),
}


@pytest.mark.parametrize("case", CASES)
def test_the_lowest_second_derivative_is_that_of_the_whole_matrix(world, case):
    atoms, spin = CASES[case]
    field = (scf.RHF if spin == 0 else scf.UHF)(make_mole(atoms, spin=spin)).run(conv_tol=1e-11)
    found = field.stability_analysis()
    columns = second_derivatives(field)
    assert set(found) == ({"internal", "external"} if spin == 0 else {"internal"})
    for name, each in found.items():
        matrix = columns(name == "external")
        np.testing.assert_allclose(matrix, matrix.T, atol=1e-6)
        assert each.converged
        assert each.eigenvalue == pytest.approx(np.linalg.eigvalsh(matrix)[0], abs=1e-5)
        assert each.stable == (np.linalg.eigvalsh(matrix)[0] > -1e-4)


def test_an_unstable_solution_is_followed_to_a_lower_one(world):
    mole = make_mole("H 0 0 0; H 0 0 2.2")
    restricted = scf.RHF(mole).run()
    assert not restricted.stability_analysis()["external"].stable
    alike = scf.UHF(mole).run()  # both spins alike: a saddle point
    found = alike.stability_analysis()["internal"]
    assert not found.stable
    lower = alike.follow(found)
    assert lower < restricted.e_tot - 0.01
    assert alike.stability_analysis()["internal"].stable
    reference = uhf.UHF(mole)
    density = reference.get_init_guess()
    density[1][:2, :2] = 0  # no beta electrons on the first atom
    reference.kernel(density)
    assert lower == pytest.approx(reference.e_tot, abs=1e-6)


def test_what_has_no_stability_here_says_so(world):
    mole = make_mole("H 0 0 0; H 0 0 0.74", "sto-3g")
    with pytest.raises(RuntimeError, match="no orbitals yet"):
        scf.RHF(mole).stability_analysis()
    functional = dft.RKS(mole, "pbe")
    functional.grids.level = 0
    with pytest.raises(NotImplementedError, match="density functionals"):
        functional.run().stability_analysis()
    with pytest.raises(NotImplementedError, match="fitted"):
        scf.RHF(mole).density_fit().run().stability_analysis()
