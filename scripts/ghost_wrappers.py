"""Writes the wrappers of libatoll_ghost.so from the `mpi.h` in use.

    python3 scripts/ghost_wrappers.py PREPROCESSED_MPI_H FUNCTIONS_TSV FOLDER

FUNCTIONS_TSV (src/ghost/functions.tsv) names the functions that are written by `hand`, and those
that are `passed` through as they are, with the reason. Every other function that takes a
communicator gets a wrapper that puts the program's world in the place of MPI_COMM_WORLD;
`communicator` asks for that where a function makes a window or a session, too. A function that has
to do with communicators, windows or sessions, and is neither, is an error: a new MPI shows what it
brings when the library is built, not when a program runs. Written into FOLDER:

    wrappers.cpp      the wrappers
    real.cpp          atoll_real_MPI_X for every function that is wrapped here or by hand: MPI's own
    real_names.h      #define PMPI_X atoll_real_MPI_X, for what belongs to the library, before mpi.h
    second_names.ld   PMPI_X = MPI_X for every wrapper: MPI's own Fortran calls one or the other
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

# What the hidden world has to do with. Others (datatypes, requests, groups) are the same with it.
HIDING = ("MPI_Comm", "MPI_Win", "MPI_Session")
TREATMENTS = ("hand", "communicator", "passed")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a function: how it is declared, its type without the name, and the name."""

    declaration: str
    type: str
    name: str

    @property
    def is_communicator(self) -> bool:
        """Whether a communicator is handed in by value."""
        return self.type == "MPI_Comm"

    @property
    def hides(self) -> bool:
        """Whether it is one of the kinds of objects that show the world, in or out."""
        return any(re.fullmatch(rf"(const )?{kind}( ?\*)?(\[\])?", self.type) for kind in HIDING)


@dataclass(frozen=True)
class Function:
    """A function of mpi.h."""

    result: str
    name: str
    parameters: tuple[Parameter, ...]

    @property
    def needs_wrapper(self) -> bool:
        """Whether a wrapper is all that it takes: communicators come in, and no window goes out."""
        kinds = {parameter.type.rstrip(" *") for parameter in self.parameters if parameter.hides}
        return any(p.is_communicator for p in self.parameters) and kinds <= {"MPI_Comm"}

    @property
    def is_concerned(self) -> bool:
        """Whether it has to do with anything that shows the world."""
        return any(parameter.hides for parameter in self.parameters)

    def declared(self, name: str) -> str:
        """Write the head of a definition by this name."""
        declarations = ", ".join(parameter.declaration for parameter in self.parameters)
        return f"{self.result} {name}({declarations or 'void'})"


class TableError(ValueError):
    """The table and mpi.h do not fit; the text says where."""


def _without_attributes(text: str) -> str:
    """Text without __attribute__((...)), however deep its parentheses."""
    pieces: list[str] = []
    position = 0
    while (start := text.find("__attribute__", position)) >= 0:
        pieces.append(text[position:start])
        depth = 0
        position = text.index("(", start)
        while True:
            depth += {"(": 1, ")": -1}.get(text[position], 0)
            position += 1
            if depth == 0:
                break
    pieces.append(text[position:])
    return "".join(pieces)


def _parameter(text: str, number: int) -> Parameter:
    brackets = "".join(re.findall(r"\[[^\]]*\]", text))
    plain = re.sub(r"\[[^\]]*\]", "", text).strip()
    match = re.fullmatch(r"(.*?[\s*])(\w+)", plain)
    if match is not None and not re.fullmatch(r"MPIX?_\w+|int|char|void|double|long", match[2]):
        kind, name = match[1].strip(), match[2]
    else:  # a parameter without a name
        kind, name = plain, f"argument_{number}"
    space = "" if kind.endswith("*") else " "
    declaration = f"{kind}{space}{name}{brackets}"
    return Parameter(declaration, kind + ("[]" if brackets else ""), name)


def read_functions(preprocessed: str) -> list[Function]:
    """All functions by MPI_ and MPIX_ names that a preprocessed mpi.h declares, in order."""
    text = _without_attributes(preprocessed)
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    found: dict[str, Function] = {}
    pattern = re.compile(r"(?:^|[;{}])\s*([\w\s*]+?[\s*])(MPIX?_\w+)\s*\(([^()]*)\)\s*(?=;)")
    for statement in text.split(";"):
        match = pattern.search(f"{statement.strip()};")
        if match is None or match[1].strip().startswith("typedef"):
            continue
        result, name, inside = (re.sub(r"\s+", " ", part).strip() for part in match.groups())
        result = re.sub(r"^extern ", "", result)
        if "..." in inside:
            continue  # MPI_Pcontrol, which is about nothing
        parts = [] if inside in ("", "void") else inside.split(",")
        parameters = tuple(_parameter(part.strip(), i) for i, part in enumerate(parts))
        found.setdefault(name, Function(result, name, parameters))
    return list(found.values())


def read_table(text: str) -> dict[str, str]:
    """Return the table's treatments by name; TableError for a row that is not one."""
    table: dict[str, str] = {}
    for number, line in enumerate(text.splitlines()[1:], 2):
        cells = line.split("\t")
        if len(cells) != 3 or cells[1] not in TREATMENTS or not cells[2]:
            raise TableError(
                f"line {number}: expected a name, one of {', '.join(TREATMENTS)}, and a reason, "
                f"with tabs between: {line!r}"
            )
        if cells[0] in table:
            raise TableError(f"line {number}: {cells[0]} is there twice")
        table[cells[0]] = cells[1]
    return table


def choose(
    functions: list[Function], table: dict[str, str]
) -> tuple[list[Function], list[Function]]:
    """Return the functions that get a wrapper, and those written by hand.

    TableError names the functions that nobody takes care of.
    """
    generated = [
        f
        for f in functions
        if table.get(f.name, "communicator" if f.needs_wrapper else "") == "communicator"
    ]
    missing = [
        f.name for f in functions if f.is_concerned and not f.needs_wrapper and f.name not in table
    ]
    if missing:
        raise TableError(
            "these functions have to do with communicators, windows or sessions, and are not in "
            "the table: " + ", ".join(missing)
        )
    return generated, [f for f in functions if table.get(f.name) == "hand"]


_OPENING = "// Written by scripts/ghost_wrappers.py.\n" + '#include "ghost/every_mpi.h"\n'


def wrappers_source(generated: list[Function]) -> str:
    """Write wrappers.cpp."""
    lines = [_OPENING + '#include "ghost/ghost.hpp"\n\nusing lagoon::atoll::ghost::visible;\n']
    lines.append('extern "C" {')
    for function in generated:
        arguments = ", ".join(
            f"visible({p.name})" if p.is_communicator else p.name for p in function.parameters
        )
        lines.append(f"#undef {function.name}")
        lines.append(f"{function.declared(function.name)} {{")
        lines.append(f"  return P{function.name}({arguments});\n}}")
    return "\n".join([*lines, "}", ""])


def real_source(functions: list[Function]) -> str:
    """Write real.cpp: every function is looked up once, when it is first called."""
    lines = [_OPENING + '#include "ghost/ghost.hpp"\n#include "ghost/real.hpp"\n\nextern "C" {']
    for function in functions:
        arguments = ", ".join(parameter.name for parameter in function.parameters)
        types = ", ".join(parameter.declaration for parameter in function.parameters)
        lines.append(f"{function.declared(real_name(function.name))} {{")
        lines.append(f"  using Function = {function.result} (*)({types});")
        lines.append(
            "  static const auto function = reinterpret_cast<Function>("
            f'lagoon::atoll::ghost::real_function("P{function.name}"));'
        )
        lines.append(f"  return function({arguments});\n}}")
    return "\n".join([*lines, "}", ""])


def real_name(name: str) -> str:
    """Tell what the library calls MPI's own function by."""
    return "atoll_real_" + name


def main(arguments: list[str]) -> int:
    """Write all files; 1 and a message where table and mpi.h do not fit."""
    preprocessed, table_file, folder = (Path(argument) for argument in arguments)
    functions = read_functions(preprocessed.read_text(errors="replace"))
    try:
        table = read_table(table_file.read_text())
        generated, by_hand = choose(functions, table)
    except TableError as error:
        print(f"{table_file}: {error}", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    wrapped = [*generated, *by_hand]
    names = {function.name for function in wrapped}
    files = {
        "wrappers.cpp": wrappers_source(generated),
        "real.cpp": real_source(wrapped),
        "real_names.h": "".join(f"#define P{name} {real_name(name)}\n" for name in sorted(names)),
        "second_names.ld": "".join(f"P{name} = {name};\n" for name in sorted(names)),
    }
    for name, text in files.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:  # what has not changed is built already
            path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
