"""All that Atoll takes from PySCF's wheel for numerical integration: grids, functions, libxc.

Nothing here communicates. The functions of a molecule are evaluated shell by shell, so that a chunk
of points costs only the shells that reach it.
"""

from __future__ import annotations

import ctypes
import importlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll.chem.integrals import pyscf_wheel  # noqa: F401  # loads the wheel with its BLAS mended

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

_lib: Any = importlib.import_module("pyscf.lib")
_eval_gto: Any = importlib.import_module("pyscf.gto.eval_gto")
_gen_grid: Any = importlib.import_module("pyscf.dft.gen_grid")
_radi: Any = importlib.import_module("pyscf.dft.radi")
_libxc: Any = importlib.import_module("pyscf.dft.libxc")
_numint: Any = importlib.import_module("pyscf.dft.numint").NumInt()
_dispersion: Any = importlib.import_module("pyscf.scf.dispersion")

_PARTS_WITHOUT_DISPERSION = {
    int(number)
    for name, number in _libxc.XC_CODES.items()
    if name.endswith(("_D", "_D3", "_3C")) and not isinstance(number, str)
}
"""libxc's numbers of functionals that were made with a dispersion correction, as B97-D."""

_DIVISIONS: dict[Any, Any] = {
    _gen_grid.original_becke: _gen_grid.libdft.VXCgen_grid,
    _gen_grid.becke_lko: _gen_grid.libdft.VXCgen_grid_lko,
}
"""What computes the ways to divide space among atoms."""
Grids: Any = _gen_grid.Grids
"""PySCF's class of grids."""
BLOCK: int = _eval_gto.BLKSIZE
"""Points whose functions are evaluated, or left out, together."""
LEVELS = range(10)
OWN_POINTS = 1 << 14
"""Points of one's own that are a task."""
BECKE_POINTS = 1 << 12
"""Points whose Becke weights are computed at once: they take points x atoms x 8 B."""


def single_thread() -> AbstractContextManager[Any]:
    """Keep PySCF to one thread for a while: every rank of the node computes."""
    context: AbstractContextManager[Any] = _lib.with_omp_threads(1)
    return context


def facts_of(level: int, settings: Any) -> tuple[object, ...]:
    """Give what of the settings of a grid its points depend on, as text and numbers."""
    if settings is None:
        return (level,)
    ways = settings.prune, settings.radi_method, settings.radii_adjust, settings.becke_scheme
    return settings.level, settings.atom_grid, *(getattr(way, "__name__", None) for way in ways)


class AtomicGrids:
    """The integration grids of a molecule's atoms, as PySCF's `Grids` makes them.

    Args:
        mole: PySCF's `Mole`.
        level: 0 to 9: how many points.
        settings: A `Grids` of PySCF whose settings are taken instead (its points are not).

    Raises:
        NotImplementedError: settings that choose other ways to divide space than PySCF's default.

    """

    def __init__(self, mole: Any, level: int = 3, settings: Any = None) -> None:
        self._mole = mole
        grids = settings
        if grids is None:
            grids = _gen_grid.Grids(mole)
            grids.level = level
        self._divide: Any = _DIVISIONS.get(grids.becke_scheme)
        if self._divide is None:
            raise NotImplementedError(
                f"grids.becke_scheme = {grids.becke_scheme}: only original_becke and becke_lko are "
                "there"
            )
        self._table = _gen_grid.gen_atomic_grids(
            mole, grids.atom_grid, grids.radi_method, grids.level, grids.prune
        )
        self.count = int(mole.natm)
        """How many atoms there are."""
        self._positions = np.ascontiguousarray(mole.atom_coords())
        self._radii = self._radius_adjustment(grids)

    def _radius_adjustment(self, grids: Any) -> NDArray[np.float64] | None:
        """Give how far the border of each two atoms is moved; None: it lies in the middle."""
        if grids.radii_adjust is None or grids.atomic_radii is None:
            return None
        known = (_radi.treutler_atomic_radii_adjust, _radi.becke_atomic_radii_adjust)
        if grids.radii_adjust not in known:
            raise NotImplementedError(
                f"grids.radii_adjust = {grids.radii_adjust}: only those of pyscf.dft.radi are there"
            )
        atoms = np.arange(self._mole.natm)
        shift = grids.radii_adjust(self._mole, grids.atomic_radii)(atoms[:, None], atoms, 0.0)
        return np.ascontiguousarray(shift, dtype=np.float64)

    def of_atom(
        self, atom: int, smallest: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Compute an atom's points (n x 3, bohr) and weights (n, bohr^3).

        Left out are points of which this atom has a share below `smallest`.
        """
        around, volumes = self._table[self._mole.atom_symbol(atom)]
        points = around + self._positions[atom]
        shares = np.concatenate(
            [
                self._share(atom, points[first : first + BECKE_POINTS])
                for first in range(0, len(points), BECKE_POINTS)
            ]
        )
        kept = shares >= smallest
        return points[kept], (volumes * shares)[kept]

    def _share(self, atom: int, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the share that Becke's division of space gives an atom of each point."""
        by_component = np.asfortranarray(points)
        cells = np.empty((self._mole.natm, len(points)))
        radii = self._radii.ctypes if self._radii is not None else None
        self._divide(
            cells.ctypes.data_as(ctypes.c_void_p),
            by_component.ctypes.data_as(ctypes.c_void_p),
            self._positions.ctypes.data_as(ctypes.c_void_p),
            radii.data_as(ctypes.c_void_p) if radii is not None else ctypes.c_void_p(),
            ctypes.c_int(self._mole.natm),
            ctypes.c_int(len(points)),
        )
        share: NDArray[np.float64] = cells[atom] / cells.sum(axis=0)
        return share


class OwnPoints:
    """Points (n x 3, bohr) and weights that a user has given, cut where `AtomicGrids` has atoms.

    Raises ValueError where they are not.
    """

    def __init__(self, positions: Any, weights: Any) -> None:
        positions = np.asarray(positions, dtype=np.float64)
        weights = np.asarray(weights if weights is not None else [], dtype=np.float64)
        if weights.ndim != 1 or positions.shape != (len(weights), 3):
            raise ValueError(
                f"grids.coords has shape {positions.shape} and grids.weights {weights.shape}, "
                "expected n x 3 and n"
            )
        if not (np.isfinite(positions).all() and np.isfinite(weights).all()):
            raise ValueError("grids.coords or grids.weights has what is no number")
        kept = weights != 0.0
        self._positions, self._weights = positions[kept], weights[kept]
        self.count = max(1, -(-len(self._weights) // OWN_POINTS))

    def of_atom(
        self, atom: int, smallest: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give one of `count` parts, points and weights."""
        del smallest
        part = slice(atom * OWN_POINTS, (atom + 1) * OWN_POINTS)
        return self._positions[part], self._weights[part]


class Functions:
    """A molecule's basis functions and their derivatives on points."""

    def __init__(self, mole: Any) -> None:
        self._mole = mole
        self._name = "GTOval_cart_deriv{}" if mole.cart else "GTOval_sph_deriv{}"
        self.starts = np.asarray(mole.ao_loc, dtype=np.int32)
        """First function of each shell; at the end the number of functions."""

    def screen(self, points: NDArray[np.float64], cutoff: float) -> NDArray[np.uint8]:
        """Tell which shells reach which `BLOCK`s of points (n x 3): blocks x shells, 0: none.

        A shell reaches a block where one of its functions may be larger than `cutoff`.
        """
        screened: NDArray[np.uint8] = _eval_gto.make_screen_index(self._mole, points, cutoff=cutoff)
        return screened

    def evaluate(
        self,
        points: NDArray[np.float64],
        shells: NDArray[np.intp],
        screen: NDArray[np.uint8],
        derivatives: int,
        out: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Compute functions of some shells on points: components x functions x points.

        Components: the value; x, y, z; xx, xy, xz, yy, yz, zz, as far as `derivatives` (0, 1, 2).

        Args:
            points: n x 3, a column after the other in memory.
            shells: Which.
            screen: Of the points and these shells, as from `screen`, contiguous.
            derivatives: The highest order.
            out: Memory to use, one-dimensional and large enough.

        """
        part = SimpleNamespace(
            _atm=self._mole._atm, _bas=self._mole._bas[shells], _env=self._mole._env
        )
        components = (derivatives + 1) * (derivatives + 2) * (derivatives + 3) // 6
        name = self._name.format(derivatives)
        values = _eval_gto.eval_gto(part, name, points, components, non0tab=screen, out=out)
        functions: NDArray[np.float64] = np.swapaxes(values, -1, -2)
        return functions[np.newaxis] if components == 1 else functions


def require_plain(numint: Any) -> None:
    """Raise NotImplementedError where PySCF's integrator has functionals that are not libxc's own.

    As `define_xc_`, `omega`, another library, and methods in the place of PySCF's make them.
    """
    kind = type(numint)
    if kind is not type(_numint):
        raise NotImplementedError(
            f"_numint is {kind.__module__}.{kind.__name__}, expected PySCF's NumInt"
        )
    if numint.omega is not None:
        raise NotImplementedError(f"_numint.omega is {numint.omega!r}, expected None")
    if numint.libxc is not _libxc:
        raise NotImplementedError(f"_numint.libxc is {numint.libxc.__name__}, expected libxc")
    if numint.cutoff != kind.cutoff:
        raise NotImplementedError(f"_numint.cutoff is {numint.cutoff!r}, expected {kind.cutoff!r}")
    for name in sorted(vars(numint)):
        if callable(getattr(kind, name, None)):
            raise NotImplementedError(
                f"{name} of _numint was replaced (define_xc_ does so), which is not supported"
            )


def functional_kind(name: str) -> str:
    """Give "HF", "LDA", "GGA", "MGGA" or "UNKNOWN"; KeyError or ValueError: no such functional."""
    return str(_libxc.xc_type(name))


def needs_nonlocal(name: str) -> bool:
    """Tell whether a functional has nonlocal correlation (VV10)."""
    return bool(_libxc.is_nlc(name))


def needs_laplacian(name: str) -> bool:
    """Tell whether a functional needs the Laplacian of the density."""
    return bool(_libxc.needs_laplacian(name))


def exchange_coefficients(name: str) -> tuple[float, float, float]:
    """Give omega, the long-range and the (short-range) exchange, as `rsh_and_hybrid_coeff`."""
    omega, long_range, hybrid = _numint.rsh_and_hybrid_coeff(name)
    return float(omega), float(long_range), float(hybrid)


def split_dispersion(name: str) -> tuple[str, bool, str | None]:
    """Split "b3lyp-d3bj" into the functional and the dispersion correction, as PySCF does.

    Between them stands whether the correction takes the place of nonlocal correlation (VV10).
    """
    functional, nonlocal_part, version = _dispersion.parse_dft(name)
    return str(functional), nonlocal_part is False, version


def split_correction(functional: str, version: str) -> tuple[str, str, bool]:
    """Give whose parameters a dispersion correction has, its kind, and whether with three atoms.

    As PySCF reads `disp`: "d3bj", "d3bjatm", "d3bj:b2plyp". Raises ValueError for another text.
    """
    method, kind, three_atoms = _dispersion.parse_disp(functional, version.lower())
    return str(method), str(kind), bool(three_atoms)


def meant_with_dispersion(name: str) -> bool:
    """Tell whether libxc has only a part of a functional, whose name has a dispersion, too."""
    parts = {int(number) for number, _ in _libxc.parse_xc(name)[1]}
    return not parts.isdisjoint(_PARTS_WITHOUT_DISPERSION)


def evaluate_functional(
    name: str, kind: str, density: NDArray[np.float64], spins: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evaluate a functional: energy an electron, and the potential on each point.

    `density` is [spins x] components x points, components: density; its gradient; tau, as far as
    the kind needs them, without the dimension of components for an LDA. The potential is its
    derivative by each of these, spins x components x points.
    """
    energy, potential = _numint.eval_xc_eff(name, density, deriv=1, xctype=kind, spin=spins - 1)[:2]
    points = density.shape[-1]
    return energy, np.asarray(potential).reshape(spins, -1, points)
