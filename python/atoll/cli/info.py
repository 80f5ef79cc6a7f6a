"""`atoll info`: versions, MPI, ranks, nodes and settings of a run."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import atoll
from atoll import _threads

if TYPE_CHECKING:
    import argparse


def add_command(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "info",
        help="versions, MPI, ranks, nodes, settings",
        description="Tell versions, MPI, ranks, nodes, threads and the settings in force. Under "
        "mpiexec: of that run.",
        epilog="examples:\n  atoll info\n  ATOLL_NODES=2 mpiexec -n 4 atoll info",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, world: atoll.Group) -> int:  # noqa: ARG001
    """Print what is known of the world and of the packages around it, on rank 0."""
    text = atoll.describe()
    if world.rank == 0:
        print(text.rstrip("\n"))
        print(f"threads of NumPy's libraries on each rank: {_threads.describe()}")
        print(f"python: {platform.python_version()}")
        for package in ("numpy", "scipy", "mpi4py", "pyscf"):
            try:
                print(f"{package}: {version(package)}")
            except PackageNotFoundError:
                print(f"{package}: not installed")
    return 0
