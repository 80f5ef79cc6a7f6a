"""Which source files may be compiled as one (scripts/packs.py): those that read the same then."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "packs.py"

OWN = (
    "namespace {\nint helper() {\n  return 1;\n}\nint second() {\n  return 2;\n}\n}  // namespace\n"
)


@pytest.fixture
def packs(tmp_path):
    """Write files of these texts, named by letters from a on, and tell the pack of each."""

    def pack(*texts, most=8, **headers):
        for name, text in headers.items():
            (tmp_path / f"{name}.hpp").write_text(text)
        paths = [tmp_path / f"{chr(ord('a') + number)}.cpp" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        run = subprocess.run(
            [sys.executable, SCRIPT, str(most), *paths], capture_output=True, text=True, check=True
        )
        found = dict(reversed(line.split("=")) for line in run.stdout.splitlines())
        return [int(found[str(path)]) for path in paths]

    return pack


def test_files_that_share_no_name_are_packed_up_to_so_many(packs):
    texts = [f"int f{number}() {{\n  return 0;\n}}\n" for number in range(5)]
    assert packs(*texts) == [0] * 5
    assert packs(*texts, most=2) == [0, 0, 1, 1, 2]


@pytest.mark.parametrize(
    "other",
    [
        OWN,
        "int f() {\n  int second = 0;\n  return second;\n}\n",  # local
        "namespace {\nstruct second {};\n}  // namespace\n",
        '#include "shared.hpp"\nint f() {\n  return 0;\n}\n',
    ],
    ids=["own", "local", "type", "header"],
)
def test_a_name_that_a_file_keeps_to_itself_is_in_no_file_behind_it(packs, other):
    shared = "inline int twice() {\n  return 2 * second(1);\n}\n"
    assert packs(OWN, other, shared=shared) == [0, 1]


def test_names_in_comments_and_strings_are_none(packs):
    assert packs(OWN, '// second\nconst char* f() {\n  return "helper";\n}\n') == [0, 0]


def test_what_a_header_declares_is_not_declared_behind_it(packs):
    first = '#include "first.hpp"\n'
    header = "int size(int value);\n"
    assert packs(first, OWN.replace("helper", "size"), first=header) == [0, 1]
    assert packs(first, '#include "second.hpp"\n', first=header, second=header) == [0, 1]
    assert packs(first, first + "int g() {\n  return size(1);\n}\n", first=header) == [0, 0]


def test_using_declarations_agree_or_part(packs):
    assert packs("using one::Name;\n", "using one::Name;\n") == [0, 0]
    assert packs("using one::Name;\n", "using two::Name;\n") == [0, 1]
    assert packs("using namespace one;\n", "int f();\n") == [0, 1]
