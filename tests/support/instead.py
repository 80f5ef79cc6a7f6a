"""What stands in the place of system calls in a test: a library for LD_PRELOAD."""

import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

#: Says at MPI's end how many threads of C++ are there.
AT_THE_END = (Path(__file__).parent / "at_the_end.c").read_text()


def compiled(text, folder):
    """Compile C into a library in a folder; give its path. Skip the test without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    source, library = folder / "instead.c", folder / "instead.so"
    source.write_text(textwrap.dedent(text))
    command = [compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True, timeout=60)
    return str(library)
