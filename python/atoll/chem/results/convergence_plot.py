"""A picture of how a self-consistent field converged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atoll._agreement import collective
from atoll.chem.results.pictures import BLUE, GREY, ORANGE, new_figure, save

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from atoll.chem.self_consistency.mean_field import MeanField


@collective
def plot_convergence(mean_field: MeanField, path: str | Path) -> None:
    """Draw the change of the energy and the error of each iteration. Collective.

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
        figure = new_figure(6.4, 4.2)
        _draw(figure.add_subplot(), mean_field)
        save(figure, path)
    group.sync()


def _draw(axes: Any, mean_field: MeanField) -> None:
    assert mean_field.solution is not None
    iterations = mean_field.solution.iterations
    numbers = [iteration.number for iteration in iterations]
    errors = [iteration.error for iteration in iterations]
    # The first change is the energy itself.
    changes = [abs(iteration.change) for iteration in iterations[1:]]
    axes.semilogy(numbers, errors, "o-", color=ORANGE, label="error of the orbitals, hartree")
    axes.semilogy(numbers[1:], changes, "s-", color=BLUE, label="change of the energy, hartree")
    axes.axhline(mean_field.conv_tol, color=GREY, linestyle="--", linewidth=1.0)
    axes.annotate(
        f"conv_tol {mean_field.conv_tol:g}", (1.0, mean_field.conv_tol), (-4, 3),
        xycoords=("axes fraction", "data"), textcoords="offset points", ha="right", color=GREY,
    )  # fmt: skip
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("iteration")
    state = "converged" if mean_field.converged else "NOT converged"
    axes.set_title(f"{mean_field.method} {state}: {mean_field.e_tot:.8f} hartree", fontsize=11)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
