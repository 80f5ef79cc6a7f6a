"""Which method uses which option: all are walked; what is of no use is refused by name."""

import dataclasses

import atoll
import pytest
from atoll.chem import InputError, Molecule, methods
from atoll.chem.calculations import second_order, table
from atoll.chem.molecules import options as known
from atoll.chem.molecules.options import Options, checked

WATER = "3\n\nO 0 0 0.11779\nH 0 0.755453 -0.471161\nH 0 -0.755453 -0.471161\n"
METHODS = {
    "hf": "hf",
    "pbe": "k",
    "b3lyp": "k",
    "ri-mp2": "r",
    "scs-ri-mp2": "r",
    "sos-ri-mp2": "r",
    "b2plyp": "d",
    "b2gpplyp": "d",
    "pbe0-dh": "d",
    "ccsd": "c",
    "ccsd(t)": "ct",
    "mrci": "m",
}
# Of each option a value, and the letters of the methods that use it with integrals computed when
# needed and nothing fitted: Hartree-Fock, Kohn-Sham, RI-MP2, double hybrids, CCSD, (T), MRCI.
ALL = "hkrdctm"
USED = {
    "basis": ("sto-3g", ALL),
    "core_potential": ("none", ALL),
    "unit": ("angstrom", ALL),
    "ghost": ("", ALL),
    "charge": (0, ALL),
    "spin": (0, ALL),
    "active": ("2,2", "m"),
    "roots": (1, "m"),
    "frozen_core": (True, "rdcm"),
    "density_fitting": (True, "hkrdc"),
    "fit_coulomb": (True, "hkrd"),
    "auxiliary_basis": ("def2-universal-jkfit", "rd"),
    "correlation_auxiliary_basis": ("cc-pvdz-ri", "rd"),
    "integrals": ("direct", ALL),
    "ladder": ("auto", "c"),
    "scratch": (".", "rdcm"),
    "memory": (512 << 20, "rdcm"),
    "disk_quota": (0, ""),
    "xc_arrays": ("auto", "kd"),
    "grid_level": (3, "kd"),
    "dispersion": ("none", "kd"),
    "convergence": (1e-9, ALL),
    "screening": (1e-13, ALL),
    "max_iterations": (100, ALL),
    "level_shift": (0.0, ALL),
    "damping": (0.0, ALL),
    "diis": ("auto", ALL),
    "smearing": (0.0, "hk"),
    "guess": ("minao", ALL),
    "break_symmetry": (True, "hkrdc"),
    "chkfile": ("a.chk", ALL),
    "checkpoint_interval": (300.0, ""),
    "restart": ("a.chk", ALL),
    "time_limit": (60.0, ALL),
}
OWN_FIT = {"correlation_auxiliary_basis": "cc-pvdz-ri"}


@pytest.fixture(scope="module")
def water():
    return Molecule.from_xyz(WATER, "sto-3g").mole


def message(mol, command="energy", **values):
    """What making a calculation with these options is refused with; empty: it is made."""
    if values["method"] == "mrci":
        values.setdefault("active", "2,2")
    if not {"density_fitting", "fit_coulomb"} & set(values):
        values.setdefault("integrals", "direct")
    options = checked({"basis": "sto-3g", **values})
    try:
        methods.calculation(mol, options, atoll.world(), command)
    except InputError as error:
        return str(error)
    return ""


def test_every_option_is_in_the_table():
    assert set(table.USES) == set(known.types())
    assert {*USED, "method"} == set(known.types())
    others = {"given", "default_memory"}
    assert {field.name for field in dataclasses.fields(Options)} == {*known.types(), *others}


def test_every_method_by_name_is_in_the_table():
    listed = {name for name in METHODS if METHODS[name] != "k"}
    assert set(table.METHODS) == listed
    kinds = {name: each.kind for name, each in table.METHODS.items()}
    of = {kind: {name for name in kinds if kinds[name] is kind} for kind in table.Kind}
    assert of[table.Kind.SECOND_ORDER] == set(second_order.SCALED)
    assert of[table.Kind.DOUBLE_HYBRID] == set(second_order.DOUBLE_HYBRIDS)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("option", USED)
def test_an_option_is_used_or_refused_by_name_though_it_be_the_default(option, method, water):
    value, letters = USED[option]
    found = message(water, method=method, **{option: value})
    if set(letters) & set(METHODS[method].replace("hf", "h")):
        assert found == ""
    else:
        assert found.startswith(option.replace("_", "-") + " ")
        assert f"'{method}'" in found or "without chkfile" in found


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"method": "hf", "integrals": "auto", "memory": 1 << 20, "scratch": "."}, ""),
        ({"method": "hf", "integrals": "disk", "disk_quota": 1 << 20}, ""),
        ({"method": "hf", "density_fitting": True, "auxiliary_basis": "weigend"}, ""),
        ({"method": "pbe", "fit_coulomb": True, "integrals": "direct"}, "integrals means nothing"),
        ({"method": "b3lyp", "fit_coulomb": True, "memory": 1 << 30}, ""),
        ({"method": "ccsd", "density_fitting": True, "fit_coulomb": True}, "expected one of them"),
        ({"method": "hf", "density_fitting": True, "fit_coulomb": True}, "expected one of them"),
        ({"method": "HF*0.5", "grid_level": 3}, "grid-level means nothing"),
        ({"method": "hf", "guess": "atom", "restart": "a.chk"}, "guess means nothing beside"),
        ({"method": "ccsd(t)", "checkpoint_interval": 9.0, "chkfile": "a.chk"}, ""),
        ({"method": "ccsd(t)", "checkpoint_interval": 9.0}, "means nothing without chkfile"),
        ({"method": "hf", "frozen_core": False}, ""),
        ({"method": "b2plyp-d3bj", "frozen_core": True, "grid_level": 3}, ""),
        ({"method": "ri-mp2", "auxiliary_basis": "weigend"} | OWN_FIT, "means nothing beside"),
        ({"method": "ri-mp2", "auxiliary_basis": "weigend", "density_fitting": True} | OWN_FIT, ""),
    ],
)
def test_what_is_in_force_decides(values, text, water):
    found = message(water, **values)
    assert found == "" if text == "" else text in found


@pytest.mark.parametrize("option", ["integrals", "disk_quota", "screening"])
def test_nothing_of_four_functions_is_set_where_all_is_fitted(option, water):
    values = {"basis": "sto-3g", "method": "hf", "density_fitting": True}
    options = checked(values | {option: {"integrals": "auto"}.get(option, 1)})
    with pytest.raises(InputError, match="whose integrals are all fitted"):
        methods.calculation(water, options, atoll.world())


def test_the_gradient_of_ri_mp2_has_no_scratch_files(water):
    asked = {"method": "ri-mp2", "scratch": "."}
    assert message(water, "gradient", **asked) == ""
    assert message(water, "optimize", **asked).startswith("scratch means nothing")
    assert message(water, "optimize", **asked, density_fitting=True) == ""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("command", ["gradient", "optimize", "frequencies"])
def test_a_command_has_the_methods_that_it_lists(command, method, water):
    found = message(water, command, method=method)
    listed = table.names(with_gradient=True)
    assert (found == "") == (method in listed or METHODS[method] == "k")
    if found:
        assert found == f"method '{method}' has no gradient here: expected {', '.join(listed)}"


def test_a_functional_that_computes_integrals_and_keeps_none_is_said_to(water):
    values = {"method": "hyb_gga_xc_lc_wpbe", "integrals": "disk"}
    found = message(water, fit_coulomb=True, **values)
    assert found.endswith("'hyb_gga_xc_lc_wpbe', which keeps none")
    found = message(water, density_fitting=True, **values)
    assert found.endswith("'hyb_gga_xc_lc_wpbe', whose integrals are all fitted")


@pytest.mark.parametrize("name", ["mp2", "scs-mp2", "sos-mp2"])
def test_unfitted_mp2_is_told_its_fitted_name(water, name):
    expected = f"method '{name}' is here with fitted integrals: ri-{name}"
    assert message(water, method=name) == expected
