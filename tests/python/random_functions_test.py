"""Random calls of NumPy's functions agree with NumPy (random_functions.py)."""

import os
import sys
from pathlib import Path

import atoll

sys.path.insert(0, str(Path(__file__).parent))

import random_functions

SEED = int(os.environ.get("TEST_RANDOM_SEED", "20261128"))
CALLS = int(os.environ.get("TEST_RANDOM_CALLS", "10000" if atoll.size() == 1 else "400"))


def test_random_calls_agree_with_numpy():
    done, refused = random_functions.run(SEED, CALLS)
    assert len(done) >= 80
    assert sum(refused.values()) < 0.1 * CALLS, refused
