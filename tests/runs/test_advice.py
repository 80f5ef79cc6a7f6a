"""`atoll profile --advise` finds slow patterns that are planted, and none where there are none."""

import json
import subprocess
import sys

import pytest
from atoll.cli.advice import advise
from pages import ROOT

SLOW = {
    "single elements": """
        a = atoll.zeros(30000, name="a")
        for i in range(atoll.rank(), 30000, atoll.size()):
            a[i] = i
        """,
    "times over": """
        a = atoll.ones((30, 30), name="a")
        for _ in range(8000):
            a[5:25, :]
        """,
    "the others wait": """
        a = atoll.ones((300, 30), name="a")
        if atoll.rank() == 1:
            for _ in range(100):
                for row in range(300):
                    a[row, :] = row
        """,
    "lies in the memory of rank 0": """
        a = atoll.zeros((40, 40), name="a", distribution=atoll.blocked((40, 40)))
        for _ in range(8000):
            a.at[0:20, :] += np.ones((20, 40))
        """,
    "syncs and fences complete": """
        a = atoll.zeros((60, 60), name="a")
        for k in range(8000):
            a[k % 60, :] = k
            atoll.fence()
        """,
    "sections run across the blocks": """
        a = atoll.zeros((60, 60), name="a", distribution=atoll.tiled((1, 4)))
        for k in range(8000):
            a[(7 * k) % 60, :]
        """,
    "draws of a counter": """
        for _ in atoll.Counter().below(40000):
            pass
        """,
    "had most to do": """
        time.sleep(1.0 if atoll.rank() == 1 else 0.0)
        """,
}
CLEAN = ["01-first-array", "03-counter", "04-stencil", "05-mirrored", "06-multiply",
         "12-kmeans", "13-conjugate-gradient"]  # fmt: skip


def profile_of(run, folder, script):
    file = folder / "profile.json"
    status, _, stderr = run(script, 3, ATOLL_PROFILE=str(file), ATOLL_NODES="2")
    assert status == 0, stderr
    return file


@pytest.mark.parametrize("words", SLOW)
def test_a_planted_pattern_is_found_and_named(run, tmp_path, words):
    script = f"""
        import time
        import numpy as np
        import atoll
        atoll.sync()
{SLOW[words]}
        atoll.sync()
    """
    advice = advise(json.loads(profile_of(run, tmp_path, script).read_text()))
    assert any(words in text for text in advice), advice


def test_programs_without_get_none_and_the_command_says_so(run, tmp_path):
    for name in CLEAN:
        script = (ROOT / "examples" / "ladder" / name / "program.py").read_text()
        file = profile_of(run, tmp_path, script)
        assert advise(json.loads(file.read_text())) == [], name
    command = [sys.executable, "-m", "atoll", "profile", str(file), "--advise"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.endswith("Nothing here looks slow for a reason that is known.\n")
