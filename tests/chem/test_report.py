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
from atoll.chem.results import report
from atoll.chem.results.report import Reporter
from mpi_runs import PATIENCE

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
