"""Headings in several rows: the parameter is found in whichever row names one, the unit in whichever names that."""

from datetime import datetime

import pytest
from sheets_made import sheet, told

DAYS = [datetime(2026, 9, 1), datetime(2026, 9, 2)]


def headed(tmp_path, *heads, rows=((50.0, 7.2), (51.0, 3.0))):
    """Return parameter, unit and outfall of the first cell below each heading; every number must be in the account."""
    body = [[day, *row] for day, row in zip(DAYS, rows, strict=True)]
    raw = sheet(tmp_path, [list(head) for head in heads] + body, facility="Acme")
    assert raw.sheets["values_seen"].tolist() == [sum(isinstance(v, float) for row in rows for v in row)]
    got = told(raw, "parameter", "unit", "outfall")
    return [says[1:] for cell, says in got.items() if cell[1:] == str(len(heads) + 1)]


@pytest.mark.parametrize(
    "heads",
    [
        (["Date", "FI-405", "AI-406"], [None, "Flow", "pH"], [None, "gpm", "SU"]),
        (["Date", "Flow", "pH"], [None, "FI-405", "AI-406"], [None, "gpm", "SU"]),
        (["Date", "Flow", "pH"], [None, "gpm", "SU"], [None, "FI-405", "AI-406"]),
        (["Date", "Tank 3", "Tank 3"], [None, "Flow", "pH"], [None, "gpm", "SU"]),
        (["Date", "Flow", "pH"], [None, "gpm", "SU"]),
    ],
)
def test_the_parameter_is_found_in_whichever_row_names_it(tmp_path, heads):
    assert headed(tmp_path, *heads) == [("Flow", "gpm", ""), ("pH", "SU", "")]


def test_an_outfall_over_the_parameter_is_the_place(tmp_path):
    """`pH` under an outfall was taken for the unit of a parameter "Outfall 001"."""
    got = headed(tmp_path, ["Date", "Outfall 001", "Outfall 001"], [None, "Flow (gpm)", "pH"])
    assert got == [("Flow", "gpm", "Outfall 001"), ("pH", "pH", "Outfall 001")]


def test_instruments_of_one_parameter_stay_apart(tmp_path):
    got = headed(tmp_path, ["Date", "AI-406", "AI-407"], [None, "pH", "pH"])
    assert [(what, where) for what, _, where in got] == [("pH", "AI-406"), ("pH", "AI-407")]


@pytest.mark.parametrize("unit", ["pH units", "pH Units", "SU", "s.u.", "standard units", "pH"])
def test_a_unit_of_ph_in_the_second_row_is_the_unit_of_ph(tmp_path, unit):
    got = headed(tmp_path, ["Date", "Flow", "pH"], [None, "gpm", unit])
    assert got[0] == ("Flow", "gpm", "")
    assert got[1][0] == "pH"


@pytest.mark.parametrize(
    "heads", [(["Date", "Flow (gpm)", "pH units"],), (["Date", "T-1", "T-1"], [None, "Flow (gpm)", "pH units"])]
)
def test_numbers_headed_ph_units_alone_are_ph(tmp_path, heads):
    assert headed(tmp_path, *heads) == [("Flow", "gpm", ""), ("pH", "pH units", "")]


def test_words_headed_ph_units_are_the_unit_of_ph_and_of_no_other_column(tmp_path):
    assert headed(tmp_path, ["Date", "pH", "pH units"], rows=((7.2, "SU"), (3.0, "SU"))) == [("pH", "SU", "")]
    assert headed(tmp_path, ["Date", "Flow (gpm)", "pH units"], rows=((50.0, "SU"), (51.0, "SU"))) == [
        ("Flow", "gpm", "")
    ]


def test_a_unit_under_its_parameter_is_no_other_parameter(tmp_path):
    """`F` alone is fluoride; under a temperature it is a degree."""
    got = headed(tmp_path, ["Date", "Temperature", "pH"], [None, "F", "SU"], rows=((95.0, 7.2), (96.0, 3.0)))
    assert got == [("Temperature", "F", ""), ("pH", "SU", "")]


def test_explosive_gas_is_named_by_its_unit(tmp_path):
    got = headed(tmp_path, ["Date", "Flow", "Sewer gas"], [None, "gpm", "% LEL"])
    assert got == [("Flow", "gpm", ""), ("% LEL", "% LEL", "")]
