"""The tables of triples_hosts.py, in the form of the paper's table II and figures 5 and 6."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triples_hosts_rows import Row

NETWORKS = {"none": "unshaped", "1gbit": "1 Gbit/s"}
COLUMNS = (
    f"{'compute, s':>11}{'RMA, s':>9}{'total, s':>10}{'waiting':>9}{'agents':>8}{'others':>8}"
    f"{'N':>4}{'E(N)':>8}{'E, proc.':>10}"
)


def _cells(row: Row) -> str:
    return (
        f"{row.computing:11.3f}{row.communication:9.3f}{row.total:10.3f}{row.waiting:9.1%}"
        f"{row.agents:8.1%}{row.others:8.2f}{row.cores:4}{row.efficiency:8.3f}"
        f"{row.processor_efficiency:10.3f}"
    )


def deployments_text(rows: list[Row], limit: float, judged: tuple[str, ...]) -> str:
    """Give table II: computation and one-sided operations by size, network and deployment."""
    lines = [
        "(T) on two hosts, seconds of a rank. RMA: gets, counter and all waiting for them, waiting",
        "its part; agents: processor time beside the computing threads, of a core for each host;",
        "others: cores that other programs had; E, proc.: by processor time. Table II of paper 003",
        "(1,714 cores) had RMA 0.45, 0.004, 0.008 and 0.003 of the total for original, Casper,",
        "thread (O) and (D), and MMM 1, 1.02, 1.93 and 1.97 times that of the original.",
    ]
    for waters in sorted({row.waters for row in rows}):
        for rate in dict.fromkeys(row.rate for row in rows):
            here = [r for r in rows if r.waters == waters and r.cores == 2 and r.hosts < 4]
            here = [r for r in here if r.rate == rate or r.hosts == 1]
            lines.append(f"\n{f'W{waters}, {NETWORKS[rate]}':28}{COLUMNS}")
            for row in here:
                verdict = ""
                if row.deployment.name in judged and rate == "1gbit":
                    verdict = f"  limit >= {limit} " + (
                        "met" if row.efficiency >= limit else "MISSED"
                    )
                lines.append(f"{row.deployment.name:28}{_cells(row)}{verdict}")
    return "\n".join(lines)


def scaling_text(rows: list[Row], traffic: dict[tuple[int, int], dict[str, float]]) -> str:
    """Give figure 5, and messages and bytes by hosts."""
    largest = max(row.waters for row in rows)
    first = rows[0].rate
    lines = [f"\n{f'W{largest}, {NETWORKS[first]}, by hosts':28}{COLUMNS}"]
    for name in dict.fromkeys(row.deployment.name for row in rows):
        found = {
            row.hosts: row
            for row in rows
            if (row.waters, row.rate, row.deployment.name) == (largest, first, name)
        }
        if 4 in found:
            lines += [f"{f'{name}, {h}':28}{_cells(found[h])}" for h in sorted(found)]
    lines.append(
        f"\n{'size, hosts':20}{'gets':>8}{'of MB':>10}{'between hosts: messages':>26}{'MB':>10}"
    )
    for (waters, hosts), each in traffic.items():
        lines.append(
            f"{f'W{waters}, {hosts}':20}{each['gets']:8.0f}{each['asked'] / 1e6:10.1f}"
            f"{each['messages']:26.0f}{each['bytes'] / 1e6:10.1f}"
        )
    return "\n".join(lines)
