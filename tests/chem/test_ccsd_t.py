"""CCSD(T) through the classes, against PySCF's; any number of ranks."""

import atoll
import numpy as np
import pytest
from atoll.chem import cc
from pyscf import cc as pyscf_cc
from pyscf import gto, scf

pytestmark = pytest.mark.filterwarnings("ignore:.*large single amplitudes")


def field(spin):
    atoms = "O 0 0 0; H 0 0 0.97" if spin else "O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24"
    mol = gto.M(atom=atoms, basis="6-31g", spin=spin, verbose=0)
    return (scf.UHF if spin else scf.RHF)(mol).run(conv_tol=1e-12)


def solved(mf):
    ours = cc.CCSD(mf, frozen=1)
    ours.conv_tol, ours.conv_tol_normt = 1e-10, 1e-8
    return ours.run()


@pytest.mark.parametrize("spin", [0, 1])
def test_energies_of_triples_are_those_of_pyscf(spin, world):
    mf = field(spin)
    ours = solved(mf)
    found = ours.ccsd_t()
    expected = np.zeros(1)
    if atoll.rank() == 0:
        theirs = pyscf_cc.CCSD(mf, frozen=1)
        theirs.conv_tol, theirs.conv_tol_normt = 1e-10, 1e-8
        theirs.run()
        expected[0] = theirs.ccsd_t()
    assert found == pytest.approx(float(world.broadcast(expected)[0]), abs=2e-9)
    assert ours.e_triples == ours.triples.energy == found
    assert ours.triples.bracket != found


def test_a_killed_run_goes_on_where_it_was(world, tmp_path):
    ours = solved(field(0))
    expected = ours.ccsd_t()
    ours.triples_checkpoint = str(world.broadcast(str(tmp_path / "triples")))
    ours.triples_interval = 0

    def kill(share):
        raise RuntimeError(f"killed at {share}")

    ours.triples_observer = kill
    with pytest.raises(RuntimeError, match="killed at"):
        ours.ccsd_t()
    ours.triples_observer = None
    assert ours.ccsd_t() == pytest.approx(expected, abs=1e-11)
    assert ours.triples.resumed > 0
    ours.close()
    with pytest.raises(RuntimeError, match="before close"):
        ours.ccsd_t()


@pytest.mark.parametrize("spin", [0, 1])
def test_the_last_step_is_shorter_than_its_tolerance(spin):
    ours = cc.CCSD(field(spin), frozen=1)
    ours.conv_tol, ours.conv_tol_normt = 10.0, 1e-4  # any change of the energy would do
    ours.run()
    assert ours.converged
    assert ours.iterations[-1].step < 1e-4
    assert ours.iterations[-2].step >= 1e-4


@pytest.mark.parametrize("spin", [0, 1])
def test_what_fails_frees_its_arrays_at_once(spin, monkeypatch):
    made = []
    original = atoll.empty

    def empty(*shape, **options):
        made.append(original(*shape, **options))
        return made[-1]

    ours = solved(field(spin))

    def fail(share):
        raise RuntimeError("no more")

    ours.triples_observer = fail
    monkeypatch.setattr(atoll, "empty", empty)
    with pytest.raises(RuntimeError, match="no more"):
        ours.ccsd_t()
    assert made
    assert not any(array.alive for array in made)


def test_orbitals_that_are_not_canonical_are_refused():
    mf = field(0)
    mf.mo_coeff = np.array(mf.mo_coeff)
    pair = mf.mo_coeff[:, 2:4]
    mf.mo_coeff[:, 2:4] = pair @ np.array([[0.8, -0.6], [0.6, 0.8]])
    ours = solved(mf)
    with pytest.raises(ValueError, match="between occupied orbitals, expected at most 1e-05"):
        ours.ccsd_t()
