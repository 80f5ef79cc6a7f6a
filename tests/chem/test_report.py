"""What a calculation shows while it runs: a bar on a terminal, lines at intervals elsewhere."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import time

import atoll
import pytest
from atoll.chem import cc, mrci, scf
from atoll.chem.calculations import unconverged
from atoll.chem.convergence import Quantity, Unconverged
from atoll.chem.correlation.multireference import start
from atoll.chem.results import report
from atoll.chem.results.report import Reporter
from mpi_runs import PATIENCE
from pyscf import gto

pytestmark = pytest.mark.skipif(atoll.size() > 1, reason="only rank 0 reports")


def test_lines_at_intervals_where_there_is_no_terminal(capsys, monkeypatch):
    reporter = Reporter()
    monkeypatch.setattr(reporter, "_terminal", False)
    reporter.tasks(0, 100)
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(report, "INTERVAL", 0.0)
    reporter.tasks(30, 100)
    assert capsys.readouterr().out == "  building: 30 of 100 tasks, 0 s\n"


def test_triples_tell_what_is_left(capsys, monkeypatch):
    monkeypatch.setattr(report, "INTERVAL", 0.0)
    reporter = Reporter()
    monkeypatch.setattr(reporter, "_terminal", False)
    monkeypatch.setattr(reporter, "_begun", reporter._begun - 30.0)
    reporter.triples(0.25)
    reporter.triples(1.0)
    assert capsys.readouterr().out == "  (T): 25 % of the work, about 90 s left\n"
    monkeypatch.setattr(reporter, "_terminal", True)
    reporter.triples(0.1)
    time.sleep(0.2)  # the bar moves ten times a second
    reporter.triples(0.5)
    reporter.triples(1.0)
    assert "(T):  50%|" in capsys.readouterr().err


@pytest.fixture(scope="module")
def water():
    atoms = "O 0 0 0.11779; H 0 0.755453 -0.471161; H 0 -0.755453 -0.471161"
    return scf.RHF(gto.M(atom=atoms, basis="sto-3g", verbose=0)).run()


@pytest.mark.filterwarnings("ignore:CCSD has not converged")
def test_amplitudes_and_states_that_are_not_converged_tell_by_what(water, monkeypatch):
    monkeypatch.setattr(start, "DETERMINANTS", 10)  # else it is solved before the first iteration
    correlation = cc.CCSD(water)
    correlation.max_cycle, correlation.verbose = 3, 0
    correlation.kernel()
    last = correlation.iterations[-1]
    lines = unconverged.of_amplitudes(correlation).lines()
    assert lines == [
        "NOT CONVERGED after 3 iterations of the amplitudes",
        f"  energy change         {abs(last.change):23.3e} hartree, expected below 1.0e-07",
        f"  step                  {last.step:23.3e}, expected below 1.0e-05",
    ]
    states = mrci.MRCI(water, (4, 4), max_cycle=2, max_space=4)
    states.run()
    first, second = states.iterations
    change = abs(second.values - first.values).max()
    told = unconverged.of_states(states)
    assert told.lines()[0] == "NOT CONVERGED after 2 iterations of the states"
    assert [each.value for each in told.quantities] == [change, second.residuals.max()]
    assert unconverged.of_states(mrci.MRCI(water, (2, 2)).run()) is None


def test_what_is_met_is_not_among_what_is_left():
    told = Unconverged(
        "atoms", "2 moves", (Quantity("energy change", -2.0, 1.0), Quantity("rms force", 0.5, 1.0))
    )
    assert told.lines()[1:] == [
        f"  energy change         {2.0:23.3e} hartree, expected below 1.0e+00"
    ]
    assert [each["name"] for each in told.fields()["quantities"]] == ["energy change", "rms force"]


def test_a_bar_moves_on_a_terminal(plain_environment):
    program = (
        "from pyscf import gto; from atoll.chem import scf;"
        "from atoll.chem.results.report import Reporter;"
        "mf = scf.RHF(gto.M(atom='H 0 0 0; H 0 0 0.7', basis='sto-3g', verbose=0));"
        "mf.observer = Reporter();"
        "mf.run()"
    )
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    subprocess.run(
        [sys.executable, "-c", program],
        env=plain_environment,
        stderr=slave,
        check=True,
        timeout=PATIENCE,
    )
    os.close(slave)
    text = os.read(master, 100_000).decode()
    os.close(master)
    assert "building:   0%" in text
