"""What the model says: beside the sizes that were measured, and of W21 on many nodes."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from triples_model import Kernel, Rates, Size, calibrate, deal, predict, sample_kernel
from triples_on_hosts import ORIGINAL, THREAD
from triples_runs import MEMORY

if TYPE_CHECKING:
    from triples_hosts import Measurement
    from triples_hosts_rows import Row

CORES = 24  # of a node, as in paper 003
NODES = (1, 2, 4, 10, 71, 250, 1000)
PAPER_NODES = 71
PAPER_LINK = {"latency": 1.3e-6, "bandwidth": 9.7e9}  # of its machine, as it says
PAPER_HOURS = {"original": (8.01, 6.62), "ghost ranks": (8.15, 0.03)}
PAPER_HOURS |= {"thread oversubscribed": (15.49, 0.12), "thread dedicated": (15.75, 0.04)}
LARGE = {
    "W21, cc-pVDZ": Size(84, 399, 5 << 29),
    "W21, aug-cc-pVDZ": Size(84, 756, 4 << 30),
}
HOUR = 3600.0


class Kernels:
    """Samples of the kernel, each taken once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Size, int], Kernel] = {}

    def of(self, size: Size, ranks: int) -> Kernel:
        key = size, size.tile(ranks)
        if key not in self._known:
            self._known[key] = sample_kernel(*key)
        return self._known[key]


def predictions_of(found: Measurement, *, whole: bool) -> dict[str, Any]:
    """Give the predictions, and a text that says them; `whole`: those of W21, too."""
    kernels = Kernels()
    rate = found.rows[0].rate
    smallest = min(found.bases)
    two = _row(found.rows, smallest, rate, 2)
    rates = calibrate(_water(smallest), found.bases[smallest].run, two.run, found.links[rate])
    lines = [
        f"\nmodel, from W{smallest} on one and two hosts: {rates.copy * 1e9:.2f} ns to ask for a "
        f"byte in the node, {rates.carry * 1e9:.1f} ns",
        f"for one from another host (both ends); link {rates.bandwidth / 1e6:.0f} MB/s, "
        f"{rates.latency * 1e6:.0f} us; {rates.exposed:.0%} of transfers waited for",
        f"{'size, hosts':14}{'measured, s':>12}{'predicted':>11}{'error':>8}"
        f"{'E measured':>12}{'predicted':>11}",
    ]
    checks = []
    for row in found.rows:
        if row.rate != rate or row.deployment != THREAD:
            continue
        size = _water(row.waters)
        kernel = kernels.of(size, row.hosts)
        told = predict(size, kernel, rates, hosts=row.hosts, cores=row.cores / row.hosts)
        error = told.elapsed / row.total - 1
        checks.append({"waters": row.waters, "hosts": row.hosts, "error": error, **asdict(told)})
        lines.append(
            f"{f'W{row.waters}, {row.hosts}':14}{row.total:12.3f}{told.elapsed:11.3f}{error:8.1%}"
            f"{row.efficiency:12.3f}{told.efficiency:11.3f}"
        )
    result: dict[str, Any] = {"rates": asdict(rates), "checks": checks, "large": []}
    if whole:
        waiting = _row(found.rows, max(found.bases), rate, 2, ORIGINAL.name).waiting
        for name, size in LARGE.items():
            lines += _large(name, size, kernels, rates, found.links, result["large"])
        lines += _deployments(kernels, rates, waiting)
    result["text"] = "\n".join(lines)
    return result


def _water(count: int) -> Size:
    return Size(4 * count, 19 * count, MEMORY)


def _row(rows: list[Row], waters: int, rate: str, hosts: int, name: str = THREAD.name) -> Row:
    key = waters, rate, hosts, name
    return next(r for r in rows if (r.waters, r.rate, r.hosts, r.deployment.name) == key)


def _large(
    name: str,
    size: Size,
    kernels: Kernels,
    rates: Rates,
    links: dict[str, dict[str, float]],
    results: list[dict[str, Any]],
) -> list[str]:
    """Predict a large problem by nodes, on the links that were measured, and on the paper's."""
    networks = {
        {"1gbit": "1 Gbit/s", "none": "unshaped"}[rate]: replace(rates, **link)
        for rate, link in links.items()
    }
    networks["9.7 GB/s, by its card"] = replace(rates, carry=0.0, **PAPER_LINK)
    lines = [
        f"\n{name}, nodes of {CORES} cores, {size.memory / 2**30:.1f} GiB a core, "
        f"{size.operands / 1e9:.0f} GB of operands in all",
        f"{'nodes':>6}{'cores':>7}{'tile':>5}{'GF/s a core':>12}{'GB a node':>11}"
        + "".join(f"{f'{network}: hours, E':>32}" for network in networks),
    ]
    for nodes in NODES:
        ranks = nodes * CORES
        kernel, dealt = kernels.of(size, ranks), deal(size, ranks)
        told = {
            network: predict(size, kernel, each, hosts=nodes, cores=CORES, dealt=dealt)
            for network, each in networks.items()
        }
        any_of_them = next(iter(told.values()))
        lines.append(
            f"{nodes:6}{ranks:7}{size.tile(ranks):5}"
            f"{size.operations / any_of_them.computing / 1e9:12.1f}"
            f"{any_of_them.moved / nodes / 1e9:11.1f}"
            + "".join(
                f"{each.elapsed / HOUR:24.3f}{each.efficiency:8.3f}" for each in told.values()
            )
        )
        results += [
            {"problem": name, "nodes": nodes, "network": network, **asdict(each)}
            for network, each in told.items()
        ]
    return lines


def _deployments(kernels: Kernels, rates: Rates, waiting: float) -> list[str]:
    """Predict table II at the paper's size, nodes and link; original: waiting as measured here."""
    name, size = next(iter(LARGE.items()))
    lines = [
        f"\n{name}, {PAPER_NODES} nodes, 9.7 GB/s, in the deployments of table I (original: waits "
        f"{waiting:.0%} of the time, as the largest size here)",
        f"{'':24}{'computing cores':>16}{'hours':>8}{'E(N)':>7}"
        f"{'paper 003, NWChem: MMM + RMA, hours':>37}{'E(N)':>7}",
    ]
    card = replace(rates, carry=0.0, **PAPER_LINK)
    for deployment, busy in (
        ("original", CORES),
        ("ghost ranks", CORES - 1),
        ("thread oversubscribed", CORES),
        ("thread dedicated", CORES // 2),
    ):
        kernel = kernels.of(size, PAPER_NODES * busy)
        told = predict(size, kernel, card, hosts=PAPER_NODES, cores=CORES, computing_cores=busy)
        slower = 1 / (1 - waiting) if deployment == "original" else 1.0
        products, operations = PAPER_HOURS[deployment]
        theirs = PAPER_HOURS["original"][0] / (products + operations)
        lines.append(
            f"{deployment:24}{busy:16}{slower * told.elapsed / HOUR:8.3f}"
            f"{told.efficiency / slower:7.3f}"
            f"{f'{products:.2f} + {operations:.2f}':>37}{theirs:7.2f}"
        )
    return lines
