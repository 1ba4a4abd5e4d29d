"""One verdict under every rule for non-detects, side by side, and which of them change."""

import openpyxl
import pandas as pd
import pytest
from click.testing import CliRunner

import pretreat
from pretreat.cli import main
from pretreat.nondetects import RULES
from pretreat.report import page, workbook

ROWS = [
    ("Acme", "Selenium", "<0.6", "2026-10-14"),  # the 24-hour limit of 0.4 lies below the reporting limit
    ("Acme", "Copper", "<0.01", "2026-10-14"),  # far below
    ("Acme", "Zinc", "3.0", "2026-10-14"),  # measured: no rule changes it
]


@pytest.fixture(scope="module")
def review():
    frame = pd.DataFrame(ROWS, columns=["facility", "parameter", "value", "start"]).assign(
        unit="mg/L", sample_type="composite"
    )
    return pretreat.check(frame, "ny/little-valley", period="2026-10", federal=False, every_rule=True)


def test_a_verdict_that_changes_is_marked(review) -> None:
    found = review.nondetect_rules
    daily = found[(found["statistic"] == "24-hour average") & (found["binding"] == "yes")].set_index("parameter")
    assert "Zinc" not in daily.index
    assert daily.loc["Copper", list(RULES)].unique().tolist() == ["complies"]
    assert daily.loc["Copper", "changes"] == "no"
    assert daily.loc["Selenium", ["interval", "zero", "half", "limit"]].tolist() == [
        "undetermined",
        "complies",
        "complies",  # 0.3
        "exceeds",
    ]
    assert daily.loc["Selenium", "changes"] == "yes"


def test_the_rules_beside_it_change_no_verdict(review) -> None:
    assert "Selenium" in set(review.undetermined["parameter"])
    assert set(review.exceedances["parameter"]) == {"Zinc"}


def test_workbook_and_page_show_it_where_it_was_asked_for(review, tmp_path) -> None:
    workbook.write(review, tmp_path / "report.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "report.xlsx")["Non-detect rules"]
    rows = [list(row) for row in sheet.iter_rows(min_row=4, values_only=True)]
    heads = [str(head).lower() for head in rows[0] if head]
    assert all(rule in heads for rule in RULES)
    assert all(row[2] != "Copper" for row in rows[1:])
    assert any(row[2] == "Selenium" and row[heads.index("changes")] == "yes" for row in rows[1:])
    text = page.render(review)
    assert 'id="rules"' in text
    assert "change with the rule" in text


def test_without_the_option_nothing_of_it_is_there(tmp_path) -> None:
    frame = pd.DataFrame(
        {"facility": ["Acme"], "parameter": ["Selenium"], "value": ["<0.6"], "unit": ["mg/L"], "start": ["2026-10-14"]}
    )
    plain = pretreat.check(frame, "ny/little-valley", period="2026-10")
    with pytest.raises(AttributeError, match="every_rule=True"):
        _ = plain.nondetect_rules
    assert 'id="rules"' not in page.render(plain)


def test_a_check_in_pieces_refuses_it(tmp_path) -> None:
    found = CliRunner().invoke(
        main, ["check", str(tmp_path), "--limits", "ny/little-valley", "--pieces", "10", "--every-rule"]
    )
    assert found.exit_code == 2
    assert "--every-rule" in found.output
