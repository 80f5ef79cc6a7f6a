"""Programs written for Global Arrays build against an installed Atoll, however they ask for it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ROOT, run

EXAMPLES = ROOT / "examples" / "ga"
STARTS = ROOT / "tests" / "ga" / "programs"
SHAPES = [(1, 1), (2, 1), (3, 1), (4, 1), (4, 2)]
needs_fortran = pytest.mark.skipif(
    shutil.which("gfortran") is None, reason="no Fortran compiler on this machine"
)


class GaConfig:
    """The installed ga-config, asked as build systems do."""

    def __init__(self, installation: Path) -> None:
        self.path = installation / "bin" / "ga-config"
        assert self.path.exists()

    def __call__(self, *options: str) -> list[str]:
        return shlex.split(run(self.path, *options))

    def build(self, source: Path, program: Path, *options: str) -> Path:
        """Compile one file in C or Fortran and link it, as a makefile would."""
        if source.suffix == ".c":
            compile_ = ["cc", "-std=c99", "-D_GNU_SOURCE", *self(*options, "--cppflags")]
        else:
            compile_ = ["gfortran", "-cpp", "-ffree-line-length-none"]
            compile_ += self(*options, "--cppflags", "--fflags")
        link = self(*options, "--ldflags", "--libs", "--flibs")
        run(*compile_, source, "-o", program, *link)
        return program


@pytest.fixture(scope="session")
def ga_config(installation: Path) -> GaConfig:
    return GaConfig(installation)


def outputs(tools: Path, program: Path, *arguments: str) -> set[str]:
    """What a program prints at any number of ranks and nodes."""
    printed = set()
    for ranks, nodes in SHAPES:
        command = (tools / "mpiexec", "-n", str(ranks), program, *arguments)
        printed.add(run(*command, ATOLL_NODES=str(nodes)))
    return printed


def expected(name: str) -> str:
    """What an independent computation gives: NumPy."""
    import numpy as np

    if name == "ring_scf":
        n, u, bond, coulomb = 30, 11.13, 1.397, 14.397
        i, j = np.indices((n, n))
        distance = bond / np.sin(np.pi / n) * np.abs(np.sin(np.pi * (i - j) / n))
        gamma = coulomb / np.sqrt(distance**2 + (coulomb / u) ** 2)
        apart = np.abs(i - j)
        core = np.where((apart == 1) | (apart == n - 1), -2.4, 0.0)
        core -= np.diag(gamma.sum(axis=1) - u)
        density = np.eye(n) + np.where((apart == 1) | (apart == n - 1), 2 / 3, 0.0)
        for _ in range(60):
            fock = core - 0.5 * density * gamma + np.diag(gamma @ np.diag(density))
            levels, orbitals = np.linalg.eigh(fock)
            density = 2 * orbitals[:, : n // 2] @ orbitals[:, : n // 2].T
        energy = 0.5 * (density * (core + fock)).sum() + 0.5 * (gamma.sum() - n * u)
        gap = levels[n // 2] - levels[n // 2 - 1]
        return f"ring of {n}: energy {energy:.6f} eV, gap {gap:.6f} eV\n"
    n = 49
    plate, sweeps = np.zeros((n + 2, n + 2)), 0
    plate[0, :] = 100.0
    while True:
        sweeps += 1
        mean = 0.25 * (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:])
        change = np.abs(mean - plate[1:-1, 1:-1]).max()
        plate[1:-1, 1:-1] = mean
        if sweeps % 50 == 0 and change < 1e-6:
            break
    middle, corner = plate[1 + n // 2, 1 + n // 2], plate[1, 1]
    return (
        f"plate of {n} x {n}: steady after {sweeps} sweeps, {middle:.6f} in the middle, "
        f"{corner:.6f} in the first corner\n"
    )


@pytest.mark.parametrize("name", ["ring_scf", "heat"])
def test_examples_in_c_give_what_numpy_does_at_any_number_of_ranks(
    ga_config: GaConfig, tools: Path, tmp_path: Path, name: str
) -> None:
    program = ga_config.build(EXAMPLES / f"{name}.c", tmp_path / name)
    assert outputs(tools, program) == {expected(name)}


@needs_fortran
@pytest.mark.parametrize("integers", ["8 bytes", "4 bytes"])
@pytest.mark.parametrize("name", ["ring_scf", "heat"])
def test_examples_in_fortran_print_the_same(
    ga_config: GaConfig, tools: Path, tmp_path: Path, name: str, integers: str
) -> None:
    options = ["--i4"] if integers == "4 bytes" else []
    program = ga_config.build(EXAMPLES / f"{name}.F90", tmp_path / name, *options)
    assert {text.replace(" .", " 0.") for text in outputs(tools, program)} == {expected(name)}


def test_the_out_of_core_transpose_is_right_in_c_and_fortran(
    ga_config: GaConfig, tools: Path, tmp_path: Path
) -> None:
    printed = set()
    for suffix in [".c"] + ([".F90"] if shutil.which("gfortran") else []):
        program = ga_config.build(
            EXAMPLES / f"out_of_core_transpose{suffix}", tmp_path / suffix[1:]
        )
        printed |= outputs(tools, program, "300", str(tmp_path))
    assert len(printed) == 1
    assert "300 x 200: correct, checksum" in printed.pop()


def test_ga_starts_again_with_a_limit_and_on_some_ranks(
    ga_config: GaConfig, tools: Path, tmp_path: Path
) -> None:
    program = ga_config.build(STARTS / "ga_start.c", tmp_path / "ga_start")
    assert outputs(tools, program) == {"ok\n"}


def test_programs_that_call_mpi_init_have_threads(
    ga_config: GaConfig, tools: Path, tmp_path: Path
) -> None:
    program = ga_config.build(STARTS / "ga_threads.c", tmp_path / "ga_threads")
    command = (tools / "mpiexec", "-n", "2", program)
    assert run(*command, ATOLL_NODES="2") == "all threads\n"
    fewer = {"MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_SINGLE", "OMPI_MPI_THREAD_LEVEL": "0"}
    assert "all threads" not in run(*command, ATOLL_NODES="2", **fewer)


def test_mpi_that_ga_has_started_goes_on_behind_its_end(
    ga_config: GaConfig, tools: Path, tmp_path: Path
) -> None:
    program = ga_config.build(STARTS / "ga_ends_mpi.c", tmp_path / "ga_ends_mpi")
    assert outputs(tools, program) == {"ok\n"}
    assert outputs(tools, program, "left") == {"ok\n"}


def test_tcgmsg_starts_and_stops_mpi(ga_config: GaConfig, tools: Path, tmp_path: Path) -> None:
    for suffix in [".c"] + ([".F90"] if shutil.which("gfortran") else []):
        program = ga_config.build(STARTS / f"tcgmsg_start{suffix}", tmp_path / suffix[1:])
        assert outputs(tools, program) == {"ok\n"}


@pytest.mark.parametrize("library", ["-lga -larmci", "-l:libatoll_ga.a", "-l:libga.a"])
def test_programs_link_by_the_names_of_ga_and_with_the_static_library(
    ga_config: GaConfig, tools: Path, tmp_path: Path, library: str
) -> None:
    program = tmp_path / "program"
    libraries = [name for name in ga_config("--libs") if name != "-latoll_ga"]
    run(
        *("cc", "-std=c99", "-D_GNU_SOURCE", *ga_config("--cppflags"), STARTS / "ga_start.c"),
        *("-o", program, *ga_config("--ldflags"), *library.split(), *libraries),
    )
    assert run(tools / "mpiexec", "-n", "2", program) == "ok\n"


@pytest.mark.parametrize("library", ["-latoll_ga", "-lga -larmci"])
def test_pip_installs_all_that_a_program_needs(tools: Path, tmp_path: Path, library: str) -> None:
    environment = Path(sys.prefix)
    config = GaConfig(environment)
    assert (environment / "include" / "ga-wapi.h").exists()
    libraries = [name for name in config("--libs") if name != "-latoll_ga"]
    assert "-latoll" not in libraries  # the static library is not in the wheel
    for source in ["ga_start.c"] + (["tcgmsg_start.F90"] if shutil.which("gfortran") else []):
        compiler = ["cc", "-std=c99", "-D_GNU_SOURCE"]
        if source.endswith(".F90"):
            compiler = ["gfortran", "-cpp", *config("--fflags")]
        program = tmp_path / "program"
        run(
            *(*compiler, *config("--cppflags"), STARTS / source, "-o", program),
            *(*config("--ldflags"), *library.split(), *libraries, *config("--flibs")),
        )
        assert "libatoll_ga.so" in run("readelf", "-d", program)
        assert outputs(tools, program) == {"ok\n"}


def test_ga_config_answers_numbers_and_flags_that_makefiles_can_use(ga_config: GaConfig) -> None:
    numbers = ("--blas_size", "--scalapack_size", "--use_blas", "--use_lapack", "--use_scalapack")
    numbers += ("--use_peigs", "--use_elpa", "--use_elpa_2015", "--use_elpa_2016", "--use_sicm")
    for option in numbers:
        (answer,) = ga_config(option)
        assert answer.isdigit(), option
    for option in ("--network_ldflags", "--network_libs", "--network_cppflags"):
        assert all(word.startswith(("-", "/")) for word in ga_config(option)), option
    assert ga_config("--cppflags")[-1].startswith("-I")
    first, *_, folder = ga_config("--ldflags")
    assert folder.startswith("-L")
    assert Path(folder.removeprefix("-L"), "libga.a").exists()
    assert first == f"-Wl,-rpath,{folder[2:]}"  # another Atoll may lie beside MPI
    assert ga_config("--enable-f77") == ["yes"]
    assert ga_config("--version")[0].split(".")[0] == "5"


ENDS = {
    'GA_Error("lost", 7)': "0: lost: 7",
    "GA_Destroy(1), GA_Zero(-5)": "0: GA_Zero: g_a is -5, no array",
    "GA_Fence()": "0: GA_Fence: there was no GA_Init_fence before this GA_Fence",
    "NGA_Get(g_a, low, high, value, low)": "0: NGA_Get: get: patch [3:10] lies outside",
    "GA_Pgroup_create(twice, 2)": "0: GA_Pgroup_create: list names process 0 twice",
    'ARMCI_Error("lost", 7)': "0: lost: 7",
    "armci_msg_abort(7)": "0: armci_msg_abort: 7",
    "tcg_parerr(7)": "0: parerr: the program ends the job with code: 7",
}


def test_misuse_ends_the_job_with_a_message(
    ga_config: GaConfig, tools: Path, tmp_path: Path
) -> None:
    cases = "".join(f"    case {k}: {call}; break;\n" for k, call in enumerate(ENDS))
    (tmp_path / "misuse.c").write_text(
        "#include <mpi.h>\n#include <stdlib.h>\n#include <armci.h>\n#include <ga.h>\n"
        "#include <message.h>\n#include <tcgmsg.h>\n"
        "int main(int argc, char** argv) {\n"
        "  int dims[] = {8}, low[] = {3}, high[] = {9}, twice[] = {0, 0}, g_a;\n"
        "  double value[10];\n"
        "  MPI_Init(&argc, &argv);\n  GA_Initialize();\n"
        '  g_a = NGA_Create(C_DBL, 1, dims, "a", NULL);\n'
        f"  switch (atoi(argv[1])) {{\n{cases}  }}\n  (void)value;\n  return 0;\n}}\n"
    )
    program = ga_config.build(tmp_path / "misuse.c", tmp_path / "misuse")
    for k, message in enumerate(ENDS.values()):
        ended = subprocess.run(
            [tools / "mpiexec", "-n", "1", program, str(k)],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert ended.returncode != 0
        assert message in ended.stderr


def test_the_shared_library_exports_the_listed_names_only(installation: Path) -> None:
    rows = (ROOT / "src" / "compat" / "functions.tsv").read_text().splitlines()[1:]
    listed = set()
    for row in rows:
        _, c, fortran, *_ = row.split("\t")
        listed |= {c} | {f"{name}_" for name in fortran.split(",")}
    for library in installation.rglob("libatoll_ga*.so"):
        lines = run("nm", "--dynamic", "--defined-only", "--format=posix", library).splitlines()
        exported = {line.split()[0] for line in lines if line.split()[1] != "A"}
        assert len(exported) > 100
        unlisted = {n for n in exported if n not in listed and not n.startswith(("mbc_", "ma_cb_"))}
        assert unlisted == set()


def test_ga_config_answers_what_build_systems_ask(ga_config: GaConfig) -> None:
    assert ga_config("--version") == ["5.8.0"]
    assert ga_config("--cppflags")[-1].endswith("include/ga")
    assert ga_config("--ldflags")[-1].startswith("-L")
    assert ga_config("--blas_size", "--scalapack_size", "--use_peigs") == ["4", "4", "0"]
    assert "-fdefault-integer-8" in ga_config("--fflags")
    assert "-DATOLL_GA_I4" in ga_config("--i4", "--cppflags")


def test_find_package_globalarrays_gives_a_program(
    installation: Path, tools: Path, tmp_path: Path
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES C CXX)\n"
        "find_package(globalarrays REQUIRED)\n"
        f"add_executable(heat {EXAMPLES / 'heat.c'})\n"
        "target_compile_definitions(heat PRIVATE _GNU_SOURCE)\n"
        "target_link_libraries(heat PRIVATE GlobalArrays::ga m)\n"
        "set_target_properties(heat PROPERTIES LINKER_LANGUAGE CXX)\n"
    )
    path = {"PATH": f"{tools}:{os.environ['PATH']}"}
    prefix = f"-DCMAKE_PREFIX_PATH={installation}"
    run(tools / "cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", prefix, **path)
    run(tools / "cmake", "--build", tmp_path / "build", **path)
    printed = run(tools / "mpiexec", "-n", "2", tmp_path / "build" / "heat", "9")
    assert printed.startswith("plate of 9 x 9: steady after ")


@pytest.mark.parametrize(
    ("package", "library"), [("globalarrays", "atoll_ga"), ("globalarrays_i4", "atoll_ga_i4")]
)
def test_pkg_config_gives_the_program_that_ga_config_gives(
    ga_config: GaConfig,
    installation: Path,
    tools: Path,
    tmp_path: Path,
    package: str,
    library: str,
) -> None:
    (description,) = installation.rglob(f"{package}.pc")
    path = str(description.parent)
    flags = shlex.split(run(tools / "pkgconf", "--cflags", "--libs", package, PKG_CONFIG_PATH=path))
    assert f"-l{library}" in flags
    assert ("-DATOLL_GA_I4" in flags) == (package == "globalarrays_i4")
    program = tmp_path / "heat"
    source = EXAMPLES / "heat.c"
    run("cc", "-std=c99", "-D_GNU_SOURCE", source, "-o", program, *flags)
    by_ga_config = ga_config.build(source, tmp_path / "other")
    command = (tools / "mpiexec", "-n", "2")
    assert run(*command, program, "9") == run(*command, by_ga_config, "9")
