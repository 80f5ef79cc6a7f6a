"""Puts mpi4py's own tests into .deps/mpi4py-VERSION/test, of the version that is installed.

    .venv/bin/python scripts/get_mpi4py_tests.py

Wheels hold no tests; the source distribution does, which comes from the package index, and is what
the index says it is by its SHA-256. Nothing happens where they are there already. Where there is no
network, a line says so: tests/ghost/test_mpi4py.py is skipped then.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import json
import os
import shutil
import sys
import tarfile
import urllib.parse
import urllib.request
from pathlib import Path

INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
AS_JSON = {"Accept": "application/vnd.pypi.simple.v1+json"}
PATIENCE = 60.0  # seconds that the network may say nothing
ROOT = Path(__file__).resolve().parents[1]


def fetched(address: str, headers: dict[str, str] | None = None) -> bytes:
    """Give what the network has at an address."""
    request = urllib.request.Request(address, headers=headers or {})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return bytes(answer.read())


def source_distribution(name: str) -> bytes:
    """Give the file of this name from the index; ValueError if it is not what the index says."""
    page = f"{INDEX}/mpi4py/"
    files = json.loads(fetched(page, AS_JSON))["files"]
    found = next((file for file in files if file["filename"] == name), None)
    if found is None:
        raise ValueError(f"{page} has no {name}")
    content = fetched(urllib.parse.urljoin(page, found["url"]))
    expected, got = found["hashes"]["sha256"], hashlib.sha256(content).hexdigest()
    if got != expected:
        raise ValueError(f"{name} has the SHA-256 {got}: expected {expected}")
    return content


def unpack(archive: bytes, prefix: str, folder: Path) -> None:
    """Write the files of an archive's folder, which lies flat, into a new folder."""
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            name = member.name.removeprefix(prefix)
            content = tar.extractfile(member)
            if member.name.startswith(prefix) and "/" not in name and content is not None:
                (unfinished / name).write_bytes(content.read())
    unfinished.rename(folder)


def tests_folder() -> Path:
    """Tell where they belong."""
    return ROOT / ".deps" / f"mpi4py-{importlib.metadata.version('mpi4py')}" / "test"


def main() -> int:
    """Fetch them; 0 also where that cannot be."""
    folder = tests_folder()
    stem = folder.parent.name
    if folder.is_dir():
        return 0
    try:
        unpack(source_distribution(f"{stem}.tar.gz"), f"{stem}/test/", folder)
    except (OSError, ValueError, KeyError, tarfile.TarError) as error:
        print(f"atoll: mpi4py's tests will be skipped: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
