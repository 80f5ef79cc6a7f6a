"""MRCI of N2: determinants, seconds for a product with H, and what adding to segments costs.

    python bench/chem/mrci.py [--basis NAME] [--active E,N] [--seconds S] [--converge] [--json FILE]

Two ranks under mpiexec. Vectors are kept in memory as they are (as distributed arrays), and
compressed, in memory and in one shared file in the folder of temporary files (TMPDIR). Printed are

- seconds for the Hamiltonian times a vector with all elements, and that of a compressed file in
  terms of memory: at most 2;
- the rate at which a rank adds to segments: lock, read, decompress, add, compress, write, in 10^6
  bytes a second of what is added. Paper 004 (section 5.3) had 3 in memory and 2 on file;
- with --converge, the energy of a whole calculation, its iterations and time, with vectors in
  memory, and with a quarter of the memory that its vectors need.

6-31G with CAS(6,6) has 400,596 determinants; --basis cc-pvdz --active 6,8 has 10,990,224.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import atoll
import numpy as np
from atoll.chem.correlation.multireference.compressed import CompressedStore
from atoll.chem.correlation.multireference.integrals import StringTables
from atoll.chem.correlation.multireference.product import Product
from atoll.chem.correlation.multireference.space import Space
from atoll.chem.correlation.multireference.start import Diagonal
from atoll.chem.correlation.multireference.vectors import MemoryStore
from atoll.chem.mrci import MRCI, most_vectors
from two_ranks import start

LIMIT = 2.0
PAPER = {"memory": 3.0, "compressed memory": 3.0, "compressed file": 2.0}


def main() -> int:
    parser = argparse.ArgumentParser(description="Time MRCI of N2.")
    parser.add_argument("--basis", default="6-31g", metavar="NAME", help="basis set (6-31g)")
    parser.add_argument("--active", default="6,6", metavar="E,N", help="active space (6,6)")
    parser.add_argument("--seconds", type=float, default=3.0, metavar="S", help="of adding (3)")
    parser.add_argument("--converge", action="store_true", help="compute energies, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.inside:
        return start(__file__)
    mf, active = mean_field(options.basis), tuple(map(int, options.active.split(",")))
    figures = products_and_sums(mf, active, options.seconds)
    if options.converge:
        figures["calculations"] = calculations(mf, active)
    if options.json and atoll.rank() == 0:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


def mean_field(basis: str) -> Any:
    from pyscf import gto, scf

    mol = gto.M(atom="N 0 0 0; N 0 0 1.4", basis=basis, verbose=0)  # stretched
    return scf.RHF(mol).run(conv_tol=1e-11)


def products_and_sums(mf: Any, active: tuple[int, ...], seconds: float) -> dict[str, Any]:
    calculation = MRCI(mf, active, frozen=2)
    reference, group = calculation._reference, atoll.world()
    space = Space(reference.orbitals, reference.electrons, calculation.segment_bytes)
    tables = StringTables(calculation._integrals(), 1 << 30)
    say(f"{space.size:,} determinants in {len(space.segments)} segments, {group.size} ranks")
    stores = {
        "memory": lambda: MemoryStore(space, group),
        "compressed memory": lambda: CompressedStore(space, group, 16 * space.size, None, False),
        "compressed file": lambda: CompressedStore(space, group, 0, None, False),
    }
    figures: dict[str, Any] = {"determinants": space.size, "ranks": group.size}
    product = Product(space, tables, group)
    diagonal = Diagonal(tables.integrals)
    for name, make in stores.items():
        store = make()
        vector = store.new()
        for segment in store.mine:
            gap = diagonal.of(segment) + 30.0  # hartree: elements as small as they may be
            vector.write(segment, 1e-3 / gap)
        times = [timed_product(store, product, vector) for _ in range(3)]
        wall, processor = (list(each) for each in zip(*times, strict=True))
        rate = rate_of_adding(store, seconds)
        found = {"seconds": min(wall), "processor": min(processor), "megabytes_a_second": rate}
        figures[name] = found
        first = figures["memory"]
        ratios = [found[kind] / first[kind] for kind in ("seconds", "processor")]
        say(
            f"{name:<18}{min(wall):9.3f} s a product ({ratios[0]:.2f} of memory's, limit {LIMIT}; "
            f"by the processors' time {ratios[1]:.2f}), "
            f"adding {rate:7.1f} MB/s a rank (paper 004: {PAPER[name]:.0f})"
        )
        vector.destroy()
        store.close()
    return figures


def timed_product(store: Any, product: Product, vector: Any) -> tuple[float, float]:
    """Seconds of a product, and of the processors, all ranks together."""
    image = store.new()
    begun = time.perf_counter(), time.process_time()
    product.add(vector, image)
    spent = time.perf_counter() - begun[0], time.process_time() - begun[1]
    image.destroy()
    return spent[0], float(store.group.reduce(spent[1]))


def rate_of_adding(store: Any, seconds: float) -> float:
    """Let all ranks add to segments drawn by chance; the mean rate of a rank, 10^6 bytes/s."""
    vector = store.new()
    rng = np.random.default_rng(atoll.rank())
    segments = store.space.segments
    weights = np.array([segment.size for segment in segments]) / store.space.size
    numbers = rng.normal(size=max(segment.size for segment in segments))
    numbers *= 10.0 ** rng.uniform(-9, -3, size=numbers.size)
    store.group.sync()
    begun = time.perf_counter()
    moved = 0
    while (spent := time.perf_counter() - begun) < seconds:
        segment = segments[rng.choice(len(segments), p=weights)]
        vector.add(segment, numbers[: segment.size].reshape(segment.shape))
        moved += 8 * segment.size
    rate = moved / 1e6 / spent
    mean = float(store.group.reduce(rate)) / store.group.size
    vector.destroy()
    return mean


def calculations(mf: Any, active: tuple[int, ...]) -> list[dict[str, Any]]:
    figures = []
    size = MRCI(mf, active, frozen=2).determinants
    all_vectors = 8 * size * most_vectors(1) // atoll.size()
    for kind, memory in (("memory", 1 << 30), ("auto", max(1 << 20, all_vectors // 4))):
        begun = time.perf_counter()
        found = MRCI(mf, active, frozen=2, store=kind, memory=memory).run()
        spent = time.perf_counter() - begun
        say(
            f"{'in memory' if kind == 'memory' else 'a quarter of the memory'}: "
            f"{found.e_tot:.9f} hartree, {len(found.iterations)} iterations, {spent:.1f} s, "
            f"file {found.file_bytes / 1e6:.1f} MB, vectors {8 * size / 1e6:.1f} MB each"
        )
        figures.append({"kind": kind, "energy": found.e_tot, "seconds": spent, "memory": memory})
    return figures


def say(text: str) -> None:
    if atoll.rank() == 0:
        print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
