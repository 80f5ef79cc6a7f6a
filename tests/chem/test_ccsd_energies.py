"""CCSD and CCSD(T) of many molecules and bases, beside energies that PySCF has computed."""

import json

import atoll
import pytest
from atoll.chem import cc
from correlated_references import FILE, MOLECULES, mean_field

ENERGIES = json.loads(FILE.read_text())["energies"]
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*large single amplitudes"),
    pytest.mark.skipif(atoll.size() > 2, reason="what ranks change, other tests see"),
]


@pytest.mark.parametrize("name", MOLECULES)
def test_energies_are_those_of_pyscf(name, world):
    of_mean_field, of_ccsd, of_triples = ENERGIES[name]
    ours = cc.CCSD(mean_field(name), frozen=MOLECULES[name][-1])
    ours.conv_tol, ours.conv_tol_normt = 1e-10, 1e-7
    ours.run()
    triples = ours.ccsd_t()
    assert ours.converged
    assert ours.e_corr == pytest.approx(of_ccsd, abs=1e-8)
    assert triples == pytest.approx(of_triples, abs=1e-8)
    assert ours.e_tot == pytest.approx(of_mean_field + of_ccsd, abs=1e-8)


def test_there_are_ten_of_closed_and_ten_of_open_shells():
    spins = [each[2] for each in MOLECULES.values()]
    assert min(spins.count(0), len(spins) - spins.count(0)) >= 10
    assert set(ENERGIES) == set(MOLECULES)
