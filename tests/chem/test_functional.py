"""Functionals by name, against PySCF's answers; dispersion corrections."""

import sys
import types

import numpy as np
import pytest
from atoll.chem.exchange_correlation import Functional, dispersion
from atoll.chem.molecules import InputError
from pyscf import dft, gto

KINDS = {
    "lda,vwn": "LDA", "svwn": "LDA", "pbe": "GGA", "blyp": "GGA", "b3lyp": "GGA", "pbe0": "GGA",
    "camb3lyp": "GGA", "hse06": "GGA", "wb97x": "GGA", "scan": "MGGA", "tpss": "MGGA",
    "m062x": "MGGA", "0.5*b3lyp": "GGA", "hf": "HF", ".2*HF + .8*B88, LYP": "GGA",
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_kind_and_exact_exchange_are_those_of_pyscf(name):
    functional = Functional.from_name(name)
    assert functional.kind == KINDS[name]
    omega, long_range, hybrid = dft.numint.NumInt().rsh_and_hybrid_coeff(name)
    assert functional.hybrid == hybrid
    assert functional.omega == omega
    assert functional.long_range == (long_range if omega else 0)
    assert functional.dispersion is None


def test_a_name_may_ask_for_a_dispersion_correction():
    functional = Functional.from_name("B3LYP-D3BJ")
    assert (functional.name, functional.dispersion) == ("b3lyp", "d3bj")
    in_place_of_nonlocal = Functional.from_name("wb97m-d3bj")
    assert (in_place_of_nonlocal.name, in_place_of_nonlocal.dispersion) == ("wb97m-v", "d3bj")


@pytest.mark.parametrize(
    "name", ["b3lpy", "pbe,nothing", "", "  ", "lda,vwn,pbe,", "3*", "wb97x+x"]
)
def test_unknown_functionals_are_an_error_of_the_input(name):
    with pytest.raises(InputError, match="functional"):
        Functional.from_name(name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("wb97m_v", "VV10"),
        ("b97m-v", "VV10"),
        ("vv10", "VV10"),
        ("mgga_x_br89", "Laplacian"),
        ("wb97x_d", "'wb97x_d' is not supported"),
    ],
)
def test_what_is_not_supported_says_so(name, reason):
    with pytest.raises(NotImplementedError, match=reason):
        Functional.from_name(name)


def test_a_potential_is_the_slope_of_the_energy():
    densities = np.random.default_rng(2).uniform(0.2, 0.4, size=(2, 5, 6))
    for name in ("lda,vwn", "pbe", "tpss"):
        functional = Functional.from_name(name)
        given = densities[:, : functional.components].copy()
        potential = functional.evaluate(given)[1]
        assert potential.shape == given.shape

        def energy(step, given=given, functional=functional):
            moved = given.copy()
            moved[1, -1] += step
            return functional.evaluate(moved)[0] * moved[:, 0].sum(axis=0)

        slope = (energy(1e-5) - energy(-1e-5)) / 2e-5
        assert np.abs(slope - potential[1, -1]).max() < 1e-7


MOLE = gto.M(atom="Ne 0 0 0; Ne 0 0 3.2", basis="sto-3g", verbose=0)


def test_a_missing_dispersion_package_says_what_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "dftd3", None)
    monkeypatch.setitem(sys.modules, "dftd3.interface", None)
    with pytest.raises(ModuleNotFoundError, match="pip install dftd3"):
        dispersion(MOLE, "pbe", "d3bj")


def test_an_unknown_correction_is_an_error_of_the_input():
    with pytest.raises(InputError, match="'d2' is unknown: expected one of d3bj, d3zero"):
        dispersion(MOLE, "pbe", "d2")


def test_dispersion_asks_the_package_with_atoms_in_bohr(monkeypatch):
    asked = {}

    class Parameters:
        def __init__(self, method, atm):
            if method == "nothing":
                raise RuntimeError("no such method")
            asked["method"], asked["atm"] = method, atm

    class Model:
        def __init__(self, numbers, positions):
            asked["numbers"], asked["positions"] = numbers, positions

        def get_dispersion(self, parameters, grad):
            assert isinstance(parameters, Parameters)
            assert grad
            return {"energy": np.float64(-1.5), "gradient": np.ones((2, 3))}

    interface = types.SimpleNamespace(RationalDampingParam=Parameters, DispersionModel=Model)
    monkeypatch.setitem(sys.modules, "dftd3", types.SimpleNamespace(interface=interface))
    monkeypatch.setitem(sys.modules, "dftd3.interface", interface)
    energy, gradient = dispersion(MOLE, "pbe", "d3bj")
    assert (energy, gradient.shape) == (-1.5, (2, 3))
    assert (asked["method"], asked["atm"]) == ("pbe", False)
    assert asked["numbers"].tolist() == [10, 10]
    assert asked["positions"][1, 2] == pytest.approx(3.2 / 0.529177210903)
    dispersion(MOLE, "wb97m-v", "D3BJATM")
    assert (asked["method"], asked["atm"]) == ("wb97m", True)
    with pytest.raises(InputError, match="no parameters for functional 'nothing'"):
        dispersion(MOLE, "nothing", "d3bj")


def test_dispersion_binds_and_its_gradient_is_the_slope():

    def at(distance):
        mole = gto.M(atom=f"Ne 0 0 0; Ne 0 0 {distance}", unit="bohr", basis="sto-3g", verbose=0)
        return dispersion(mole, "pbe", "d3bj")

    energy, gradient = at(6.0)
    assert -1e-3 < energy < -1e-5
    assert gradient[1, 2] == pytest.approx((at(6.01).energy - at(5.99).energy) / 0.02, rel=1e-3)
