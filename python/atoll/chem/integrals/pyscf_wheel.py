"""All that Atoll takes from PySCF's wheel: basis sets, one-electron integrals, libcint.

The two-electron integral function and its optimizer are taken as addresses, for the C++ kernel.
That is the wheel's private interface, so it is tested when this module is imported: a wheel that
answers wrongly is an ImportError here, not a wrong energy later.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import scipy.linalg  # noqa: F401  # its BLAS is to be loaded before the variable below is set

from atoll._core import BlockIntegrals, FockKernel, GradientKernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


def _cpu_has_avx2() -> bool:
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
            flags = next((line for line in lines if line.startswith("flags")), "")
    except OSError:
        return False
    return " avx2" in flags


@contextlib.contextmanager
def _fast_blas() -> Iterator[None]:
    """Make the OpenBLAS inside the wheel (0.3.3, of 2018) use AVX2 on CPUs it does not know.

    It takes them for machines of 2006 and halves its speed. The variable is read when the library
    is loaded; it is taken back afterwards, so that child processes do not inherit it.
    """
    name = "OPENBLAS_CORETYPE"
    if name in os.environ or not _cpu_has_avx2():
        yield
        return
    os.environ[name] = "Haswell"
    try:
        yield
    finally:
        del os.environ[name]


with _fast_blas():
    gto: Any = importlib.import_module("pyscf.gto")
    _lib: Any = importlib.import_module("pyscf.lib")
    _scf: Any = importlib.import_module("pyscf.scf.hf")
    _vhf: Any = importlib.import_module("pyscf.scf._vhf")

FIRST_OF_MOLECULE = int(gto.mole.PTR_ENV_START)
"""Where in libcint's table of numbers the molecule begins."""

VERSION: str = importlib.import_module("pyscf").__version__
_constants: Any = importlib.import_module("pyscf.data.nist")
DEBYE: float = _constants.AU2DEBYE
"""Debye in an atomic unit of the dipole moment."""
BOHR: float = _constants.BOHR
"""Angstrom in a bohr."""


class Optimizer:
    """libcint's optimizer for a molecule's two-electron integrals, owned."""

    def __init__(self, mole: Any, function: str = "int2e_sph") -> None:
        self._handle = _vhf.make_cintopt(mole._atm, mole._bas, mole._env, function)

    @property
    def address(self) -> int:
        """Where it lies in memory."""
        return ctypes.cast(self._handle, ctypes.c_void_p).value or 0


_Tables: TypeAlias = "tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]"


def _address_and_tables(mole: Any, function: str) -> tuple[int, _Tables]:
    """Give the address of a function of libcint, and copies of the tables that it reads."""
    address = ctypes.cast(getattr(_vhf.libcvhf, function), ctypes.c_void_p).value or 0
    tables = (
        np.ascontiguousarray(mole._atm, dtype=np.int32),
        np.ascontiguousarray(mole._bas, dtype=np.int32),
        np.ascontiguousarray(mole._env, dtype=np.float64),
    )
    return address, tables


def make_kernel(
    mole: Any, block_starts: NDArray[np.int32], optimizer: Optimizer | None = None
) -> FockKernel:
    """Make the C++ kernel for a molecule cut into blocks. `optimizer` must outlive it."""
    address, tables = _address_and_tables(mole, "int2e_sph")
    starts = np.ascontiguousarray(block_starts, dtype=np.int32)
    return FockKernel(address, optimizer.address if optimizer else 0, 1, *tables, starts)


def make_fock_kernel(
    mole: Any, block_starts: NDArray[np.int32], tolerance: float
) -> tuple[FockKernel, Optimizer]:
    """Make a kernel for Fock builds, and the optimizer that must outlive it.

    Primitive Gaussians are left out where they add less than a hundred-thousandth of the tolerance.
    """
    with mole.with_integral_screen(1e-5 * tolerance):
        optimizer = Optimizer(mole)
        return make_kernel(mole, block_starts, optimizer), optimizer


def make_bounds_kernel(
    mole: Any, block_starts: NDArray[np.int32], tolerance: float, *, derivatives: bool = False
) -> FockKernel:
    """Make a kernel for Schwarz bounds: they need integrals far below the tolerance.

    With `derivatives` the bounds are those of the derivative of the first function.
    """
    name, components = ("int2e_ip1ip2_sph", 9) if derivatives else ("int2e_sph", 1)
    with mole.with_integral_screen(tolerance**2):
        address, tables = _address_and_tables(mole, name)
        starts = np.ascontiguousarray(block_starts, dtype=np.int32)
        return FockKernel(address, 0, components, *tables, starts)


def make_gradient_kernel(
    mole: Any, block_starts: NDArray[np.int32], tolerance: float
) -> tuple[GradientKernel, Optimizer]:
    """Make a kernel for derivatives, and the optimizer that must outlive it.

    Primitive Gaussians are left out where they add less than a hundred-thousandth of the tolerance.
    """
    with mole.with_integral_screen(1e-5 * tolerance):
        optimizer = Optimizer(mole, "int2e_ip1_sph")
        address, tables = _address_and_tables(mole, "int2e_ip1_sph")
        starts = np.ascontiguousarray(block_starts, dtype=np.int32)
        return GradientKernel(address, optimizer.address, *tables, starts), optimizer


def make_block_integrals(
    mole: Any, block_starts: NDArray[np.int32], tolerance: float
) -> tuple[BlockIntegrals, Optimizer]:
    """Make what computes quartets of blocks as arrays, and the optimizer that must outlive it.

    Primitive Gaussians are left out where they add less than a hundred-thousandth of the tolerance.
    """
    with mole.with_integral_screen(1e-5 * tolerance):
        optimizer = Optimizer(mole)
        address, tables = _address_and_tables(mole, "int2e_sph")
        starts = np.ascontiguousarray(block_starts, dtype=np.int32)
        return BlockIntegrals(address, optimizer.address, *tables, starts), optimizer


def one_electron(mole: Any, name: str, shells: tuple[int, int, int, int]) -> NDArray[np.float64]:
    """Compute a patch of a one-electron matrix; `shells`: row begin, end, column begin, end."""
    with _lib.with_omp_threads(1):  # every rank of the node computes patches
        patch: NDArray[np.float64] = mole.intor(name, shls_slice=shells)
    return patch


def moments(
    mole: Any, name: str, shells: tuple[int, int, int, int], origin: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute patches of an operator relative to a position: components x rows x columns."""
    with mole.with_common_orig(origin):
        return one_electron(mole, name, shells)


def derived_attraction_of(
    mole: Any, atom: int, shells: tuple[int, int, int, int]
) -> NDArray[np.float64] | None:
    """Compute the attraction to one atom, core potential included, the left function derived.

    Components x rows x columns, by the electron's position; None: an atom without charge.
    """
    has_core = len(mole._ecpbas) > 0 and atom in mole._ecpbas[:, gto.ATOM_OF]
    charge = mole.atom_charge(atom)
    if charge == 0 and not has_core:
        return None
    with mole.with_rinv_at_nucleus(atom):
        integrals: NDArray[np.float64] = -charge * one_electron(mole, "int1e_iprinv", shells)
        if has_core:
            integrals += one_electron(mole, "ECPscalar_iprinv", shells)
    return integrals


def function_values(
    mole: Any, positions: NDArray[np.float64], shells: tuple[int, int]
) -> NDArray[np.float64]:
    """Compute the functions of some shells at positions (bohr): points x functions."""
    name = "GTOval_cart" if mole.cart else "GTOval_sph"
    with _lib.with_omp_threads(1):
        values: NDArray[np.float64] = mole.eval_gto(name, positions, shls_slice=shells)
    return values


class FourCentre:
    """The integrals (mn|ls) of a molecule, a part at a time."""

    def __init__(self, mole: Any) -> None:
        integrals: Any = gto.moleintor
        self._mole = mole
        self._name = integrals.ascint3(mole._add_suffix("int2e"))
        self._first = integrals.make_loc(mole._bas, self._name)
        self._optimizer = integrals.make_cintopt(mole._atm, mole._bas, mole._env, self._name)

    def square(self, rows: tuple[int, int], end: int) -> NDArray[np.float64]:
        """Compute (mn|ls), m of the shells `rows`, n of those before `end`, all l and s.

        Returns pairs (m slowest) x l x s.
        """
        shells = (*rows, 0, end, 0, self._mole.nbas, 0, self._mole.nbas)
        with _lib.with_omp_threads(1):  # every rank of the node computes some
            triangles = gto.moleintor.getints4c(
                self._name,
                self._mole._atm,
                self._mole._bas,
                self._mole._env,
                shells,
                1,
                "s2kl",
                self._first,
                self._optimizer,
            )
            full: NDArray[np.float64] = _lib.unpack_tril(triangles.reshape(-1, triangles.shape[-1]))
        return full


def starting_density(mole: Any, kind: str = "minao") -> NDArray[np.float64]:
    """Make PySCF's guess of the density of all electrons, by its name.

    "vsap" is one of Kohn-Sham there: Hartree-Fock has "minao" in its place, without a word.
    """
    made = mean_field_class("RKS" if kind == "vsap" else "RHF")(mole)
    with _lib.with_omp_threads(1):
        density = made.get_init_guess(mole, kind)
    density = np.asarray(density)
    return np.ascontiguousarray(density, dtype=np.float64)


def whole_matrix(mole: Any, name: str) -> NDArray[np.float64]:
    """Compute PySCF's `get_hcore` or `get_ovlp` of a molecule."""
    with _lib.with_omp_threads(1):
        matrix: NDArray[np.float64] = getattr(_scf, name)(mole)
    return matrix


def tagged(matrix: NDArray[np.float64], **tags: Any) -> Any:
    """Give an array with attributes, as PySCF's potentials are."""
    return _lib.tag_array(matrix, **tags)


def mixed_frontier_densities(mole: Any) -> NDArray[np.float64]:
    """Make both spins' densities with HOMO and LUMO mixed, as PySCF does for closed shells."""
    uhf: Any = importlib.import_module("pyscf.scf.uhf")
    with _lib.with_omp_threads(1):
        both = uhf.UHF(mole).init_guess_by_minao(mole, "mix")
    return np.ascontiguousarray(both, dtype=np.float64)


def atom_density(mole: Any, atom: int) -> NDArray[np.float64]:
    """Make the density of a free atom, spherically averaged, over its functions in the molecule.

    That of a ghost is zero.
    """
    symbol, element = mole.atom_symbol(atom), mole.atom_pure_symbol(atom)
    if gto.mole.is_ghost_atom(symbol):
        count = int(np.diff(mole.aoslice_by_atom()[atom, 2:])[0])
        return np.zeros((count, count))
    functions = mole._basis.get(symbol, mole._basis.get(element))
    core = mole._ecp.get(symbol, mole._ecp.get(element))
    cores = {} if core is None else {symbol: core}
    alone = gto.Mole()
    alone.build(
        dump_input=False,
        parse_arg=False,
        verbose=0,
        atom=[(symbol, (0.0, 0.0, 0.0))],
        basis={symbol: functions},
        ecp=cores,
        spin=None,
        cart=mole.cart,
    )
    with _lib.with_omp_threads(1):
        density = np.asarray(_scf.init_guess_by_atom(alone))
    return np.ascontiguousarray(density, dtype=np.float64)


def core_orbitals(mole: Any) -> int:
    """Count the orbitals of inner shells, without those that core potentials stand for."""
    return int(importlib.import_module("pyscf.data.elements").chemcore(mole))


def molecule_of(text: str) -> Any:
    """Make PySCF's `Mole` of the text that it is stored as."""
    return gto.loads(text)


def saved_results(path: str) -> dict[str, Any]:
    """Read the results in a checkpoint file of PySCF's kind, as NumPy arrays."""
    found: dict[str, Any] = importlib.import_module("pyscf.scf.chkfile").load(path, "scf")
    return found


def mixed_overlap(mole: Any, other: Any, shells: tuple[int, int]) -> NDArray[np.float64]:
    """Compute the overlap of some shells of a molecule with all functions of another one."""
    both = gto.conc_mol(mole, other)
    bounds = (*shells, mole.nbas, mole.nbas + other.nbas)
    with _lib.with_omp_threads(1):
        rows: NDArray[np.float64] = both.intor("int1e_ovlp", shls_slice=bounds)
    return rows


def orbital_irreps(mole: Any, orbitals: NDArray[np.float64], state: str) -> tuple[list[int], int]:
    """Give the representations of orbitals and of a state, as numbers below 8.

    In D2h or a subgroup: that of a linear molecule's representations is taken. Raises ValueError
    for orbitals that are no basis of one, and for a name that the group has not.
    """
    symmetry: Any = importlib.import_module("pyscf.symm")
    numbers = symmetry.label_orb_symm(mole, mole.irrep_id, mole.symm_orb, orbitals)
    try:
        wanted = symmetry.irrep_name2id(mole.groupname, state)
    except (KeyError, ValueError):
        raise ValueError(f"expected one of {', '.join(mole.irrep_name)}") from None
    return [int(number) % 10 for number in numbers], int(wanted) % 10


_FUNCTIONS_IN_MEMORY = 150  # all integrals over them take 0.5 GB; of more, PySCF uses a file


def hamiltonian_over_orbitals(
    mole: Any,
    constant: float,
    core: NDArray[np.float64] | None,
    frozen: NDArray[np.float64],
    orbitals: NDArray[np.float64],
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Compute the Hamiltonian over orbitals, beside frozen ones with two electrons each.

    `constant` is the energy without electrons, `core` what one electron has over the functions, of
    the mean field; None: the molecule's.

    Returns the energy of the nuclei and the frozen electrons, h_kl with the field of these, and
    (kl|ij) of all pairs kl x all pairs ij; hartree.
    """
    ao2mo: Any = importlib.import_module("pyscf.ao2mo")
    core = _scf.get_hcore(mole) if core is None else core
    if frozen.shape[1] > 0:
        density = 2.0 * frozen @ frozen.T
        coulomb, exchange = _scf.get_jk(mole, density)
        constant += float(np.vdot(density, core + (coulomb - exchange / 2) / 2))
        core = core + coulomb - exchange / 2
    one = np.ascontiguousarray(orbitals.T @ core @ orbitals)
    pairs = orbitals.shape[1] ** 2
    source = mole
    if mole.nao_nr() <= _FUNCTIONS_IN_MEMORY:
        source = mole.intor("int2e", aosym="s8")
    two = ao2mo.kernel(source, np.ascontiguousarray(orbitals), compact=False)
    return constant, one, np.ascontiguousarray(two).reshape(pairs, pairs)


def class_of(module: str, name: str) -> Any:
    """Give one of PySCF's classes."""
    return getattr(importlib.import_module(module), name)


def mean_field_class(method: str) -> Any:
    """Give PySCF's class of a mean field, by its name: RHF, UHF, ROHF, RKS, UKS or ROKS."""
    module = importlib.import_module("pyscf.dft" if method.endswith("KS") else "pyscf.scf")
    return {
        "RHF": lambda: module.hf.RHF,
        "UHF": lambda: module.uhf.UHF,
        "ROHF": lambda: module.rohf.ROHF,
        "RKS": lambda: module.rks.RKS,
        "ROKS": lambda: module.roks.ROKS,
        "UKS": lambda: module.uks.UKS,
    }[method]()


def x2c_core(mole: Any) -> NDArray[np.float64]:
    """Give the spin-free X2C Hamiltonian of one electron, functions x functions, hartree."""
    made = class_of("pyscf.x2c.sfx2c1e", "SpinFreeX2CHelper")(mole)
    return np.asarray(made.get_hcore(), dtype=np.float64)


def diis_class(name: str) -> Any:
    """Give one of PySCF's classes of extrapolation: CDIIS, EDIIS or ADIIS."""
    return getattr(importlib.import_module("pyscf.scf.diis"), name)


def _check_libcint() -> None:
    """Compare the kernel's integrals with PySCF's own for an s and a p shell."""
    mole = gto.Mole()
    mole.build(
        dump_input=False,
        parse_arg=False,
        verbose=0,
        unit="Bohr",
        atom=[("He", (0.0, 0.0, 0.0)), ("He", (0.3, -0.2, 1.1))],
        basis={"He": [[0, [1.3, 1.0], [0.4, 0.5]], [1, [0.9, 1.0]]]},
    )
    starts = np.array([0, mole.nbas], dtype=np.int32)
    bounds = make_kernel(mole, starts, Optimizer(mole)).schwarz_bounds(0, 0)
    first = mole.ao_loc
    diagonal = np.sqrt(np.einsum("ijij->ij", mole.intor("int2e_sph", aosym="s1")))
    expected = np.maximum.reduceat(np.maximum.reduceat(diagonal, first[:-1], 0), first[:-1], 1)
    if not np.allclose(bounds, expected, rtol=1e-10, atol=0.0):
        raise ValueError("wrong integrals")


try:
    _check_libcint()
except (AttributeError, TypeError, ValueError) as _error:
    raise ImportError(
        f"the integral library inside PySCF {VERSION} does not answer as Atoll expects ({_error}); "
        "install a version that does: pip install 'pyscf==2.14.*'"
    ) from _error
