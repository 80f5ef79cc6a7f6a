"""Make the documentation a site: `python scripts/site` writes build/site.

It needs mkdocs-material, of the extra `docs`, and the package `atoll`, whose docstrings become the
reference. A link that leads nowhere ends it with status 1. With --serve the site is at
http://127.0.0.1:8000 until Ctrl-C; nothing in it is fetched from elsewhere.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import http.server
import os
import subprocess
import sys
from pathlib import Path

import ladder
import pages
import reference_commands
import reference_cpp
import reference_python

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "build" / "site-pages"


def configuration(steps: list[str], python: list[str], cpp: list[str]) -> Path:
    """Write mkdocs.yml with the pages that were made in their places; give its path."""
    text = (ROOT / "mkdocs.yml").read_text()
    text = text.replace("LADDER", ", ".join(steps))
    text = text.replace("REFERENCE_PYTHON", ", ".join(python))
    text = text.replace("REFERENCE_CPP", ", ".join(cpp))
    text = text.replace("build/site", str(ROOT / "build" / "site"))
    file = ROOT / "build" / "mkdocs.yml"
    file.write_text(text)
    return file


def main(arguments: list[str]) -> int:
    """Make the pages, then the site."""
    parser = argparse.ArgumentParser(prog="site", description=str(__doc__).splitlines()[0])
    parser.add_argument("--serve", action="store_true", help="show it at http://127.0.0.1:8000")
    options = parser.parse_args(arguments)
    pages.write_all(ROOT, PAGES)
    reference_commands.write(PAGES / "commands.md")
    python = reference_python.write_all(PAGES, "reference/python")
    cpp = reference_cpp.write_all(ROOT / "include" / "atoll", PAGES, "reference/cpp")
    steps = ladder.write_all(ROOT / "examples" / "ladder", PAGES, "ladder")
    file = configuration(steps, python, cpp)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", str(file)]
    # Of the theme's makers, about another product.
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    if options.serve and status == 0:
        folder = ROOT / "build" / "site"
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
        print("http://127.0.0.1:8000", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            http.server.ThreadingHTTPServer(("127.0.0.1", 8000), handler).serve_forever()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
