"""Random sequences of operations agree with NumPy (random_model.py)."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import random_model

SEED = int(os.environ.get("TEST_RANDOM_SEED", "20261121"))
SEQUENCES = int(os.environ.get("TEST_RANDOM_SEQUENCES", "60"))


@pytest.mark.parametrize("batch", range(4))
def test_random_sequences_agree_with_numpy(batch):
    assert random_model.run_sequences(SEED + batch, SEQUENCES) == SEQUENCES
