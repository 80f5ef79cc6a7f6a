"""docs/array-api.md tells what there is."""

import runpy
from pathlib import Path

import atoll
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(atoll.size() > 1, reason="one rank makes the page")
def test_the_page_of_the_array_api_is_what_its_script_makes():
    page = runpy.run_path(str(ROOT / "scripts" / "array_api_table.py"))["page"]()
    text = (ROOT / "docs" / "array-api.md").read_text()
    assert text == page, "run python scripts/array_api_table.py"
