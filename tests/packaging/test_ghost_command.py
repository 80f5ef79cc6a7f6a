"""`atoll ghost`: how programs are started, with launchers that only tell what they were asked."""

import os
import subprocess
import sys

import pytest

VERSIONS = {
    "hydra": "HYDRA build details:",
    "intel": "Intel(R) MPI Library for Linux* OS, Version 2021.18.1",
    "openmpi": "mpiexec (Open MPI) 5.0.11",
    "other": "x",
}


@pytest.fixture
def ghost(tmp_path):
    """Run `atoll ghost OPTIONS mpiexec WORDS` with a launcher of this family."""
    library = tmp_path / "libatoll_ghost.so"
    library.touch()

    def ghost(family: str, *options: str, words=("-n", "2", "./a"), **environment: str):
        launcher = tmp_path / "mpiexec"
        launcher.write_text(
            f'#!/bin/sh\nif [ "$1" = --version ]; then echo "{VERSIONS[family]}"; exit; fi\n'
            'printf "%s\\n" "$*"; echo "preload $LD_PRELOAD, ghost $ATOLL_GHOST"; exit 7\n'
        )
        launcher.chmod(0o755)
        command = [sys.executable, "-m", "atoll", "ghost", "--library", library, *options]
        done = subprocess.run(
            [*command, launcher, *words],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **environment},
        )
        return done.returncode, done.stdout.replace(str(library), "LIBRARY"), done.stderr

    return ghost


def test_the_ranks_alone_get_the_library_and_the_status_is_the_launchers(ghost):
    status, said, _ = ghost("hydra", "--ranks", "2", "--check")
    assert (status, said.splitlines()) == (
        7,
        [
            "-genv LD_PRELOAD LIBRARY -genv ATOLL_GHOST ranks -genv ATOLL_GHOST_RANKS 2 "
            "-genv ATOLL_GHOST_CHECK 1 -n 2 ./a",
            "preload , ghost ",
        ],
    )
    status, said, _ = ghost("openmpi", "--mode", "thread")
    assert said.splitlines()[0] == "-x LD_PRELOAD=LIBRARY -x ATOLL_GHOST=thread -n 2 ./a"
    status, said, _ = ghost("intel")
    assert said.splitlines()[0] == "-genv LD_PRELOAD LIBRARY -n 2 ./a"


def test_what_is_no_launcher_known_here_hands_its_environment_on(ghost):
    status, said, _ = ghost("other", "--mode", "off")
    assert (status, said.splitlines()) == (7, ["-n 2 ./a", "preload LIBRARY, ghost off"])


def test_a_tool_that_is_preloaded_already_stays_in_front(ghost):
    libc = "libc.so.6"
    _, said, _ = ghost("hydra", LD_PRELOAD=libc)
    assert said.splitlines()[0] == f"-genv LD_PRELOAD {libc}:LIBRARY -n 2 ./a"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--mode", "thread", "--ranks", "1"], "--ranks 1: expected --mode ranks, not thread"),
        (["--ranks", "0"], "'0': expected a number from 1 on"),
        (["--library", "/nowhere.so"], "/nowhere.so is not there; --library names another place"),
    ],
)
def test_a_wrong_option_is_told_in_a_line(ghost, options, said):
    status, _, message = ghost("hydra", *options)
    assert status == 2
    assert said in message
    assert len(message.splitlines()) == 1
