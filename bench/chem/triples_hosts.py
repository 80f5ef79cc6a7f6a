"""The (T) correction on one, two and four hosts: deployments, strong scaling, and a model of W21.

    python bench/chem/triples_hosts.py [--waters N ...] [--rate RATE]... [--repeats N] [--priority]
        [--no-model] [--quick] [--json FILE] [--plot FILE]

Table II and figures 5 and 6 of Si et al. (paper 003): water clusters in the deployments of its
table I, one computing rank a host, on a cluster in a box (docs/cluster.md; needs root). The two
hosts have a core each, or, where agents have cores of their own, one for both ranks and one for
both agents; four hosts share two cores. The limit: E(2) >= 0.95 with agents at 1 Gbit/s, by
equation 1 of that paper, E = T_comp / T / N: the time that one rank computes on a host of its own,
and N cores, those of agents included. Beside the wall's time stands the processor's, which other
programs on the machine disturb less. The best run of each counts. Then messages and bytes between
hosts, and the model of triples_model.py: beside the sizes that run, and of 21 molecules on nodes of
24 cores.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import host_processes
from triples_hosts_rows import Base, Row, base_of, best_of, row_of, traffic_of
from triples_hosts_text import deployments_text, scaling_text
from triples_on_hosts import DEPLOYMENTS, IN_THE_NODE, ORIGINAL, THREAD, Deployment, run

LIMIT = 0.95
RATES = ("1gbit", "none")
HOSTS = (1, 2, 4)
JUDGED = ("ghost ranks oversubscribed", "thread oversubscribed")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time the (T) correction on hosts in a box.")
    parser.add_argument(
        "--waters", type=int, nargs="+", default=[3, 4], metavar="N", help="molecules (3 4)"
    )
    parser.add_argument("--rate", action="append", choices=RATES, help="these networks only")
    parser.add_argument("--repeats", type=int, default=2, metavar="N", help="runs of each (2)")
    parser.add_argument("--priority", action="store_true", help="put the ranks before all others")
    parser.add_argument("--no-model", action="store_true", help="leave the model out")
    parser.add_argument("--quick", action="store_true", help="2 molecules, once, without W21")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw a PNG (matplotlib)")
    options = parser.parse_args()
    if options.quick:
        options.waters, options.repeats = [2], 1
    options.rate = options.rate or list(RATES)
    return options


class Measurement:
    """Runs on the cluster, and what they came to."""

    def __init__(self, cluster: Any, folder: Path, options: argparse.Namespace) -> None:
        self._cluster, self._folder, self._options = cluster, folder, options
        self._found: list[tuple[Deployment, int, str, dict[str, Any]]] = []
        self.links: dict[str, dict[str, float]] = {}
        self.traffic: dict[tuple[int, int], dict[str, float]] = {}

    def deployments(self) -> None:
        """Measure every size in every deployment on two hosts, and alone on one."""
        for waters in self._options.waters:
            for deployment in (ORIGINAL, IN_THE_NODE):
                self._run(deployment, waters, 1, self._options.rate[0])  # but nothing goes there
            for rate in self._options.rate:
                self._cluster.shape(rate)
                for deployment in DEPLOYMENTS:
                    link = self._run(deployment, waters, 2, rate)["link"]
                    self.links[rate] = best_of([self.links.get(rate, link), link])

    def scaling(self) -> None:
        """Measure the largest size on four hosts, too, and what goes between hosts."""
        waters, rate = max(self._options.waters), self._options.rate[0]
        self._cluster.shape(rate)
        self._run(THREAD, waters, 1, rate)
        for deployment in (ORIGINAL, THREAD):
            self._run(deployment, waters, 4, rate)
        for each in self._options.waters:
            for hosts in HOSTS:
                profile = run(THREAD, each, hosts, self._folder, repeats=1, profile=True)
                self.traffic[each, hosts] = traffic_of(profile)

    @property
    def bases(self) -> dict[int, Base]:
        """Give the best that one rank did, of every size."""
        return {
            waters: base_of(
                [found for _, w, _, found in self._found if (w, found["ranks"]) == (waters, 1)]
            )
            for waters in self._options.waters
        }

    @property
    def rows(self) -> list[Row]:
        bases = self.bases
        return [row_of(*each, bases[each[1]]) for each in self._found]

    def _run(self, deployment: Deployment, waters: int, hosts: int, rate: str) -> dict[str, Any]:
        options = self._options
        found = run(
            deployment,
            waters,
            hosts,
            self._folder,
            repeats=options.repeats,
            priority=options.priority,
        )
        self._found.append((deployment, waters, rate, found))
        return found


def measured(options: argparse.Namespace) -> Measurement:
    from atoll.cluster import Cluster, ClusterError
    from atoll.cluster.hosts import missing

    if reason := missing():
        raise SystemExit(f"bench/chem/triples_hosts.py: {reason}")
    cluster = Cluster()
    try:
        cluster.up(max(HOSTS))
        with tempfile.TemporaryDirectory() as folder:
            measurement = Measurement(cluster, Path(folder), options)
            measurement.deployments()
            measurement.scaling()
    except ClusterError as error:
        raise SystemExit(f"bench/chem/triples_hosts.py: {error}") from None
    finally:
        cluster.down()
    return measurement


def figures_of(rows: list[Row]) -> list[dict[str, Any]]:
    """Give the figures that bench/run.py judges, each of the largest size, and the control."""
    largest = max(row.waters for row in rows)
    rows = [row for row in rows if row.waters == largest and row.cores == 2]
    control = next(row for row in rows if row.deployment == IN_THE_NODE)
    return [
        {
            "name": f"(T) on 2 hosts, {row.rate}, {row.deployment.name}: {kind}",
            "unit": "E",
            "best": value,
            "median": value,
            "peers": [{"name": IN_THE_NODE.name, "best": beside, "median": beside}],
        }
        for row in rows
        if row.hosts == 2 and row.deployment.name in JUDGED
        for kind, value, beside in (
            ("E(2)", row.efficiency, control.efficiency),
            ("by processor", row.processor_efficiency, control.processor_efficiency),
        )
    ]


def main() -> None:
    options = arguments()
    if options.priority:
        host_processes.take_priority()
    found = measured(options)
    print(deployments_text(found.rows, LIMIT, JUDGED))
    print(scaling_text(found.rows, found.traffic))
    predictions: dict[str, Any] = {}
    if not options.no_model:
        from triples_predictions import predictions_of

        predictions = predictions_of(found, whole=not options.quick)
        print(predictions["text"])
    if options.plot is not None:
        from triples_hosts_plot import draw

        draw([row.as_data() for row in found.rows], predictions, options.plot)
    if options.json is not None:
        data = {
            "setting": f"(T) of {options.waters} waters on hosts in a box",
            "figures": figures_of(found.rows),
            "rows": [row.as_data() for row in found.rows],
            "links": found.links,
            "traffic": [
                {"waters": waters, "hosts": hosts, **each}
                for (waters, hosts), each in found.traffic.items()
            ],
            "predictions": {k: v for k, v in predictions.items() if k != "text"},
        }
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
