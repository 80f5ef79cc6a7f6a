"""What a user hands over is honoured, as PySCF does, or refused by name: molecules, methods that
take others' places, and settings, at every door.
"""

import functools
from types import SimpleNamespace

import numpy as np
import pytest
from atoll.chem import cc, dft, from_pyscf, grad, mp, mrci, scf
from atoll.chem.geometry.frequencies import frequencies
from atoll.chem.geometry.optimize import optimize
from one_water import WATER, water
from pyscf import dft as pyscf_dft
from pyscf import gto, mcscf, qmmm
from pyscf import scf as pyscf_scf
from pyscf.mp.dfmp2 import DFMP2
from pyscf.pbc import gto as pbc


def field_of(mol):
    """Give the matrix of one electron in an electric field."""
    return pyscf_scf.hf.get_hcore(mol) + 0.05 * mol.intor("int1e_r")[2]


def molecules():
    """Give molecules that would pass for others, with what the error says."""
    moved = water()
    moved.omega = 0.3
    short = water()
    short.omega = -0.3
    own = water()
    own.intor = lambda *_, **__: np.eye(7)

    class Mine(gto.Mole):
        def atom_charges(self):
            return np.array([8, 1, 1])

    mine = Mine()
    mine.build(atom=WATER, basis="sto-3g", verbose=0)
    cell = pbc.M(atom="He 0 0 0; H 0 0 .9; H 0 .9 0", a=np.eye(3) * 3, basis="sto-3g", verbose=0)
    model = gto.M(verbose=0)
    model.nelectron = 2
    return {
        "GTH": water("gth-szv", pseudo="gth-pade"),
        "periodic cell": cell,
        "omega is 0.3": moved,
        "omega is -0.3": short,
        "intor was replaced": own,
        "atom_charges was replaced": mine,
        "model without atoms": model,
        "Cartesian": water("6-31g*", cart=True),
    }


@pytest.mark.parametrize("text", list(molecules()))
def test_a_molecule_that_would_pass_for_another_is_refused(text, world):
    mol = molecules()[text]
    for kind in (scf.RHF, scf.UHF, scf.ROHF, dft.RKS, dft.UKS):
        with pytest.raises(NotImplementedError, match=text):
            kind(mol)
    with pytest.raises(NotImplementedError, match=text):
        scf.RHF(water()).as_scanner()(mol)
    with pytest.raises(NotImplementedError, match=text):
        from_pyscf(pyscf_scf.hf.RHF(mol))
    orbitals = SimpleNamespace(
        mol=mol, mo_coeff=np.eye(2), mo_occ=[2, 0], mo_energy=[0, 0], e_tot=0
    )
    for method in (cc.CCSD, cc.UCCSD, mp.DFMP2, mrci.MRCI) if text != "Cartesian" else ():
        with pytest.raises(NotImplementedError, match=text):
            method(orbitals)


def test_a_molecule_that_was_not_built_or_is_none_is_named(world):
    with pytest.raises(ValueError, match="has not been built"):
        scf.RHF(gto.Mole())
    with pytest.raises(TypeError, match="mol is str"):
        scf.RHF("H 0 0 0")


def test_correlation_of_cartesian_functions_is_that_of_pyscf(world):
    mf = gto.M(atom="He 0 0 0; He 0 0 1.5", basis="cc-pvdz", cart=True, verbose=0).RHF().run()
    assert cc.CCSD(mf).kernel()[0] == pytest.approx(mf.CCSD().run(conv_tol=1e-9).e_corr, abs=1e-7)
    assert mp.DFMP2(mf).kernel()[0] == pytest.approx(DFMP2(mf).run().e_corr, abs=1e-8)


def test_an_energy_of_the_nuclei_that_was_set_is_taken_and_has_no_derivative(world):
    mol = water()
    mol.enuc = 5.0
    mf = scf.RHF(mol).run()
    assert mf.e_tot == pytest.approx(pyscf_scf.RHF(mol).run().e_tot, abs=1e-8)
    assert from_pyscf(pyscf_scf.RHF(mol)).kernel() == pytest.approx(mf.e_tot, abs=1e-8)
    with pytest.raises(NotImplementedError, match="energy of the nuclei was set"):
        mf.nuc_grad_method().kernel()


FIELDS = {
    "RHF": (scf.RHF, pyscf_scf.RHF, 0),
    "UHF": (scf.UHF, pyscf_scf.UHF, 2),
    "ROHF": (scf.ROHF, pyscf_scf.ROHF, 2),
    "RKS": (lambda mol: dft.RKS(mol, "lda"), lambda mol: pyscf_dft.RKS(mol, "lda"), 0),
    "fitted": (lambda m: scf.RHF(m).density_fit(), lambda m: pyscf_scf.RHF(m).density_fit(), 0),
}


@pytest.mark.parametrize("kind", list(FIELDS))
def test_replaced_methods_are_called_as_pyscf_calls_them(kind, world):
    """Of the object, of one of PySCF's that it is made of, and of a class."""
    ours, theirs, spin = FIELDS[kind]
    mol = water(spin=spin)
    core, overlap = field_of(mol), 1.02 * mol.intor("int1e_ovlp")
    fields = [ours(mol), theirs(mol)]
    for mf in fields:
        mf.get_hcore, mf.get_ovlp = lambda *_: core, lambda *_: overlap
        mf.energy_nuc = lambda *_: 3.0
        mf.conv_tol = 1e-10
        mf.kernel()
    expected = fields[1].e_tot
    assert fields[0].e_tot == pytest.approx(expected, abs=1e-7)
    assert abs(ours(mol).kernel() - expected) > 0.1
    other = theirs(mol)
    other.get_hcore, other.get_ovlp = lambda *_: core, lambda *_: overlap
    other.energy_nuc = lambda *_: 3.0
    assert from_pyscf(other).kernel() == pytest.approx(expected, abs=1e-6)
    assert fields[0].to_pyscf().kernel() == pytest.approx(expected, abs=1e-6)
    if kind == "fitted":
        return

    class Mine(type(ours(mol))):
        max_cycle = 49

        def get_hcore(self, mol=None):
            return super().get_hcore(mol) + 0.05 * self.mol.intor("int1e_r")[2]

        def get_ovlp(self, mol=None):
            return 1.02 * super().get_ovlp(mol)

        def energy_nuc(self):
            return 3.0

    mine = Mine(mol)
    if kind == "RKS":
        mine.xc = "lda"
    assert mine.max_cycle == 49
    assert mine.kernel() == pytest.approx(expected, abs=1e-6)


def test_a_field_that_changes_is_asked_again(world):
    mol = water()
    strength = [0.0]
    mf = scf.RHF(mol)
    position = mol.intor("int1e_r")[2]
    plain = mf.get_hcore()
    mf.get_hcore = lambda *_: plain + strength[0] * position
    without = mf.kernel()
    strength[0] = 0.05
    assert abs(mf.kernel() - without) > 1e-3
    del mf.get_hcore
    assert mf.kernel() == pytest.approx(without, abs=1e-7)


def test_what_a_replaced_method_gives_is_looked_at(world):
    mf = scf.RHF(water())
    wrong = {
        "shape": (lambda *_: np.eye(3), ValueError),
        "complex": (lambda *_: 1j * np.eye(7), TypeError),
        "not symmetric": (lambda *_: np.triu(np.ones((7, 7))), ValueError),
        "not finite": (lambda *_: np.full((7, 7), np.nan), ValueError),
    }
    for text, (function, error) in wrong.items():
        mf.get_hcore = function
        with pytest.raises(error, match=text):
            mf.kernel()
    if world.size > 1:
        core = field_of(mf.mol) + world.rank * np.eye(7)
        mf.get_hcore = lambda *_: core
        with pytest.raises(ValueError, match="on this rank"):
            mf.kernel()
        mf.get_hcore = field_of
        mf.energy_nuc = lambda: float(world.rank)
        with pytest.raises(ValueError, match="energy_nuc gives"):
            mf.kernel()


def test_methods_that_would_not_be_called_are_refused_where_they_are_put(world):
    mol = water()
    for name in ("get_veff", "get_jk", "get_fock", "get_occ", "eig", "make_rdm1", "energy_elec"):
        with pytest.raises(NotImplementedError, match=name):
            setattr(scf.RHF(mol), name, print)
        with pytest.raises(NotImplementedError, match=name):
            type("Mine", (scf.RHF,), {name: print, "__module__": "mine"})(mol)
        with pytest.raises(NotImplementedError, match=name):
            setattr(scf.RHF, name, print)
    with pytest.raises(NotImplementedError, match="set on the class RHF"):
        scf.RHF.conv_tol = 1e-12
    with pytest.raises(NotImplementedError, match="update_amps"):
        type("Mine", (cc.RCCSD,), {"update_amps": print, "__module__": "mine"})(scf.RHF(mol).run())


class Tilted(scf.UHF):
    """A class of a user's, with a field of its own."""

    def get_hcore(self, mol=None):
        return field_of(self.mol if mol is None else mol)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("RHF", "get_hcore"),
        ("RHF", "get_ovlp"),
        ("RHF", "energy_nuc"),
        ("fitted", "get_hcore"),
        ("RKS", "energy_nuc"),
        ("UHF", "get_ovlp"),
        ("class", "get_hcore"),
    ],
)
def test_derivatives_of_replaced_methods_are_refused(world, kind, name):
    mol = water()
    mf = {
        "RHF": lambda: scf.RHF(mol),
        "fitted": lambda: scf.RHF(mol).density_fit(),
        "RKS": lambda: dft.RKS(mol, "lda"),
        "UHF": lambda: scf.UHF(mol),
        "class": lambda: Tilted(mol),
    }[kind]()
    other = {
        "get_hcore": lambda *_: field_of(mol),
        "get_ovlp": lambda *_: 1.02 * mol.intor("int1e_ovlp"),
        "energy_nuc": lambda *_: 3.0,
    }[name]
    before = mf.nuc_grad_method()
    if kind == "RKS":
        mf.grids.level = 0
    if kind != "class":
        setattr(mf, name, other)
    scanner = mf.nuc_grad_method().as_scanner()
    calls = [before.kernel, grad.Gradients(mf).kernel, lambda: scanner(mol)]
    if kind != "RKS":
        calls += [mp.DFMP2(mf.run()).nuc_grad_method().kernel, mp.DFMP2(mf).Gradients().kernel]
    for call in calls:
        with pytest.raises(NotImplementedError, match=f"{name} was replaced"):
            call()
    for task in (optimize, frequencies):
        with pytest.raises(NotImplementedError, match=f"{name} was replaced"):
            task(mf)


def hamiltonians():
    """Give PySCF's mean fields whose Hamiltonian is not their molecule's."""
    mol = water()
    field = pyscf_scf.RHF(mol)
    core = field_of(mol)
    field.get_hcore = lambda *_: core
    fitted = pyscf_scf.RHF(mol).density_fit()
    fitted.get_hcore = lambda *_: core
    shifted = pyscf_scf.RHF(mol)
    shifted.energy_nuc = lambda *_: 3.0
    return {
        "X2C": pyscf_scf.RHF(mol).x2c(),
        "field": field,
        "charges": qmmm.mm_charge(pyscf_scf.RHF(mol), [(0.0, 0.0, 5.0)], [0.8]),
        "nuclei": shifted,
        "fitted": fitted,
        "triplet": pyscf_scf.ROHF(water(spin=2)).x2c(),
    }


@pytest.mark.parametrize("name", list(hamiltonians()))
def test_mrci_and_ccsd_have_the_hamiltonian_of_the_mean_field(name, world):
    mf = hamiltonians()[name].run(conv_tol=1e-11)
    if name != "fitted":  # MRCI takes exact integrals
        ours = mrci.MRCI(mf, (4, 4)).run().e_tot
        ours -= mrci.MRCI(mf, (0, 0) if name != "triplet" else (2, 2)).run().e_tot
        assert abs(ours) < 0.1
        full = mcscf.CASCI(mf, mf.mol.nao, mf.mol.nelec)
        expected = full.run().e_tot
        assert mrci.MRCI(mf, (10, 7)).run().e_tot == pytest.approx(expected, abs=1e-7)
        assert mrci.MRCI(full, frozen=0).run().e_tot == pytest.approx(expected, abs=1e-7)
    theirs = mf.CCSD().run(conv_tol=1e-9, conv_tol_normt=1e-7)
    found = cc.CCSD(mf)
    found.conv_tol, found.conv_tol_normt = 1e-9, 1e-7
    assert found.run().e_tot == pytest.approx(theirs.e_tot, abs=1e-7)


def test_our_own_field_goes_on_to_correlation(world):
    mol = water()
    mine, theirs = scf.RHF(mol), pyscf_scf.RHF(mol)
    core = field_of(mol)
    for mf in (mine, theirs):
        mf.get_hcore = lambda *_: core
        mf.run(conv_tol=1e-11)
    expected = theirs.CCSD().run(conv_tol=1e-9).e_tot
    assert cc.CCSD(mine).run().e_tot == pytest.approx(expected, abs=1e-6)
    expected = mcscf.CASCI(theirs, 7, 10).run().e_tot
    assert mrci.MRCI(mine, (10, 7)).run().e_tot == pytest.approx(expected, abs=1e-7)


def test_energies_that_are_not_of_the_determinant_are_told(world):
    mol = water()
    own = pyscf_scf.RHF(mol)
    own._eri = 1.1 * mol.intor("int2e", aosym="s8")
    own.run()
    for method in (cc.CCSD, lambda mf: mrci.MRCI(mf, (2, 2))):
        with pytest.raises(NotImplementedError, match="parts that cannot be passed on"):
            method(own).kernel()
    with pytest.raises(NotImplementedError, match="_eri"):
        from_pyscf(own)
    replaced = pyscf_scf.RHF(mol).run()
    replaced.get_veff = lambda *_: 0
    for method in (cc.CCSD, mp.DFMP2, mrci.MRCI):
        with pytest.raises(NotImplementedError, match="get_veff was replaced"):
            method(replaced)
    for method in (mrci.MRCI, cc.CCSD):
        with pytest.raises(NotImplementedError, match="in a solvent"):
            method(pyscf_scf.RHF(mol).PCM().run())


def test_orbitals_of_ones_own_have_their_own_energy(world):
    mf = pyscf_scf.RHF(water()).run()
    turned = mf.copy()
    turn = np.eye(7)
    turn[4:6, 4:6] = [[np.cos(0.1), -np.sin(0.1)], [np.sin(0.1), np.cos(0.1)]]
    turned.mo_coeff = mf.mo_coeff @ turn
    theirs = mf.CCSD(mo_coeff=turned.mo_coeff).run(conv_tol=1e-9)
    assert cc.CCSD(turned).run().e_tot == pytest.approx(theirs.e_tot, abs=1e-6)
    assert cc.CCSD(turned).run().e_hf == pytest.approx(theirs.e_hf, abs=1e-8)


def test_mean_fields_without_orbitals_or_with_others_are_named(world):
    mol = water()
    for mf in (pyscf_scf.RHF(mol), scf.RHF(mol)):
        with pytest.raises(RuntimeError, match="no orbitals yet"):
            mrci.MRCI(mf, (2, 2))
    for method in (cc.CCSD, cc.RCCSD, cc.UCCSD, mp.DFMP2, lambda mf: mrci.MRCI(mf, (2, 2))):
        with pytest.raises(NotImplementedError, match="GHF"):
            method(pyscf_scf.GHF(mol).run())
        other = SimpleNamespace(mol=mol, mo_coeff=np.eye(5), mo_occ=np.ones(5), e_tot=0.0)
        with pytest.raises(ValueError, match="expected 7 functions"):
            method(other)


@pytest.mark.parametrize(
    ("make", "name", "values"),
    [
        (scf.RHF, "max_cycle", (50, 3)),
        (scf.RHF, "init_guess", ("minao", "1e")),
        (scf.RHF, "direct_scf_tol", (1e-13, 1e-9)),
        (scf.UHF, "init_guess_breaksym", (1, 0)),
        (dft.RKS, "xc", ("pbe", "b3lyp")),
        (dft.RKS, "grids.level", (3, 1)),
        (lambda mol: cc.CCSD(scf.RHF(mol).run()), "max_cycle", (50, 3)),
        (lambda mol: mrci.MRCI(scf.RHF(mol).run(), (2, 2)), "max_cycle", (60, 1)),
    ],
)
def test_settings_that_differ_between_ranks_are_told_on_all(world, make, name, values):
    if world.size == 1:
        pytest.skip("one rank agrees with itself")
    made = make(gto.M(atom="He 0 0 0; H 0 0 0.9", charge=1, basis="6-31g", verbose=0))
    *path, last = name.split(".")
    owner = functools.reduce(getattr, path, made)
    setattr(owner, last, values[world.rank == world.size - 1])
    with pytest.raises(RuntimeError, match=r"settings of .*: ranks disagree"):
        made.kernel()
