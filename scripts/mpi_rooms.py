"""Which files may read mpi.h: all others call MPI through src/mpi, for whichever MPI there is.

python scripts/mpi_rooms.py            check include/, src/ and python/
python scripts/mpi_rooms.py --count    how many files read it, by folder
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAY = {
    "include/atoll/mpi_header.hpp": "tells the library which MPI a program was compiled for",
    "include/ga/armci.h": "a signature holds MPI_Comm, for programs",
    "include/ga/ga-mpi.h": "signatures hold MPI_Comm, for programs",
    "src/ghost/": "stands between programs and their MPI, by MPI's names",
}
"""Files, and folders with all that is in them, with the reason."""

_INCLUDE = re.compile(r"^\s*#\s*include\s*[<\"](mpi|mpi-ext|mpi_abi)\.h[>\"]", re.MULTILINE)
_SOURCE = {".c", ".cpp", ".h", ".hpp"}


def readers(folders: list[str]) -> list[str]:
    """Give the files of these folders that include mpi.h, by their paths from the root."""
    files = (
        file
        for folder in folders
        for file in sorted((ROOT / folder).rglob("*"))
        if file.suffix in _SOURCE
    )
    return [
        str(file.relative_to(ROOT)) for file in files if _INCLUDE.search(file.read_text("utf-8"))
    ]


def may_read(file: str) -> bool:
    """Tell whether `file` is one of those that may, or in a folder of theirs."""
    return any(file == place or (place[-1] == "/" and file.startswith(place)) for place in MAY)


def main(arguments: list[str]) -> int:
    """Print who reads mpi.h and may not; 1 where there is one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", action="store_true", help="count all files that read it")
    if parser.parse_args(arguments).count:
        found = readers(["include", "src", "bench", "tests", "examples"])
        for folder, count in sorted(Counter("/".join(f.split("/")[:2]) for f in found).items()):
            print(f"{count:4} {folder}")
        return 0
    wrong = [file for file in readers(["include", "src", "python"]) if not may_read(file)]
    for file in wrong:
        print(f"{file}: reads mpi.h; expected calls through src/mpi/face.hpp")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
