"""Scripts that judge by other projects' tests read their lists, and fail without a reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import conformance  # noqa: E402
import conformance_ga  # noqa: E402
import conformance_mpich  # noqa: E402

TESTLIST = """\
# a comment
winname 2
rma_contig 2 arg=-iter=10 timeLimit=300
epochtest 4 arg=-type=MPI_INT arg=-count=1 env=MPITEST_A=b mem=1.2
"""
MAKEFILE = """\
GLOBAL_PARALLEL_TESTS += global/testing/testc$(EXEEXT)
#GLOBAL_PARALLEL_TESTS += global/testing/big$(EXEEXT) # needs lots of memory
GLOBAL_PARALLEL_TESTS += global/testing/nga-util$(EXEEXT)
MA_SERIAL_TESTS += ma/testf$(EXEEXT)
MA_SERIAL_TESTS_XFAIL += ma/testf$(EXEEXT)
global_testing_testc_SOURCES = global/testing/testc.c
nodist_global_testing_nga_util_SOURCES = global/testing/nga-util.F $(gtsrcf)
ma_testf_SOURCES         = ma/testf.F
"""


def test_a_testlist_of_mpich_is_read_with_ranks_arguments_and_settings(tmp_path: Path) -> None:
    (tmp_path / "testlist").write_text(TESTLIST)
    tests = conformance_mpich.tests_in(tmp_path / "testlist")
    assert [test.name for test in tests] == [
        "winname 2", "rma_contig 2 -iter=10", "epochtest 4 -type=MPI_INT -count=1",
    ]  # fmt: skip
    assert tests[2].environment == {"MPITEST_A": "b"}


@pytest.mark.parametrize(
    ("status", "out", "expected"),
    [
        (0, " No Errors\n", "passed"),
        (0, "Found 3 errors\n", "other words"),
        (0, "", "other words"),
        (6, " No Errors\n", "status 6"),
        (None, "", "not over"),
    ],
)
def test_a_test_of_mpich_passes_by_its_status_and_its_words(
    status: int | None, out: str, expected: str
) -> None:
    assert conformance_mpich.verdict(status, out, "warnings of libraries") == expected


def test_what_make_check_of_global_arrays_runs_is_read(tmp_path: Path) -> None:
    (tmp_path / "Makefile.am").write_text(MAKEFILE)
    assert conformance_ga.programs_in(tmp_path) == [
        conformance_ga.Program("global/testing/testc", ("global/testing/testc.c",), 4, False),
        conformance_ga.Program("global/testing/nga-util", ("global/testing/nga-util.F",), 4, False),
        conformance_ga.Program("ma/testf", ("ma/testf.F",), 1, True),
    ]


def test_a_difference_fails_unless_its_reason_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(conformance, "REASONS", tmp_path)
    (tmp_path / "them.tsv").write_text("# why\nthread-*/slow [0-9]\ttakes hours\n")
    plain = conformance.Outcomes(
        "plain", {"good": "passed", "slow 2": "passed", "bad": "status 1", "new": "passed"}
    )
    here = dict(plain.by_test) | {"slow 2": "not over"}
    alike = conformance.Outcomes("thread-2-nodes", here)
    assert conformance.report("them", "Theirs", "1.2", plain, [alike]) == 0
    row = "| Theirs, thread 2 nodes | 1.2 | 4 | 3 | 2 | 1: takes hours |"
    assert capsys.readouterr().out.splitlines()[-1] == row
    other = conformance.Outcomes("ranks-1-node", here)
    assert conformance.report("them", "Theirs", "1.2", plain, [alike, other]) == 1
    said = capsys.readouterr().out
    assert "ranks-1-node/slow 2: not over" in said
    assert "thread-2-nodes/slow 2" not in said
