"""Lines of prose in the Markdown pages: under 100 columns, filled anew where asked.

    python scripts/prose.py                 check README.md, CONTRIBUTING.md and docs/*.md
    python scripts/prose.py --write FILE... fill the paragraphs and lists of these pages
    python scripts/prose.py --long N        list the sentences of more than N words

Tables, code and headings stay as they are, and so do pages that a program makes.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = 99  # of a line at most
FILL = 96  # when filled: a word more does not need another filling
MADE_BY_PROGRAMS = {"ga-functions.md"}

_ITEM = re.compile(r"( *)([-*+]|\d+[.)])( +)(?=\S)")
_KEPT = re.compile(r"[ ]*(#|\||```|~~~|!\[)")
# What at the begin of a line would be no prose: a list, a heading, a quotation, a table.
_NOT_FIRST = re.compile(r"([-+*>|=]|#+|\d+[.)])$")
# Code, and the text and target of a link, stay in one piece.
_ATOM = re.compile(r"(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+")


class Block(NamedTuple):
    """Lines that belong together; of prose the first one's and the others' indentation."""

    lines: list[str]
    first: str | None = None
    others: str = ""


def blocks(text: str) -> Iterator[Block]:
    """Cut a page into paragraphs, items of lists, and what stays as it is."""
    lines = text.splitlines()
    inside = 0  # indentation of the text of the item of a list that goes on
    at = 0
    while at < len(lines):
        line = lines[at]
        start = at
        at += 1
        indent = _indent(line)
        fence = re.match(r" *(```|~~~)", line)
        if fence:
            while at < len(lines) and not re.match(rf" *{fence[1]}\s*$", lines[at]):
                at += 1
            at += 1
            yield Block(lines[start:at])
            continue
        item = _ITEM.match(line)
        if line.strip() and indent < inside and not item:
            inside = 0
        blank_before = start == 0 or not lines[start - 1].strip()
        code = indent >= inside + 4 and blank_before
        if code and line.strip():
            while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) >= inside + 4):
                at += 1
            yield Block(lines[start:at])
            continue
        if not line.strip() or _KEPT.match(line):
            yield Block([line])
            continue
        if item:
            inside = len(item[0])
        while at < len(lines) and lines[at].strip() and not _starts_something(lines[at]):
            at += 1
        first = item[0] if item else line[:indent]
        yield Block(lines[start:at], first, " " * (len(item[0]) if item else indent))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _starts_something(line: str) -> bool:
    return bool(_ITEM.match(line) or _KEPT.match(line))


def words(block: Block) -> list[str]:
    """Give the words of prose: what a line may not be broken inside of."""
    text = " ".join(line.strip() for line in block.lines)
    return _ATOM.findall(text[len(block.first.lstrip()) :] if block.first else text)


def filled(block: Block) -> list[str]:
    """Fill the lines of a block of prose."""
    if block.first is None:
        return block.lines
    result, line = [], block.first
    bare = True
    for word in words(block):
        too_long = len(line) + 1 + len(word) > FILL
        if not bare and too_long and not _NOT_FIRST.match(word):
            result.append(line.rstrip())
            line, bare = block.others, True
        line += word if bare else " " + word
        bare = False
    return [*result, line.rstrip()]


def fill(text: str) -> str:
    """Fill all prose of a page."""
    return "\n".join(line for block in blocks(text) for line in filled(block)) + "\n"


def too_long(text: str) -> list[int]:
    """Give the numbers of the lines of prose that are too long."""
    found, number = [], 1
    for block in blocks(text):
        for line in block.lines:
            # A word that fills the line by itself, as an address, cannot be helped.
            breakable = len(_ATOM.findall(line.strip())) > 1
            if block.first is not None and len(line) > COLUMNS and breakable:
                found.append(number)
            number += 1
    return found


def sentences(text: str) -> Iterator[str]:
    """Give the sentences of a page."""
    for block in blocks(text):
        if block.first is not None:
            yield from re.split(r"(?<=[.?!])\s+", " ".join(words(block)))


def pages() -> list[Path]:
    """Give the pages that people write."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [page for page in found if page.name not in MADE_BY_PROGRAMS]


def main() -> int:
    """Check, fill or list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--write", action="store_true", help="fill the paragraphs and lists")
    parser.add_argument("--long", type=int, metavar="N", help="list sentences of more words")
    parser.add_argument("pages", nargs="*", type=Path, metavar="FILE", help="(all)")
    options = parser.parse_args()
    status = 0
    for page in options.pages or pages():
        text = page.read_text()
        if options.write:
            page.write_text(fill(text))
        elif options.long:
            for sentence in sentences(text):
                if len(sentence.split()) > options.long:
                    print(f"{page}: {sentence}\n")
        else:
            for number in too_long(text):
                print(f"{page}:{number}: a line of prose of more than {COLUMNS} columns")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
