"""Two small tables of `hosts.py` in the form of the papers that they are to be set beside."""

from __future__ import annotations

from goals import Figure
from hosts_runs import LINE_RATES


def by_name(figures: list[Figure]) -> dict[str, Figure]:
    return {figure["name"]: figure for figure in figures}


def networks_text(figures: list[Figure]) -> str:
    """Latency and bandwidth of get per network: table 1 of the paper on SMP mirroring."""
    named = by_name(figures)
    lines = []
    for rate in LINE_RATES:
        for path in ("auto", "message", "rma"):
            latency = named.get(f"{rate} {path}: remote get 8 B")
            bandwidth = named.get(f"{rate} {path}: remote get bandwidth 8 MiB")
            if latency is None or bandwidth is None:
                continue
            times = f"{latency['best']:10.1f} {latency['median']:10.1f}"
            rates = f"{1e3 * bandwidth['best']:10.1f} {1e3 * bandwidth['median']:10.1f}"
            lines.append(f"{rate:8} {path:8} {times} {rates}")
    if not lines:
        return ""
    head = f"{'':17} {'latency, us':>21} {'bandwidth, MB/s':>21}"
    names = f"{'network':8} {'path':8} {'best':>10} {'median':>10} {'best':>10} {'median':>10}"
    return "\n".join(["\nget by network", head, names, *lines, ""])


def deployments_text(figures: list[Figure]) -> str:
    """Computation, one-sided operations and efficiency: table II of the Casper paper."""
    named = by_name(figures)
    lines = []
    for head, text in (("multiply", "as it stands"), ("multiply prefetching", "prefetching")):
        labels = [name.partition(": ")[0] for name in named if f": {head}, total" in name]
        for label in labels:
            values = [
                named[f"{label}: {head}, {what}"]["median"]
                for what in ("computation", "RMA", "total", "efficiency")
            ]
            lines.append(f"{text:13} {label:22}" + "".join(f"{value:12.3f}" for value in values))
    if not lines:
        return ""
    columns = "".join(f"{name:>12}" for name in ("compute, s", "RMA, s", "total, s", "E"))
    return "\n".join(["\nget-compute-update, medians", f"{'':13} {'':22}{columns}", *lines, ""])
