"""Completion in a shell: what bash offers for half-typed words, by the script made for it."""

import shutil
import subprocess
import sys

import pytest
from atoll.cli import main

pytest.importorskip("shtab")


@pytest.fixture(scope="module")
def offered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("completion")
    (folder / "water.xyz").touch()
    made = subprocess.run(
        [sys.executable, "-m", "atoll", "completion", "bash"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    (folder / "script").write_text(made.stdout)

    def complete(*words):
        lines = [
            ". ./script",
            f"COMP_WORDS=({' '.join(map(repr, words))})",
            f"COMP_CWORD={len(words) - 1}",
            "_shtab_atoll 2>/dev/null",
            'printf "%s\\n" "${COMPREPLY[@]}"',
        ]
        done = subprocess.run(
            [shutil.which("bash"), "--norc", "-c", "\n".join(lines)],
            capture_output=True, text=True, check=True, timeout=60, cwd=folder,
        )  # fmt: skip
        return set(done.stdout.split())

    return complete


def test_commands_options_values_and_files_are_offered(offered):
    assert {"energy", "optimize", "disk", "info"} <= offered("atoll", "")
    assert offered("atoll", "freq") == {"frequencies"}
    assert {"--method", "--memory", "--max-iterations"} <= offered("atoll", "energy", "--m")
    assert offered("atoll", "gradient", "--act") == set()
    assert offered("atoll", "energy", "--integrals", "di") == {"direct", "disk"}
    assert offered("atoll", "energy", "-m", "cc") == {"ccsd", "ccsd(t)"}
    assert offered("atoll", "optimize", "-m", "cc") == set()
    assert offered("atoll", "optimize", "-m", "sos") == {"sos-ri-mp2"}
    assert offered("atoll", "energy", "wat") == {"water.xyz"}


def test_without_shtab_the_error_says_what_to_type(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "zsh"]) == 2
    assert capsys.readouterr().err.endswith("pip install shtab\n")
