"""The distributed integration grid against PySCF's: the same points and weights, once each."""

import atoll
import numpy as np
import pytest
from atoll.chem.exchange_correlation import MolecularGrid
from atoll.chem.exchange_correlation.pieces import compact_pieces
from pyscf import dft, gto

WATER = "O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24"


def ours(mole, world, **options):
    """All points of the grid, with their weights, in an order that depends on them alone."""
    grid = MolecularGrid(mole, world, **options)
    chunks = [grid.chunk(number) for number in range(len(grid))]
    rows = np.vstack([np.column_stack(chunk) for chunk in chunks])
    assert len(rows) == grid.size
    world.sync()
    grid.close()
    return rows


def ordered(rows):
    return rows[np.lexsort(np.round(rows[:, :3], 9).T)]


def assert_equal_grids(rows, grids):
    grids.build(sort_grids=False)
    theirs = np.column_stack([grids.coords, grids.weights])
    # Some angular grids have negative weights; PySCF fills up with points of no weight.
    kept = np.abs(grids.weights) >= 1e-14 * np.abs(grids.quadrature_weights)
    kept &= grids.quadrature_weights != 0
    assert np.abs(grids.weights[~kept]).sum() < 1e-10
    assert len(rows) == kept.sum()
    difference = np.abs(ordered(rows) - ordered(theirs[kept]))
    assert difference[:, :3].max() < 1e-12
    assert difference[:, 3].max() < 1e-11


@pytest.mark.parametrize("level", [0, 3])
def test_points_and_weights_are_those_of_pyscf(level, world):
    mole = gto.M(atom=WATER, basis="sto-3g", verbose=0)
    grids = dft.gen_grid.Grids(mole)
    grids.level = level
    assert_equal_grids(ours(mole, world, level=level), grids)


@pytest.mark.parametrize(
    "settings",
    [
        {"prune": None},
        {"radii_adjust": None},
        {"radii_adjust": dft.radi.becke_atomic_radii_adjust},
        {"radi_method": dft.radi.gauss_chebyshev, "atom_grid": {"O": (20, 50)}},
    ],
)
def test_settings_of_a_grid_of_pyscf_are_taken(settings, world):
    mole = gto.M(atom=WATER, basis="sto-3g", verbose=0)
    grids = dft.gen_grid.Grids(mole)
    grids.level = 0
    for name, value in settings.items():
        setattr(grids, name, value)
    assert_equal_grids(ours(mole, world, settings=grids), grids)


def test_other_ways_to_divide_space_are_refused(world):
    mole = gto.M(atom=WATER, basis="sto-3g", verbose=0)
    grids = dft.gen_grid.Grids(mole)
    grids.becke_scheme = dft.gen_grid.stratmann
    with pytest.raises(NotImplementedError, match="becke_scheme"):
        MolecularGrid(mole, world, settings=grids)


def test_an_atom_whose_chunks_are_fewer_than_the_ranks(world):
    mole = gto.M(atom="He 0 0 0", basis="sto-3g", verbose=0)
    grids = dft.gen_grid.Grids(mole)
    grids.level = 0
    assert_equal_grids(ours(mole, world, level=0), grids)


def test_every_rank_holds_the_points_of_its_own_chunks(world):
    mole = gto.M(atom=WATER, basis="sto-3g", verbose=0)
    grid = MolecularGrid(mole, world)
    first, end = grid.starts[world.rank], grid.starts[world.rank + 1]
    assert grid._array.local().size == 4 * grid.points[first:end].sum()
    work = np.add.reduceat(grid.points * grid.functions, grid.starts[:-1])
    assert work.max() < 1.1 * work.mean()
    grid.close()


def test_pieces_are_small_compact_and_complete():
    points = np.random.default_rng(5).normal(size=(5000, 3))
    pieces = compact_pieces(points, largest=448, unit=56)
    assert sorted(np.concatenate(pieces)) == list(range(5000))
    assert max(map(len, pieces)) <= 448
    assert sum(len(piece) % 56 != 0 for piece in pieces) <= 1
    assert len(pieces) <= 2 * 5000 / 448
    volume = [np.prod(np.ptp(points[piece], axis=0)) for piece in pieces]
    assert np.median(volume) < 0.1 * np.prod(np.ptp(points, axis=0))
    assert compact_pieces(points[:0], 448, 56) == []
    assert atoll.size() > 0
