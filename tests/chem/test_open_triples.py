"""The (T) correction of open shells against PySCF's: any number of ranks, tiles, broken off."""

import itertools

import atoll
import numpy as np
import pytest
from atoll import _core
from atoll.chem.correlation.coupled_cluster import open_triples, triples
from atoll.chem.correlation.coupled_cluster.open_triples_tasks import Orbitals, make_tasks
from atoll.chem.correlation.coupled_cluster.triples_tasks import cut
from pyscf import cc, gto, lib, scf

MOLECULES = {  # atoms, basis, spin, charge, frozen orbitals, restricted
    "hydroxyl": ("O 0 0 0; H 0 0 0.97", "6-31g", 1, 0, 0, False),
    "oxygen": ("O 0 0 0; O 0 0 1.2", "6-31g", 2, 0, 2, False),
    "amino": ("N 0 0 0; H 0 0.8 0.6; H 0 -0.8 0.6", "6-31g", 1, 0, 1, True),
    "oxygen, restricted": ("O 0 0 0; O 0 0 1.2", "sto-3g", 2, 0, 0, True),
    "water, closed": ("O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24", "sto-3g", 0, 0, 0, False),
    "lithium": ("Li 0 0 0", "6-31g*", 1, 0, 0, False),
    "nitrogen atom, no beta": ("N 0 0 0", "6-31g", 3, 0, None, False),
    "hydrogen": ("H 0 0 0; H 0 0 0.74", "6-31g", 0, 0, 0, False),
}
MEMORY = 1 << 26
ARRAYS = ("t1a", "t1b", "t2aa", "t2ab", "t2bb", *open_triples.Integrals._fields)
NUMBERS = ("e_o_a", "e_o_b", "e_v_a", "e_v_b", "fov_a", "fov_b")


def semicanonical(mf):
    """Orbitals of ROHF, turned so that both Fock matrices are diagonal in both of their blocks."""
    turned = scf.UHF(mf.mol)
    coefficients, energies, occupations = [], [], []
    fock = mf.get_fock()
    for spin, matrix in enumerate((fock.focka, fock.fockb)):
        occupied = mf.mo_occ > spin
        own = [mf.mo_coeff[:, occupied], mf.mo_coeff[:, ~occupied]]
        solved = [np.linalg.eigh(c.T @ matrix @ c) for c in own]
        coefficients.append(np.hstack([c @ u for c, (_, u) in zip(own, solved, strict=True)]))
        energies.append(np.hstack([e for e, _ in solved]))
        occupations.append(np.sort(occupied.astype(float))[::-1])
    turned.mo_coeff, turned.mo_energy = np.array(coefficients), np.array(energies)
    turned.mo_occ, turned.e_tot, turned.converged = np.array(occupations), mf.e_tot, True
    return turned


def by_pyscf(name):
    atoms, basis, spin, charge, frozen, restricted = MOLECULES[name]
    molecule = gto.M(atom=atoms, basis=basis, spin=spin, charge=charge, verbose=0)
    if restricted:
        mf = semicanonical(scf.ROHF(molecule).run(conv_tol=1e-13))
    else:
        mf = scf.UHF(molecule).run(conv_tol=1e-13)
    if frozen is None:  # all beta electrons
        frozen = [[0, 1], [0, 1]]
    uccsd = cc.UCCSD(mf, frozen=frozen).run(conv_tol=1e-7)
    eris = uccsd.ao2mo()
    known = dict(zip(("t1a", "t1b"), uccsd.t1, strict=True))
    known |= zip(("t2aa", "t2ab", "t2bb"), uccsd.t2, strict=True)
    counts = {
        letter: uccsd.t1["oO".find(letter) if letter in "oO" else "vV".find(letter)].shape[
            0 if letter in "oO" else 1
        ]
        for letter in "oOvV"
    }
    for field in open_triples.Integrals._fields:
        array = np.asarray(getattr(eris, field))
        if field.upper().endswith("VVV"):
            o, a, b, _ = (counts[letter] for letter in field)
            array = lib.unpack_tril(array.reshape(o * a, -1)).reshape(o, a, b, b)
        known[field] = array.reshape([counts[letter] for letter in field])
    for index, letter in enumerate("ab"):
        occupied = len(uccsd.t1[index])
        known[f"e_o_{letter}"] = eris.mo_energy[index][:occupied]
        known[f"e_v_{letter}"] = eris.mo_energy[index][occupied:]
        known[f"fov_{letter}"] = (eris.focka, eris.fockb)[index][:occupied, occupied:]
    known["restricted"] = restricted
    known["(T)"] = uccsd.ccsd_t(eris=eris) if len(uccsd.t1[1]) else None
    return known


@pytest.fixture(scope="module")
def reference():
    """What PySCF has computed on the first rank: degenerate orbitals turn freely."""
    made = {}

    def make(name="hydroxyl"):
        if name not in made:
            root = atoll.rank() == 0
            known = by_pyscf(name) if root else None
            made[name] = {
                each: atoll.world().broadcast(np.array(known[each], order="C") if root else None)
                for each in (*ARRAYS, *NUMBERS, "(T)", "restricted")
            }
        return made[name]

    return make


def correction(known, group=None, **options):
    group = atoll.world() if group is None else group
    arrays = [atoll.from_numpy(known[name], group=group) for name in ARRAYS]
    numbers = [known[name] for name in NUMBERS]
    if known["restricted"]:
        options = {"fock": tuple(numbers[4:]), **options}
    return open_triples.correction(
        group,
        tuple(arrays[:2]),
        tuple(arrays[2:5]),
        open_triples.Integrals(*arrays[5:]),
        tuple(numbers[:2]),
        tuple(numbers[2:4]),
        **{"memory": MEMORY, **options},
    )


@pytest.mark.parametrize("name", [name for name in MOLECULES if "no beta" not in name])
def test_energies_are_those_of_pyscf(name, reference):
    known = reference(name)
    found = correction(known)
    print(name, found.energy, known["(T)"])
    assert found.energy == pytest.approx(float(known["(T)"]), abs=1e-9)
