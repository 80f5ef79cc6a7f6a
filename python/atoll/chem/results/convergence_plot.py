"""A picture of how a self-consistent field converged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atoll._agreement import collective
from atoll.chem.results.pictures import BLUE, ORANGE, new_figure, save
from atoll.chem.self_consistency.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from atoll.chem.self_consistency.mean_field import MeanField


@collective
def plot_convergence(mean_field: MeanField, path: str | Path) -> None:
    """Draw the energy change and the DIIS error of each iteration, and their limits. Collective.

    Raises:
        RuntimeError: Nothing has been computed.
        ImportError: The first rank has no matplotlib.
        OSError, ValueError: The file cannot be written, or its name ends with no known format.

    On all ranks.

    """
    if mean_field.solution is None:
        raise RuntimeError("there are no iterations to draw: call kernel() or run()")
    group = mean_field.group
    if group.rank == 0:
        _show(mean_field, path)
    group.sync()


def _show(mean_field: MeanField, path: str | Path) -> None:
    figure = new_figure(6.4, 4.2)
    _draw(figure.add_subplot(), mean_field)
    save(figure, path)


def _draw(axes: Any, mean_field: MeanField) -> None:
    assert mean_field.solution is not None
    iterations = mean_field.solution.iterations
    numbers = [iteration.number for iteration in iterations]
    errors = [iteration.error for iteration in iterations]
    # The first change is the energy itself.
    changes = [abs(iteration.change) for iteration in iterations[1:]]
    axes.semilogy(numbers, errors, "o-", color=ORANGE, label="DIIS error, hartree")
    axes.semilogy(numbers[1:], changes, "s-", color=BLUE, label="energy change, hartree")
    settings = Settings(mean_field.conv_tol, mean_field.conv_tol_grad)
    _draw_limit(axes, "DIIS error", settings.largest_error, ORANGE)
    _draw_limit(axes, "energy change", settings.convergence, BLUE)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("iteration")
    state = "converged" if mean_field.converged else "NOT converged"
    axes.set_title(f"{mean_field.method} {state}: {mean_field.e_tot:.8f} hartree", fontsize=11)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_limit(axes: Any, name: str, limit: float, color: str) -> None:
    axes.axhline(limit, color=color, linestyle="--", linewidth=1.0)
    axes.annotate(
        f"{name} to be below {limit:.1e}", (0.0, limit), (4, 3), color=color, fontsize=9,
        xycoords=("axes fraction", "data"), textcoords="offset points",
    )  # fmt: skip
