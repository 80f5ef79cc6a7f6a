"""Makes launch.py importable, and cleans up after a test whatever it started."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import launch


@pytest.fixture(autouse=True)
def _nothing_survives(monkeypatch):
    started = []
    begin = launch.Run.__init__

    def remember(self, *arguments, **options):
        started.append(self)
        begin(self, *arguments, **options)

    monkeypatch.setattr(launch.Run, "__init__", remember)
    yield
    for run in started:
        run.clean_up()
