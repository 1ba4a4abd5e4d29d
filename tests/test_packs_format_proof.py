"""The page proves the file: what a pack quotes is in the document's text, and its numbers are where it says."""

import re
from decimal import Decimal

import pytest
from packs_made import HEAD, write
from shared import SHARED, needs_shared

from pretreat import packs

TEXT = """A. Wastewater having a pH lower than 5.5 or higher than 10.0.
Local limits (mg/l) | |
Parameter | Daily Maximum | Monthly Average
Cadmium | 0.20 | 0.10
Lead | 0.50 | 0.25*
* | Twice that where the works is large.
B. No slug of more than fifteen minutes shall exceed five times the average.
"""
HEAD_TEXT = HEAD.replace('title = "Made"', 'title = "Made"\ntext = "page.txt"')


def proved(folder, text):
    (folder / "page.txt").write_text(TEXT, encoding="utf-8")
    return [(fault.code, fault.message) for fault in packs.lint([write(folder, text, head=HEAD_TEXT)])]


TABLE = """[[table]]
printed = "Local limits (mg/l)"
unit = "mg/L"
columns = ["parameter", "Daily Maximum", "Monthly Average"]
rows = [["Cadmium", 0.20, 0.10], ["Lead", 0.50, 0.25]]
"""


def test_a_true_copy_is_clean(tmp_path):
    limit = '[[limit]]\nparameter="pH"\nbelow=5.5\nabove=10.0\nprinted="pH lower than 5.5 or higher than 10.0"\n'
    slug = (
        '[slug]\ncite="B"\nprinted="more than fifteen minutes shall exceed five times the average"\n'
        'definition={above="5 times",for="more than 15 minutes"}\n'
    )
    assert proved(tmp_path, TABLE + limit + slug) == []


@pytest.mark.parametrize(
    ("true", "false", "code"),
    [
        ("0.20", "0.21", "number"),
        ("0.20", "0.2", "number"),
        ('"Cadmium"', '"Copper"', "number"),
        ("Local limits (mg/l)", "Local limit (mg/l)", "quotation"),
        ("0.20, 0.10", "0.10, 0.25", "number"),
    ],
)
def test_a_false_copy_is_seen(tmp_path, true, false, code):
    found = proved(tmp_path, TABLE.replace(true, false))
    assert code in {kind for kind, _ in found}


def test_a_heading_that_the_page_does_not_print_is_seen(tmp_path):
    assert [code for code, _ in proved(tmp_path, TABLE.replace("Monthly Average", "Thirty-Day Average"))] == [
        "quotation"
    ]


def test_words_may_be_left_out_of_a_quotation(tmp_path):
    limit = '[[limit]]\nparameter="pH"\nabove=10.0\nprinted="Wastewater ... higher than 10.0"\n'
    assert proved(tmp_path, limit) == []
    assert proved(tmp_path, limit.replace("Wastewater ... higher than 10.0", "higher than 10.0 ... Wastewater")) != []


@needs_shared
@pytest.mark.parametrize("name", ["ny/little-valley", "ny/williamsville"])
def test_changing_any_printed_number_of_a_village_is_seen(tmp_path, name):
    """One number at a time, in the file's limit rows: lint says so (issue 3, 3.6)."""
    path = packs.bundled()[name]
    text = path.read_text(encoding="utf-8")
    start = text.index("[[table]]")
    numbers = [
        match
        for match in re.finditer(r"(?<![\w.\"§(-])\d+\.\d+(?![\w.-])", text[start:])
        if not re.search(
            r"(times|cite|id|accept|ask|printed|note|CFR)[^\n]*$", text[: start + match.start()].rpartition("\n")[2]
        )
    ]
    texts = SHARED / "ordinances"
    missed = []
    for match in numbers[:: max(1, len(numbers) // 12)]:
        changed = Decimal(match[0]) + Decimal("0.1")
        at = start + match.start()
        other = tmp_path / "changed.toml"
        other.write_text(f"{text[:at]}{changed}{text[at + len(match[0]) :]}", encoding="utf-8")
        if not packs.lint([other], texts=[texts]):
            missed.append(match[0])
    assert numbers
    assert not missed
