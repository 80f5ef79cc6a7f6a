"""`atoll ghost --measure`: what is found best is done from then on, with launchers that pretend."""

import json
import os
import subprocess
import sys

import pytest

LAUNCHER = """#!/bin/sh
case "$*" in
  --version) printf 'HYDRA build details:\\n    Version:    %s\\n' "$VERSION"; exit ;;
  *tasks.py*) ;;
  *) echo "$*"; exit ;;
esac
case "$*" in
  *"GHOST ranks"*) rate=$RANKS ;;
  *"GHOST thread"*) rate=$THREAD ;;
  *) rate=$OFF ;;
esac
printf '{"hosts": %s, "ranks": 4, "threads": true, "library": "MPI of a test", ' "$HOSTS"
printf '"tasks_per_second": %s}\\n' "$rate"
"""


@pytest.fixture
def ghost(tmp_path):
    """Run `atoll ghost OPTIONS mpiexec -n 4 WORDS`, with figures of this machine as given."""
    launcher, library = tmp_path / "mpiexec", tmp_path / "libatoll_ghost.so"
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)
    library.touch()
    figures = {"VERSION": "5.0.2", "HOSTS": "1", "OFF": "900", "THREAD": "100", "RANKS": "110"}
    kept = {name: text for name, text in os.environ.items() if not name.startswith("ATOLL_")}

    def ghost(*options: str, **environment: str):
        words = [] if "--measure" in options else ["./a"]
        command = [sys.executable, "-m", "atoll", "ghost", "--library", library, *options]
        done = subprocess.run(
            [*command, launcher, "-n", "4", *words],
            capture_output=True,
            text=True,
            check=False,
            env={**kept, **figures, "XDG_CONFIG_HOME": str(tmp_path), **environment},
        )
        return done.returncode, done.stdout.replace(str(library), "LIBRARY"), done.stderr

    return ghost


PLAIN = "-genv LD_PRELOAD LIBRARY -n 4 ./a\n"
RANKS = "-genv LD_PRELOAD LIBRARY -genv ATOLL_GHOST ranks -n 4 ./a\n"


def test_the_best_way_is_kept_for_this_machine_and_mpi_and_what_is_told_goes_first(ghost, tmp_path):
    status, said, _ = ghost("--measure")
    assert status == 0
    assert "ranks: 110 tasks a second" in said
    assert "off" not in said, "within a node nobody is needed: no measure of anything"
    (kept,) = json.loads((tmp_path / "atoll" / "ghost.json").read_text())
    assert (kept["mode"], kept["launcher"]) == ("ranks", "Hydra 5.0.2")
    status, said, told = ghost()
    assert (status, said) == (0, RANKS)
    assert told.count("of each node one rank is a ghost") == 1
    assert "ATOLL_GHOST thread" in ghost("--mode", "thread")[1]
    assert ghost(ATOLL_GHOST="thread")[:2] == (0, PLAIN)
    assert ghost(VERSION="4.3.0")[:2] == (0, PLAIN)


@pytest.mark.parametrize(
    ("figures", "mode"),
    [({"RANKS": "104"}, "thread"), ({"HOSTS": "2"}, "off")],
    ids=["ranks-are-not-worth-it", "mpi-does-it-alone"],
)
def test_a_way_that_a_program_notices_is_only_taken_where_it_does_more(ghost, figures, mode):
    assert f"\n{mode} is what atoll ghost does from now on" in ghost("--measure", **figures)[1]


def test_what_cannot_be_measured_or_read_is_told_in_a_line(ghost, tmp_path):
    status, _, told = ghost("--measure", HOSTS="3")
    assert (status, len(told.splitlines())) == (2, 1)
    assert "--measure with 4 processes on 3 hosts: expected at least 6" in told
    (tmp_path / "atoll").mkdir()
    (tmp_path / "atoll" / "ghost.json").write_text("[]x")
    status, _, told = ghost()
    assert (status, len(told.splitlines())) == (2, 1)
    assert "ghost.json: expected what --measure writes; measure again or remove it" in told
