"""Write docs/ga-functions.md: which of Global Arrays' functions Atoll has, and what tests them.

Usage: python scripts/ga_table.py LIBRARY [--check]. A name counts as there when the library exports
it, in C and in Fortran, and as tested by every file of tests/ga that calls it or another name of
the same function: that such names are one function is a test of its own. With --check nothing is
written; exit status 1 if the page is not what it would be.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = ROOT / "src" / "compat" / "functions.tsv"
PAGE = ROOT / "docs" / "ga-functions.md"
HEAD = """\
# Functions of Global Arrays

Which functions of Global Arrays there are, and what tests each. One of them is found by its name:

```console
$ grep "^| NGA_Get | [a-z]" docs/ga-functions.md
| NGA_Get | ...
```

Made by `python scripts/ga_table.py build/mpich/libatoll_ga.a` from
[the list](../src/compat/functions.tsv) of GA 5.8's public functions, of what the library exports
and of what the tests in `tests/ga` call. One that is not there yet is missing when a program is
linked; none is a stub. Names of one function share its tests: second_names_test.cpp proves that
they are one. "NWChem": in how many places NWChem calls it.
"""


@dataclass
class Function:
    """A function of the list: its names, how often NWChem calls it, and names by second names."""

    family: str
    c: str
    fortran: list[str]
    calls: int
    same_as: dict[str, str]

    def symbols(self) -> list[str]:
        """Return the symbols that a library with this function exports."""
        c = [] if self.c == "-" else [self.c]
        return c + [f"{name}_" for name in self.fortran]


def functions() -> list[Function]:
    """Read the list."""
    with FUNCTIONS.open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [
        Function(
            row["family"],
            row["c"],
            [name for name in row["fortran"].split(",") if name != "-"],
            int(row["nwchem_calls"]),
            dict(pair.split("=") for pair in row["same_as"].split(",") if pair != "-"),
        )
        for row in rows
    ]


def exported(library: Path) -> set[str]:
    """Return the symbols that a library defines for others."""
    command = ["nm", "--defined-only", "--extern-only", "--format=posix", str(library)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[0] for line in lines if len(line.split()) > 2}


# What a test says of a function without calling it.
SAID_IN_C = re.compile(r'extern "C" \{.*?\n\}|"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
SAID_IN_FORTRAN = re.compile(r"'[^'\n]*'|![^\n]*")
# Called, or handed over.
CALL_IN_C = re.compile(r"\b([A-Za-z]\w+)\b")
CALL_IN_FORTRAN = re.compile(r"\b([A-Za-z]\w+)\s*\(|\bcall\s+([A-Za-z]\w+)")


def called() -> dict[str, set[str]]:
    """Map each name that is called in a test, as the linker knows it, to the tests' files."""
    calls: dict[str, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "tests" / "ga").rglob("*")):
        if path.suffix in (".c", ".cpp", ".hpp"):
            for match in CALL_IN_C.finditer(SAID_IN_C.sub('""', path.read_text())):
                calls[match[1]].add(path.name)
        elif path.suffix == ".F90":
            for match in CALL_IN_FORTRAN.finditer(SAID_IN_FORTRAN.sub("''", path.read_text())):
                calls[(match[1] or match[2]).lower() + "_"].add(path.name)
    return calls


def shared_tests(list_of: list[Function], tests: dict[str, set[str]]) -> dict[str, set[str]]:
    """Map each name to the tests of its function, by whichever of the names they call."""
    first = {second: name for f in list_of for second, name in f.same_as.items()}
    of_function: dict[str, set[str]] = defaultdict(set)
    for name, files in tests.items():
        of_function[first.get(name, name)] |= files
    return of_function | {second: of_function[name] for second, name in first.items()}


def names_and_tests(
    function: Function, there: set[str], tests: dict[str, set[str]]
) -> tuple[str, str]:
    """Return the cells of a function: its names, missing ones marked, and the tests' files."""

    def cells(names: dict[str, str]) -> str:
        shown = [n if symbol in there else f"{n} (missing)" for n, symbol in names.items()]
        files = sorted(set().union(*(tests.get(symbol, set()) for symbol in names.values())))
        return f"{', '.join(shown) or '-'} | {', '.join(files) or '-'}"

    c = {} if function.c == "-" else {function.c: function.c}
    return cells(c), cells({name: f"{name}_" for name in function.fortran})


def table(list_of: list[Function], there: set[str], tests: dict[str, set[str]]) -> str:
    """Return the page."""
    families: dict[str, list[Function]] = defaultdict(list)
    for function in list_of:
        families[function.family].append(function)
    complete = [f for f in list_of if there.issuperset(f.symbols())]
    used = [f for f in list_of if f.calls > 0]
    used_complete = [f for f in complete if f.calls > 0]
    lines = [
        HEAD,
        f"Of {len(used)} functions that NWChem calls {len(used_complete)} are there; "
        f"of all {len(list_of)}, {len(complete)}.",
    ]
    for family, members in families.items():
        count = sum(there.issuperset(f.symbols()) for f in members)
        lines += ["", f"## {family}: {count} of {len(members)}", ""]
        if count == 0:
            lines.append(
                "Not there yet: "
                + ", ".join(f.c if f.c != "-" else f.fortran[0] for f in members)
                + "."
            )
            continue
        lines += ["| C | tested by | Fortran | tested by | NWChem |", "|---|---|---|---|---|"]
        for f in members:
            in_c, in_fortran = names_and_tests(f, there, tests)
            lines.append(f"| {in_c} | {in_fortran} | {f.calls} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the page, or compare it."""
    list_of = functions()
    text = table(list_of, exported(Path(sys.argv[1])), shared_tests(list_of, called()))
    if "--check" not in sys.argv[2:]:
        PAGE.write_text(text)
        return 0
    if PAGE.exists() and PAGE.read_text() == text:
        return 0
    print(f"{PAGE} is not up to date: python scripts/ga_table.py {sys.argv[1]}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
