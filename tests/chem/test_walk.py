"""Every name of PySCF's classes on ours: it is there, or refused by its name; none is ignored.

What may be set is one of `SETTINGS`, whose effects are tested elsewhere or in
`test_nothing_ignored.py`, or of `OUTPUT`, on which no number depends.
"""

import copy

import pytest
from atoll.chem import cc, df, dft, grad, mp, mrci, scf
from atoll.chem.guarded import NotSupportedError
from pyscf import dft as pyscf_dft
from pyscf import gto
from pyscf import scf as pyscf_scf
from pyscf.mcscf import CASCI
from pyscf.mp import dfmp2

FIELD = {
    "get_hcore", "get_ovlp", "energy_nuc", "kernel", "run", "scf",  # replaced, they are called
    "mol", "conv_tol", "conv_tol_grad", "max_cycle", "init_guess", "level_shift", "damp", "diis",
    "diis_space", "diis_start_cycle", "direct_scf", "direct_scf_tol", "chkfile", "with_df",
    "only_dfj", "max_memory", "smearing", "mo_coeff", "mo_energy", "mo_occ", "DIIS",
}  # fmt: skip
NUMBERS = {"nelec", "_nelec"}
"""Electrons of either spin."""
RESULTS = {
    "e_tot", "converged", "cycles", "scf_summary", "e_corr", "e_corr_ss", "e_corr_os", "t1", "t2",
    "l1", "l2", "converged_lambda", "de",
}  # fmt: skip
"""Set by `kernel`, whatever stands there."""
OUTPUT = {"verbose", "stdout", "conv_check", "small_rho_cutoff", "async_io", "blockdim"}
COUPLED = {
    "kernel", "run", "mol", "frozen", "conv_tol", "conv_tol_normt", "max_cycle", "diis",
    "diis_space", "direct", "max_memory",
}  # fmt: skip
GRADIENT = {"kernel", "run", "base", "mol", "atmlst", "max_memory"}
POINTS = {
    "mol", "atom_grid", "atomic_radii", "radii_adjust", "radi_method", "becke_scheme", "prune",
    "level", "coords", "weights", "non0tab", "screen_index", "atm_idx", "quadrature_weights",
    "max_memory", "symmetry", "alignment",
}  # fmt: skip
SETTINGS = {
    "RHF": FIELD,
    "UHF": FIELD | NUMBERS | {"init_guess_breaksym"},
    "ROHF": FIELD | NUMBERS,
    "RKS": FIELD | {"xc", "grids", "disp"},
    "UKS": FIELD | NUMBERS | {"xc", "grids", "disp", "init_guess_breaksym"},
    "ROKS": FIELD | NUMBERS | {"xc", "grids", "disp"},
    "RCCSD": COUPLED,
    "UCCSD": COUPLED,
    "DFMP2": {"kernel", "run", "mol", "frozen", "max_memory", "with_df"},
    "MRCI": {"kernel", "run"},
    "DF": {"kernel", "run", "mol", "auxbasis", "max_memory"},
    "Gradients": GRADIENT,
    "Gradients of RKS": GRADIENT,
    "SecondOrderGradients": GRADIENT,
    "Grids": POINTS,
}


def made():
    """Give ours and PySCF's of each kind."""
    mol = gto.M(atom="He 0 0 0; H 0 0 0.9", charge=1, basis="6-31g", verbose=0)
    theirs = pyscf_scf.RHF(mol).run()
    unrestricted = pyscf_scf.UHF(mol).run()
    ours = scf.RHF(mol).run()
    functional = dft.RKS(mol, "lda,vwn").run()
    theirs_ks = pyscf_dft.RKS(mol)
    pairs = {
        "RHF": (scf.RHF(mol), theirs),
        "UHF": (scf.UHF(mol), unrestricted),
        "ROHF": (scf.ROHF(mol), pyscf_scf.ROHF(mol)),
        "RKS": (dft.RKS(mol), theirs_ks),
        "UKS": (dft.UKS(mol), pyscf_dft.UKS(mol)),
        "ROKS": (dft.ROKS(mol), pyscf_dft.ROKS(mol)),
        "RCCSD": (cc.CCSD(ours), theirs.CCSD()),
        "UCCSD": (cc.UCCSD(unrestricted), unrestricted.CCSD()),
        "DFMP2": (mp.DFMP2(ours), dfmp2.DFMP2(theirs)),
        "MRCI": (mrci.MRCI(ours, (2, 2)), CASCI(theirs, 2, 2)),
        "DF": (df.DF(mol), theirs.density_fit().with_df),
        "Gradients": (grad.Gradients(ours), theirs.nuc_grad_method()),
        "Gradients of RKS": (grad.Gradients(functional), theirs_ks.nuc_grad_method()),
        "SecondOrderGradients": (mp.DFMP2(ours).nuc_grad_method(), theirs.nuc_grad_method()),
        "Grids": (functional.grids, theirs_ks.grids),
    }
    return {name: (*pair, SETTINGS[name]) for name, pair in pairs.items()}


@pytest.fixture(scope="module")
def classes():
    return made()


def names_of(theirs):
    """Give PySCF's names: of the class, of the object, and those that it declares."""
    kinds = type(theirs).__mro__
    declared = set().union(*(getattr(kind, "_keys", ()) for kind in kinds))
    found = declared | set(dir(type(theirs))) | set(vars(theirs))
    return sorted(name for name in found if not name.startswith("__"))


def is_refused(call, name):
    """Tell whether something is refused; a refusal has the name in its text."""
    text = ""
    try:
        call()
    except AttributeError as error:
        text = str(error)
    if text:
        assert name in text
    return bool(text)


def walk(ours, theirs, settings):
    """Give the names that may be set, are refused, and are ignored."""
    honoured, refused, ignored = [], [], []
    for name in names_of(theirs):
        value = print if callable(getattr(type(theirs), name, None)) else object()
        target = copy.copy(ours)
        try:
            taken = not is_refused(lambda new=value, on=target, at=name: setattr(on, at, new), name)
        except (NotImplementedError, TypeError, ValueError):
            taken = False  # looked at, and found wrong
        if not taken and name not in settings:
            refused.append(name)
        elif name in settings | RESULTS | OUTPUT:
            honoured.append(name)
        else:
            ignored.append(name)
    return honoured, refused, ignored


@pytest.mark.parametrize("name", list(SETTINGS))
def test_every_name_of_pyscf_is_heeded_or_refused_by_name(name, classes, world):
    honoured, refused, ignored = walk(*classes[name])
    assert ignored == []
    assert len(honoured) + len(refused) == len(names_of(classes[name][1]))


@pytest.mark.parametrize("name", list(SETTINGS))
def test_a_name_of_nobody_is_refused(name, classes, world):
    ours = copy.copy(classes[name][0])
    with pytest.raises(AttributeError, match="no_such_name"):
        ours.no_such_name = 1
    assert not hasattr(ours, "no_such_name")


@pytest.mark.parametrize("name", list(SETTINGS))
def test_who_asks_whether_a_name_is_there_is_told(name, classes, world):
    """`hasattr` answers, and a name that is not there is one of ours, or named."""
    ours, theirs, _ = classes[name]
    for each in names_of(theirs):
        if each.startswith("_") or hasattr(type(ours), each):
            continue  # properties may say that nothing has run yet
        if not hasattr(ours, each):
            with pytest.raises(AttributeError, match=each) as found:
                getattr(ours, each)
            assert isinstance(found.value, NotSupportedError) or name == "SecondOrderGradients"


def counts():
    """Print the table of names."""
    for name, row in made().items():
        found = [len(each) for each in walk(*row)]
        print(f"| {name} | {len(names_of(row[1]))} | {found[0]} | {found[1]} | {found[2]} |")


if __name__ == "__main__":
    counts()
