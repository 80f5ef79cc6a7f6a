"""Time of Fock builds that compute, store, or do the one with some and the other with the rest.

    python bench/chem/semi_direct.py [--quick] [--json FILE] [--builds N]

Starts itself under mpiexec with two ranks. As in section 5.1 of the ChemIO paper: direct, semi-
direct and traditional Hartree-Fock for a molecule of about 320 functions (tetracene, 312; --quick:
benzene, 114). Each way does a first build and later ones of the whole density, so that all the
work of an iteration is done; the later ones are timed, in turn. The file of a rank may hold all
integrals, a half or a tenth of them, or gives them back at a limited bandwidth. The limits: with
all in the page cache traditional builds take a third of direct ones at most, and semi-direct ones
at most 1.05 times the better of the two in every setting.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from pathlib import Path
from typing import Any

from two_ranks import start

LIMIT_SPEED_UP, LIMIT_BESIDE_BETTER = 3.0, 1.05
SLOW = 30e6
"""Bytes a second of a rank's slow file."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time direct, semi-direct, traditional builds.")
    parser.add_argument("--quick", action="store_true", help="a smaller molecule")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    parser.add_argument("--builds", type=int, default=2, metavar="N", help="later builds (2)")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def acene(rings: int) -> str:
    """Make an XYZ file of linearly fused six-rings, C-C 1.40 and C-H 1.09 angstrom."""
    bond, hydrogen = 1.40, 1.09
    step = bond * math.sqrt(3.0)  # from a ring's centre to the next
    atoms: list[tuple[str, float, float]] = []
    for edge in range(rings + 1):
        x = (edge - 0.5) * step
        atoms += [("C", x, bond / 2), ("C", x, -bond / 2)]
        if edge in (0, rings):
            outward = -1 if edge == 0 else 1
            dx, dy = outward * hydrogen * math.sqrt(0.75), hydrogen / 2
            atoms += [("H", x + dx, bond / 2 + dy), ("H", x + dx, -bond / 2 - dy)]
        if edge < rings:
            x += step / 2
            atoms += [("C", x, bond), ("C", x, -bond)]
            atoms += [("H", x, bond + hydrogen), ("H", x, -bond - hydrogen)]
    lines = [f"{symbol} {x:.6f} {y:.6f} 0.0" for symbol, x, y in atoms]
    return "\n".join([str(len(lines)), f"{rings} rings", *lines]) + "\n"


class SlowFile:
    """A private file whose reads take at least the time of a given bandwidth."""

    def __init__(self, file: Any) -> None:
        self._file, self._free_at = file, 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read_async(self, out: Any, offset: int) -> Any:
        begin = max(time.perf_counter(), self._free_at)
        self._free_at = begin + out.nbytes / SLOW
        return SlowRequest(self._file.read_async(out, offset), self._free_at)


class SlowRequest:
    def __init__(self, request: Any, ready: float) -> None:
        self._request, self._ready = request, ready

    def test(self) -> bool:
        return time.perf_counter() >= self._ready and bool(self._request.test())

    def wait(self) -> int:
        time.sleep(max(0.0, self._ready - time.perf_counter()))
        return int(self._request.wait())


class Way:
    """One way to build, with the times of its later builds. Collective throughout."""

    def __init__(self, basis: Any, matrix: Any, builder: Any) -> None:
        from atoll.chem.fock import Density

        self._builder, self._density = builder, Density(matrix)
        self._coulomb, self._exchange = basis.matrix("J"), basis.matrix("K")
        self.later: list[float] = []
        self.first, self.statistics = self._timed()

    def build(self) -> None:
        seconds, self.statistics = self._timed()
        self.later.append(seconds)

    def _timed(self) -> tuple[float, Any]:
        started = time.perf_counter()
        statistics_ = self._builder.build([self._density], self._coulomb, [self._exchange])
        return time.perf_counter() - started, statistics_

    def close(self) -> None:
        self._builder.close()

    def line(self, name: str) -> str:
        details = self.statistics.details
        stored = (details.get("bytes in memory", 0.0) + details.get("bytes on disk", 0.0)) / 1e6
        text = f"  {name:34} first {self.first:7.2f} s, later {min(self.later):7.2f} s"
        if details:
            back = details["quartets read back"]
            share = back / max(back + self.statistics.quartets, 1)
            text += f"; {stored:7.1f} MB stored, {100 * share:5.1f} % of quartets read back"
            text += f", waited {details['seconds waited for reads']:.2f} s"
            if details["bytes read a second"] > 0:
                text += f", found {details['bytes read a second'] / 1e9:.2f} GB/s"
        return text


def measure(options: argparse.Namespace, show: Any) -> list[dict[str, Any]]:
    """Time all settings; the figures. Collective; `show` prints."""
    import atoll
    from atoll.chem.fock import DirectFock, StoredFock
    from atoll.chem.integrals import pyscf_wheel
    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.molecules import Molecule

    world = atoll.world()
    molecule = Molecule.from_xyz(acene(1 if options.quick else 4), "cc-pvdz")
    basis = BlockedBasis(molecule.mole, world)
    matrix = basis.matrix("density")
    if world.rank == 0:
        matrix[...] = pyscf_wheel.starting_density(molecule.mole)
    world.sync()
    show(f"{molecule.functions} functions, cc-pvdz, 2 ranks; bytes and seconds of all ranks")

    direct = Way(basis, matrix, DirectFock(basis))
    figures: list[dict[str, Any]] = []
    whole = 0.0
    settings = [("all on disk", 1.1, False), ("half on disk", 0.5, False)]
    settings += [("a tenth on disk", 0.1, False), ("all on a slow disk", 1.1, True)]
    for name, share, slow in settings:
        quota = None if whole == 0.0 else int(share * whole / world.size)
        ways = {}
        for mode, title in (("disk", "traditional"), ("auto", "semi-direct")):
            builder = StoredFock(basis, mode=mode, memory=0, disk=quota)
            if slow:
                builder._store._file = SlowFile(builder._store._file)
            ways[title] = Way(basis, matrix, builder)
        for _ in range(options.builds):
            for way in (direct, *ways.values()):
                way.build()
        whole = whole or ways["traditional"].statistics.details["bytes on disk"]
        if not figures:
            show(direct.line("direct"))
        for title, way in ways.items():
            show(way.line(f"{title}, {name}"))
            way.close()
        best = {title: min(way.later) for title, way in ways.items()}
        better = min(min(direct.later[-options.builds :]), best["traditional"])
        speed_up = min(direct.later) / best["traditional"]
        if not figures:
            show(f"  direct / traditional   {speed_up:6.2f}   limit >= {LIMIT_SPEED_UP}")
            figures.append(figure("traditional beside direct builds", "times faster", speed_up))
        ratio = best["semi-direct"] / better
        show(f"  semi-direct / better   {ratio:6.3f}   limit <= {LIMIT_BESIDE_BETTER}")
        figures.append(figure(f"semi-direct builds, {name}", "of the better", ratio))
    figures.append(
        {
            "name": "direct build",
            "unit": "s",
            "best": min(direct.later),
            "median": statistics.median(direct.later),
            "peers": [],
        }
    )
    return figures


def figure(name: str, unit: str, value: float) -> dict[str, Any]:
    return {"name": name, "unit": unit, "best": value, "median": value, "peers": []}


def main() -> None:
    options = arguments()
    if not options.inside:
        raise SystemExit(start(__file__))
    import atoll

    if atoll.size() != 2:
        raise SystemExit("bench/chem/semi_direct.py: mpiexec did not start two ranks of one run")
    root = atoll.rank() == 0
    figures = measure(options, lambda text: print(text, flush=True) if root else None)
    if root and options.json is not None:
        data = {"setting": "semi-direct builds, 2 ranks", "figures": figures}
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
