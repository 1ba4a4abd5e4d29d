"""No worked case and no fault of the papers is without a test that names it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from shared import SHARED, needs_shared

pytestmark = needs_shared

HERE = Path(__file__).parent
OWN = Path(__file__).name


def names() -> dict[str, str]:
    """Each test's name with its docstring: `test_d_9_...` names D-9, and so does a docstring or a case's title."""
    found = {}
    for path in sorted(HERE.glob("test_*.py")):
        if path.name == OWN:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found[f"{path.stem}::{node.name}"] = f"{node.name}\n{ast.get_docstring(node) or ''}"
    return found


def papers(name: str, pattern: str) -> list[str]:
    path = SHARED / name
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return list(dict.fromkeys(re.findall(pattern, text, re.MULTILINE)))


def named(word: str) -> list[str]:
    return [test for test, text in TESTS.items() if re.search(word, text)]


TESTS = names()
CASES = papers("cases.md", r"^(?:### |\| )([PND]-\d+)\b")
FAULTS = papers("faults.md", r"^(\d+)\. ")


def test_the_papers_have_as_many_as_were_counted() -> None:
    """29 cases and 35 faults were in the papers when these tests were written: a pattern that finds none proves nothing."""
    assert len(CASES) >= 29
    assert len(FAULTS) >= 35


@pytest.mark.parametrize("case", CASES)
def test_every_worked_case_is_named_by_a_test(case: str) -> None:
    letter, number = case.split("-")
    word = rf"\b{case}\b|(?:^|_){letter.lower()}_?{number}(?:_|$|\n)"
    assert named(word), f"no test names {case}"


@pytest.mark.parametrize("fault", FAULTS)
def test_every_public_fault_is_named_by_a_test(fault: str) -> None:
    word = rf"fault_{fault}_|fault_\d+_and_{fault}_"
    assert named(word), f"no test names fault {fault}"


@pytest.mark.parametrize("extra", ["method_too_coarse", "0_69", "float_equality", "unit_sanity"])
def test_every_extra_set_is_named_by_a_test(extra: str) -> None:
    assert named(rf"test_extra_(a_)?{extra}")
