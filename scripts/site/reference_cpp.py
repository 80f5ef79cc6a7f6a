"""The reference of C++: a page a header, its introduction as prose, each class a section."""

from __future__ import annotations

import re
from pathlib import Path

_CLASS = re.compile(r"^(?:class|struct|enum class) (?:\w+\(.*?\) )?(\w+)[^;{]*\{", re.M)


def write_all(headers: Path, into: Path, folder: str) -> list[str]:
    """Write the pages; give their paths, the one of the whole first."""
    (into / folder).mkdir(parents=True)
    names = []
    for header in sorted(headers.glob("*.hpp"), key=lambda file: (file.stem != "atoll", file.stem)):
        name = f"{folder}/{header.stem}.md"
        (into / name).write_text(_page(header))
        names.append(name)
    return names


def _page(header: Path) -> str:
    text = header.read_text()
    introduction = re.match(r"(?://.*\n)+", text)
    prose = re.sub(r"^// ?", "", introduction[0], flags=re.M) if introduction else ""
    lines = [f"# {header.name}", "", prose.replace("<", "&lt;").strip(), ""]
    lines += ["```cpp", f"#include <atoll/{header.name}>", "```", ""]
    for title, code in _sections(_body(text)):
        if code.strip():
            lines += [f"## {title}", "", "```cpp", code.strip("\n"), "```", ""]
    if header.stem == "atoll":
        lines += ["## The headers", "", "```cpp", *re.findall(r"#include.*", text), "```", ""]
    return "\n".join(lines)


def _body(text: str) -> str:
    """Give what a user reads of a header: no includes, no namespaces, nothing of `detail`."""
    text = re.sub(r"\A(?://.*\n)+", "", text)
    text = re.sub(r"^namespace detail \{\n.*?^\}[^\n]*\n", "", text, flags=re.M | re.S)
    text = re.sub(r"^(?:#.*|namespace .*|\}  // namespace.*)\n", "", text, flags=re.M)
    text = re.sub(r"^ private:\n.*?(?=^\};)", "", text, flags=re.M | re.S)
    return re.sub(r"\n{3,}", "\n\n", text)


def _sections(body: str) -> list[tuple[str, str]]:
    """Cut at the classes; what stands between them are functions."""
    sections, functions, at = [], "", 0
    for found in _CLASS.finditer(body):
        if found.start() < at:
            continue
        end = body.index("};", found.end()) + 2  # on its own line
        if "\n" in body[found.end() : end]:
            end = body.index("\n};", found.start()) + 3
        start = _begin_of_comment(body, found.start())
        functions += body[at:start]
        sections.append((found[1], body[start:end]))
        at = end
    return [*sections, ("Functions", functions + body[at:])]


def _begin_of_comment(body: str, at: int) -> int:
    """Give where the lines begin that belong to a declaration: its comment, its template's head."""
    lines = body[:at].splitlines(keepends=True)
    while lines and re.match(r"\s*(?:///|template)", lines[-1]):
        at -= len(lines.pop())
    return at
