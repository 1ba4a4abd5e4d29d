"""The three notebooks run, use only public names, and are kept without outputs."""

from __future__ import annotations

import re

import nbformat
import pytest
from nbclient import NotebookClient
from shared import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_kept_stripped_and_uses_public_names(path) -> None:
    book = nbformat.read(path, as_version=4)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert code
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    imported = {line for cell in code for line in cell.source.splitlines() if re.match(r"\s*(import|from) ", line)}
    assert imported == {"import pretreat"}
    assert not re.search(r"\._\w", "\n".join(cell.source for cell in code))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path, monkeypatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    book = nbformat.read(path, as_version=4)
    NotebookClient(
        book, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    shown = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("text/html" in output.get("data", {}) for output in shown), "frames and reviews show themselves"
