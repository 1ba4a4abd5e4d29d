"""A formula that was never computed, or an error, beside a result: nobody knows whose result it is, or of what, or whether `<`."""

import datetime as dt

import openpyxl
import pytest

import pretreat

HEADS = ["Date", "Facility", "Parameter", "Result", "Units", "Qualifier", "Detection limit", "Method"]
ROW = [dt.date(2026, 3, 5), "Acme Plating", "Copper", 3, "mg/L", "", 0.1, "200.7"]
FORMULA = '=IF(1,"<","")'


def read(folder, *rows):
    book = openpyxl.Workbook()
    for row in (HEADS, ROW, *rows):
        book.active.append(row)
    book.save(folder / "lab.xlsx")
    return pretreat.read_samples(folder / "lab.xlsx")


def with_cell(column, text):
    return [text if name == column else cell for name, cell in zip(HEADS, ROW, strict=True)]


@pytest.mark.parametrize("column", ["Date", "Facility", "Parameter", "Units", "Qualifier", "Detection limit"])
def test_what_a_formula_without_value_decides_is_set_aside(tmp_path, column):
    samples = read(tmp_path, with_cell(column, FORMULA))
    assert len(samples.results) == 1
    [aside] = samples.set_aside.to_dict("records")
    role = {"Date": "start", "Units": "unit"}.get(column, column.lower())
    assert (aside["source_cell"], aside["reason"]) == ("D3", "formula without value")
    assert aside["message"].startswith(f"its {role}: the formula has no stored value; open the workbook")
    assert set(samples.results["facility"]) == {"Acme Plating"}


def test_the_method_of_a_result_may_be_a_formula(tmp_path):
    samples = read(tmp_path, with_cell("Method", FORMULA))
    assert (len(samples.results), len(samples.set_aside)) == (2, 0)


@pytest.mark.parametrize(("column", "used"), [("Facility", 1), ("Qualifier", 1), ("Detection limit", 2), ("Method", 2)])
def test_an_error_beside_a_result(tmp_path, column, used):
    """A laboratory's limit that was not found by a lookup (#N/A) leaves a detection what it is."""
    samples = read(tmp_path, with_cell(column, "#N/A"))
    assert len(samples.results) == used
    assert samples.set_aside["reason"].tolist() == ["error cell"] * (2 - used)
    assert set(samples.results["facility"]) == {"Acme Plating"}


def test_a_user_that_a_formula_names_is_not_carried_down_the_block_below_it(tmp_path):
    blank = with_cell("Facility", None)
    samples = read(tmp_path, blank, with_cell("Facility", "=B2"), blank)
    assert samples.results["facility"].tolist() == ["Acme Plating", "Acme Plating"]
    assert samples.set_aside["source_cell"].tolist() == ["D4", "D5"]


def test_a_percentage_whose_user_is_a_formula(tmp_path):
    book = openpyxl.Workbook()
    for row in (HEADS, ROW, [dt.date(2026, 3, 6), "=B2", "LEL", 0.07, "%"]):
        book.active.append(row)
    book.active["D3"].number_format = "0%"
    book.save(tmp_path / "lab.xlsx")
    samples = pretreat.read_samples(tmp_path / "lab.xlsx")
    assert samples.set_aside["source_cell"].tolist() == ["D3"]
