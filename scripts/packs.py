"""Put source files together that can be compiled as one: most of what a file costs are the headers.

clang-tidy reads such packs (scripts/tidy.py), and builds for tests compile them (ATOLL_PACKS in
cmake/AtollCompile.cmake).
Usage: python scripts/packs.py FILES_IN_A_PACK FILE... prints for each file the number of its pack.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

# Names that a file keeps to itself, as far as a look at the text tells.
OWN_NAMES = re.compile(
    r"^(?!TEST|TYPED_TEST|INSTANTIATE|template|static_assert|public:|using namespace)"
    r"(?:.*?\b(?:struct|class|enum|using)\s+(?:class\s+)?|[^\s(=][^(={;\n]*?\b)?(\w+)\s*(?:[({=;\[]|:(?!:))",
    re.MULTILINE,
)
ANONYMOUS = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)


# Names that a file takes from elsewhere: `using detail::Patch;`, `namespace ga = compat::ga;`.
TAKEN_NAMES = re.compile(
    r"^(?:using (?P<from>[\w:]+::)(?P<name>\w+)|namespace (?P<short>\w+) = (?P<long>[\w:]+));$",
    re.MULTILINE,
)


ROOT = Path(__file__).resolve().parent.parent
INCLUDED_FROM = ("src", "include", "include/ga", "tests/cpp")


@cache
def text_of(path: Path) -> str:
    """Read a file but for its comments and strings."""
    return re.sub(r"//.*|(?<!#include )\"(?:\\.|[^\"\\\n])*\"", "", path.read_text())


@cache
def words(path: Path) -> frozenset[str]:
    """Collect all names of a file, whatever they mean."""
    return frozenset(re.findall(r"\b[A-Za-z_]\w*\b", text_of(path)))


@cache
def declared(header: Path) -> frozenset[str]:
    """Guess the names at column 0, which whoever includes the header sees."""
    text = re.sub(r"^(namespace .*|(class|struct) \w+;)$", "", text_of(header), flags=re.MULTILINE)
    return frozenset(OWN_NAMES.findall(text)) - {"final", "decltype"}


@cache
def included_by(path: Path) -> tuple[Path, ...]:
    """Find the headers of ours that a file names."""
    folders = [path.parent, *(ROOT / name for name in INCLUDED_FROM)]
    found = []
    for name in re.findall(r'^#include ["<]([^">]+)[">]', path.read_text(), re.MULTILINE):
        places = (folder / name for folder in folders)
        found += [place.resolve() for place in places if place.is_file()][:1]
    return tuple(found)


def headers_of(path: Path) -> set[Path]:
    """Find the headers of ours that a file reads, by way of others too."""
    seen: set[Path] = set()
    waiting = [path]
    while waiting:
        new = set(included_by(waiting.pop())) - seen
        seen |= new
        waiting += new
    return seen


@dataclass
class Unit:
    """What one file, or the files of a pack, mean by names, and the headers read so far."""

    own: set[str] = field(default_factory=set)
    taken: dict[str, str] = field(default_factory=dict)
    headers: set[Path] = field(default_factory=set)

    def may_precede(self, path: Path, other: Unit) -> bool:
        """Whether a file reads the same behind these files as it does alone.

        No name of theirs may appear in it or in a header that is read only now, not even for
        something local; and nothing of its own, nor of such a header, may be called as something
        is that a header of theirs declares.
        """
        new = other.headers - self.headers
        behind = words(path).union(*(words(header) for header in new))
        declared_behind = other.own.union(*(declared(header) for header in new))
        before = set().union(*(declared(header) for header in self.headers - other.headers))
        both = self.taken.keys() & other.taken.keys()
        return (
            not self.own & behind
            and not declared_behind & before
            and not other.own & (self.own | self.taken.keys())
            and all(self.taken[name] == other.taken[name] for name in both)
        )

    def add(self, other: Unit) -> None:
        """Put one more file behind these."""
        self.own |= other.own
        self.taken |= other.taken
        self.headers |= other.headers


def unit_of(path: Path) -> Unit:
    """Guess the macros of a file, and the names at column 0 that no other file sees."""
    text = text_of(path)
    taken = {
        match["name"] or match["short"]: match["from"] or match["long"]
        for match in TAKEN_NAMES.finditer(text)
    }
    text = TAKEN_NAMES.sub("", text)
    own = set(re.findall(r"^#define (\w+)", text, re.MULTILINE))
    local = re.findall(r"^(?:constexpr|static|using)\b.*$", text, re.MULTILINE)
    # A namespace ends with a comment, which only the whole text has.
    for part in [*ANONYMOUS.findall(path.read_text()), *local]:
        own.update(OWN_NAMES.findall(part))
    return Unit(own - taken.keys(), taken, headers_of(path))


def namespaces_used(path: Path) -> str:
    """Name the namespaces whose names a file takes for its own: two of them may share a name."""
    return " ".join(sorted(re.findall(r"^using namespace ([\w:]+);", text_of(path), re.MULTILINE)))


def packs_of(kinds: dict[Path, str], most: int) -> list[list[Path]]:
    """Put files of a kind together, so many at most, where each reads as it does alone."""
    packs: list[tuple[str, list[Path], Unit]] = []
    for path in sorted(kinds):
        kind = " ".join((kinds[path], path.suffix, namespaces_used(path)))
        unit = unit_of(path)
        for kind_of_pack, files, before in packs:
            if kind_of_pack == kind and len(files) < most and before.may_precede(path, unit):
                files.append(path)
                before.add(unit)
                break
        else:
            packs.append((kind, [path], unit))
    return [files for _, files, _ in packs]


def main() -> None:
    """Print "number=file" lines for CMake."""
    files = [Path(name) for name in sys.argv[2:]]
    for number, pack in enumerate(packs_of(dict.fromkeys(files, ""), int(sys.argv[1]))):
        for path in pack:
            print(f"{number}={path}")


if __name__ == "__main__":
    main()
