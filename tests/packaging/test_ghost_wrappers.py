"""What stands between MPI programs and their MPI (scripts/ghost_wrappers.py): nothing is missed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ROOT, run

GENERATOR = ROOT / "scripts" / "ghost_wrappers.py"
TABLE = ROOT / "src" / "ghost" / "functions.tsv"
HEAD = "function\ttreatment\treason\n"
HEADER = """
# 1 "mpi.h"
typedef int (MPI_Comm_copy_attr_function)(MPI_Comm, int, void *);
extern __attribute__((visibility("default"))) int MPI_Bcast(void *buffer, int count,
    MPI_Datatype datatype, int root, MPI_Comm comm) __attribute__((nonnull(1)));
int PMPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
int MPI_Cart_create(MPI_Comm, int ndims, const int dims[], MPI_Comm *newcomm);
int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm) ;
int MPI_Type_size(MPI_Datatype datatype, int *size);
int MPI_Pcontrol(const int level, ...);
double MPI_Wtime(void);
"""


@pytest.fixture
def generate(tmp_path):
    """Run the generator on a preprocessed mpi.h and a table; its status, message and files."""

    def generate(header: str, table: str) -> tuple[int, str, dict[str, str]]:
        (tmp_path / "mpi.i").write_text(header)
        (tmp_path / "functions.tsv").write_text(table)
        command = [
            sys.executable,
            GENERATOR,
            tmp_path / "mpi.i",
            tmp_path / "functions.tsv",
            tmp_path / "out",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        files = {path.name: path.read_text() for path in (tmp_path / "out").glob("*")}
        return done.returncode, done.stderr, files

    return generate


def test_every_function_that_takes_a_communicator_gets_a_wrapper_and_no_other(generate):
    status, message, files = generate(HEADER, HEAD)
    assert (status, message) == (0, "")
    wrapped = re.findall(r"^\w+ (MPI_\w+)\(", files["wrappers.cpp"], re.MULTILINE)
    assert wrapped == ["MPI_Bcast", "MPI_Cart_create", "MPI_Intercomm_merge"]
    assert (
        "return PMPI_Bcast(buffer, count, datatype, root, visible(comm));" in files["wrappers.cpp"]
    )
    # The first parameter has no name in mpi.h.
    assert "PMPI_Cart_create(visible(argument_0), ndims, dims, newcomm);" in files["wrappers.cpp"]
    assert "PMPI_Bcast = MPI_Bcast;" in files["second_names.ld"]


def test_the_library_itself_is_led_to_the_real_mpi_where_a_function_is_wrapped(generate):
    _, _, files = generate(HEADER, HEAD)
    assert "#define PMPI_Bcast atoll_real_MPI_Bcast\n" in files["real_names.h"]
    assert "MPI_Type_size" not in files["real_names.h"]
    assert 'real_function("PMPI_Bcast")' in files["real.cpp"]
    assert "MPI_Type_size" not in files["real.cpp"]


@pytest.mark.parametrize(
    "function",
    [
        "int MPI_Win_invent(int size, MPI_Comm comm, MPI_Win *win);",
        "int MPI_Win_ask(MPI_Win win, int *answer);",
        "int MPI_Comm_conjure(int size, MPI_Comm *newcomm);",
        "int MPI_Session_ask(MPI_Session session, int *answer);",
    ],
)
def test_a_new_function_that_nobody_has_thought_of_fails_the_build_by_name(generate, function):
    name = re.findall(r"MPI_\w+(?=\()", function)[0]
    status, message, _ = generate(HEADER + function, HEAD)
    assert status == 1
    assert message.rstrip().endswith(f"not in the table: {name}")
    assert generate(HEADER + function, f"{HEAD}{name}\tpassed\ta reason\n")[0] == 0


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("MPI_Bcast\tpassed\t\n", "line 2: expected a name, one of hand, communicator, passed"),
        ("MPI_Bcast\tsomehow\tso\n", "line 2: expected a name"),
        ("MPI_Bcast\thand\tso\nMPI_Bcast\thand\tso\n", "line 3: MPI_Bcast is there twice"),
    ],
)
def test_a_row_without_a_reason_is_refused_by_its_line(generate, row, said):
    status, message, _ = generate(HEADER, HEAD + row)
    assert status == 1
    assert said in message


def test_the_library_exports_both_names_of_all_that_the_mpi_in_use_can_be_asked(
    build: Path, generate
):
    header = (build / "ghost" / "mpi_h.txt").read_text(errors="replace")
    status, message, files = generate(header, TABLE.read_text())
    assert (status, message) == (0, "")
    wrapped = set(re.findall(r"^#define P(\w+) ", files["real_names.h"], re.MULTILINE))
    assert len(wrapped) > 150
    symbols = run("nm", "-D", "--defined-only", build / "libatoll_ghost.so").splitlines()
    exported = {symbol.split()[-1] for symbol in symbols}
    assert exported == (wrapped | {f"P{name}" for name in wrapped} | {"atoll_ghost_step_aside"})
