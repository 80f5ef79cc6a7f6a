"""scripts/conformance_pyscf.py changes imports and nothing else, and counts how tests end."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "conformance_pyscf.py"


@pytest.fixture(scope="module")
def script():
    specification = importlib.util.spec_from_file_location("conformance_pyscf", SCRIPT)
    module = importlib.util.module_from_spec(specification)
    sys.modules["conformance_pyscf"] = module
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from pyscf import gto, scf\n", "from pyscf import gto\nfrom atoll.chem import scf\n"),
        ("from pyscf.scf.hf import RHF as H\n", "from atoll.chem.scf.hf import RHF as H\n"),
        ("from pyscf.lib import logger\nx = 1\n", "from pyscf.lib import logger\nx = 1\n"),
        ("def f():\n    from pyscf import cc\n", "def f():\n    from atoll.chem import cc\n"),
    ],
)
def test_imports_of_what_atoll_has_are_changed(script, before, after):
    assert script.with_our_imports(before) == after


TESTS = """import unittest
from pyscf import gto, scf

class Known(unittest.TestCase):
    def test_right(self):
        self.assertAlmostEqual(scf.RHF(gto.M(atom="He", verbose=0)).kernel(), -2.8077839575, 8)

    def test_refused(self):
        scf.GHF(gto.M(atom="He", verbose=0)).kernel()

    def test_wrong_everywhere(self):
        self.assertEqual(1, 2)

    def test_wrong_here(self):
        self.assertTrue(type(scf.RHF(gto.M(atom="He", verbose=0))).__module__.startswith("pyscf"))

class Others(Known):
    def test_right(self):
        self.assertTrue(type(scf.RHF(gto.M(atom="He", verbose=0))).__module__.startswith("pyscf"))
"""


def test_a_file_that_cannot_be_loaded_here_ends_inherited_tests_as_well(tmp_path):
    folder = tmp_path / "pyscf" / "scf" / "test"
    folder.mkdir(parents=True)
    (folder / "test_he.py").write_text(
        TESTS.replace("class Known", "scf.hf.RHF.__module__.index('pyscf.')\n\nclass Known")
    )
    done = subprocess.run(
        [sys.executable, SCRIPT, "--tests", tmp_path, "--only", "scf/test_he"],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert "8 tests, 6 with PySCF; here 6 error" in done.stdout, done.stdout + done.stderr


def test_outcomes_are_counted_and_a_wrong_one_fails(tmp_path):
    folder = tmp_path / "pyscf" / "scf" / "test"
    folder.mkdir(parents=True)
    (folder / "test_he.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, SCRIPT, "--tests", tmp_path, "--only", "scf/test_he"],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    row = done.stdout.splitlines()[-1].split("|")
    assert [cell.strip() for cell in row[1:2] + row[3:6]] == ["PySCF", "8", "6", "1"], done.stdout
    assert "2 refused; 3 wrong" in row[6]
    for name in ("Known.test_wrong_here", "Others.test_wrong_here", "Others.test_right"):
        assert f"scf/test_he::{name}: wrong" in done.stdout
    assert "::Known.test_right: wrong" not in done.stdout  # of the same name
    assert done.returncode == 1
