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


def sampled_under(tmp_path, head, *, merged=("B1:C1",)):
    """Return the sample type of each of three columns, of which the first two stand under one heading."""
    rows = [["Date", head, None, "Other"], [None, "Cu (mg/L)", "Zn (mg/L)", "Pb (mg/L)"], [DAYS[0], 1.0, 2.0, 3.0]]
    raw = sheet(tmp_path, rows, merged=merged, facility="Acme")
    assert [what for _, what in told(raw, "parameter").values()] == ["Cu", "Zn", "Pb"]
    return [how for _, how in told(raw, "sample_type").values()]


@pytest.mark.parametrize(
    ("head", "how"),
    [
        ("Composite", "Composite"),
        ("Composite samples:", "Composite samples"),
        ("Metals (24-hr composite)", "24-hr composite"),
        ("Metals [Grab]", "Grab"),
        ("Metals - composite", "composite"),
        ("Metals – 24 hour flow-proportional comp.", "24 hour flow-proportional comp."),
        ("Composite: metals", "Composite"),
        ("Grab (field)", "Grab"),
        ("Quarterly grab samples", "grab samples"),
        ("Composite metals", "Composite metals"),
    ],
)
def test_a_heading_over_several_columns_says_how_they_were_sampled(tmp_path, head, how):
    """The composite was judged as a grab: the words beside it hid it."""
    assert sampled_under(tmp_path, head) == [how, how, ""]


@pytest.mark.parametrize(
    "head",
    [
        "Metals",
        "Metals (grab or composite)",
        "Grab/composite",
        "Metals (not composite)",
        "Composite sampler",
        "Compliance (total)",
        "Samples were taken by hand - composite",
        "What the laboratory has sent us in the last week (composite)",
    ],
)
def test_a_heading_that_says_both_or_neither_or_is_a_sentence_says_nothing(tmp_path, head):
    assert sampled_under(tmp_path, head) == ["", "", ""]


def test_a_heading_of_one_column_means_what_it_meant(tmp_path):
    assert sampled_under(tmp_path, "Metals (composite)", merged=()) == ["", "", ""]


def test_a_heading_written_twice_stands_over_both(tmp_path):
    rows = [["Date", "Metals (comp)", "Metals (comp)"], [None, "Cu (mg/L)", "Zn (mg/L)"], [DAYS[0], 1.0, 2.0]]
    assert set(told(sheet(tmp_path, rows, facility="Acme"), "sample_type").values()) == {
        ("1.0", "comp"),
        ("2.0", "comp"),
    }


def test_what_a_column_says_of_itself_comes_before_the_heading_over_it(tmp_path):
    rows = [["Date", "Field (composite)", None], [None, "Zn (grab)", "Cu (mg/L)"], [DAYS[0], 1.0, 2.0]]
    got = told(sheet(tmp_path, rows, merged=("B1:C1",), facility="Acme"), "sample_type")
    assert list(got.values()) == [("1.0", "grab"), ("2.0", "composite")]


def test_a_place_over_several_columns_with_its_way_of_sampling(tmp_path):
    rows = [["Date", "Outfall 001 (composite)", None, "Outfall 001 - grab", None], [None, "Cu", "Zn", "Pb", "Ni"]]
    raw = sheet(tmp_path, [*rows, [DAYS[0], 1.0, 2.0, 3.0, 4.0]], merged=("B1:C1", "D1:E1"), facility="Acme")
    assert [says[1:] for says in told(raw, "outfall", "sample_type").values()] == [
        ("Outfall 001", "composite"), ("Outfall 001", "composite"), ("Outfall 001", "grab"), ("Outfall 001", "grab"),
    ]  # fmt: skip


def test_a_heading_over_two_of_many_columns_is_read(tmp_path):
    names = ["Cu", "Zn", "Pb", "Ni", "Cd", "Ag"]
    rows = [[None] * 5 + ["Metals (composite)"], ["Date", *names], [DAYS[0], *map(float, range(6))]]
    got = told(sheet(tmp_path, rows, merged=("F1:G1",), facility="Acme"), "sample_type")
    assert [how for _, how in got.values()] == ["", "", "", "", "composite", "composite"]


def test_the_same_over_dates_of_parameters_down(tmp_path):
    rows = [["", "Effluent - composite", None, "Grab", None], ["Parameter", *DAYS, *DAYS]]
    rows += [["Copper (mg/L)", 1.0, 2.0, 3.0, 4.0], ["Zinc (mg/L)", 5.0, 6.0, 7.0, 8.0]]
    got = told(sheet(tmp_path, rows, merged=("B1:C1", "D1:E1"), facility="Acme"), "outfall", "sample_type")
    assert {cell: says[1:] for cell, says in got.items() if cell.endswith("3")} == {
        "B3": ("Effluent", "composite"), "C3": ("Effluent", "composite"), "D3": ("", "Grab"), "E3": ("", "Grab"),
    }  # fmt: skip


@pytest.mark.parametrize("head", ["Metals (composite)", "Composite"])
@pytest.mark.parametrize("merged", ["A1:D1", "B1:D1"])
def test_the_same_over_a_table_of_one_row_a_result(tmp_path, head, merged):
    """Two tables side by side, each under its own heading; a row's own cell comes before it."""
    first = [head, None, None, None] if merged[0] == "A" else [None, head, None, None]
    rows = [[*first, "Organics - grab", None, None], ["Date", *["Parameter", "Result", "Unit"] * 2]]
    rows += [[day, "Copper", 1.0, "mg/L", "Toluene", 2.0, "mg/L"] for day in DAYS]
    got = told(sheet(tmp_path, rows, merged=(merged, "E1:G1"), facility="Acme"), "parameter", "sample_type")
    how = "composite" if "(" in head else "Composite"
    assert {says[1:] for says in got.values()} == {("Copper", how), ("Toluene", "grab")}


def test_a_row_that_says_its_own_way_of_sampling_keeps_it(tmp_path):
    rows = [[None, "Metals (composite)", None, None, None], ["Date", "Sample Type", "Parameter", "Result", "Unit"]]
    rows += [[DAYS[0], "Grab", "Copper", 1.0, "mg/L"], [DAYS[1], None, "Copper", 2.0, "mg/L"]]
    got = told(sheet(tmp_path, rows, merged=("B1:E1",), facility="Acme"), "sample_type")
    assert list(got.values()) == [("1.0", "Grab"), ("2.0", "composite")]
