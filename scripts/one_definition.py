"""Classes that two files define under one full name.

    python scripts/one_definition.py

The linker keeps one of their functions for both, and says nothing: what is inlined hides it in
fast builds, and others crash.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("include", "src", "tests/cpp", "tests/ga", "bench")

_OPENS = re.compile(r"(?:inline )?namespace ?([\w:]*) ?\{")
_CLOSES = re.compile(r"\}  // namespace")
_DEFINES = re.compile(
    r"(?:template <.*> )?(?:class|struct|enum class) (?:alignas\(\w+\) )?"
    r"(\w+)(?: final)?(?: :(?!:).*)?(?: ?\{.*)?$"
)


def definitions(text: str) -> Iterator[str]:
    """Give the full names of the classes that a file defines; not those in unnamed namespaces."""
    scopes: list[str] = []
    for line in text.splitlines():
        if opens := _OPENS.match(line):
            scopes.append(opens[1])
        elif _CLOSES.match(line) and scopes:
            scopes.pop()
        elif (defines := _DEFINES.match(line)) and "" not in scopes:
            yield "::".join([*scopes, defines[1]])


def main() -> int:
    """Print each name that is defined twice, and where; the status says whether there is one."""
    files: defaultdict[str, set[str]] = defaultdict(set)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.?pp")):
            for name in definitions(path.read_text()):
                files[name].add(str(path.relative_to(ROOT)))
    twice = {name: where for name, where in files.items() if len(where) > 1}
    for name, where in sorted(twice.items()):
        print(f"{name}: {', '.join(sorted(where))}")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
